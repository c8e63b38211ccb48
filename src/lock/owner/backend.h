/*
 * Where an owner's locks are: on the one server that its route names for a key, or on a majority of
 * its servers.
 *
 * What differs between the two is this table of functions. rl_owner_new() chooses it by the route.
 * Others do not ask which one it is, only whether it passes batons and whether it can share locks.
 * single/ has the one for one server; majority/ has the other.
 */
#ifndef RL_BACKEND_H
#define RL_BACKEND_H

#include "../batch.h"
#include "owner.h"

struct rl_ask_terms;
struct rl_attempt;
struct rl_release;

struct rl_backend {
	/*
	 * A release hands the lock to a waiter, so that waiters park. Otherwise they ask now and then.
	 */
	bool passes_batons;
	/* one server decides, so that locks may be shared, and change hands without being free */
	bool can_share;

	/* --- asking --- */

	/* Asks for attempt->lease once, as rl_ask() says. RL_OK: attempt->grant has the answer. */
	enum rl_status (*ask)(
		struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error);
	/*
	 * Runs steps that do not take the lock, all of one operation; or releases, whose answers are
	 * what rl_release_conclude() wants. For the renewal thread, too. One step is tried as long as
	 * there is time; RL_OK: it was answered. Many are sent together, and those that are left open
	 * may be tried one by one.
	 */
	enum rl_status (*run)(struct rl_batch *batch);

	/* --- giving back --- */

	/* Sends it, and nobody will hear the answer. False: it could not be sent. */
	bool (*send_release)(struct rl_owner *owner, struct rl_release *release, rl_time deadline);

	/* --- leases that nobody waits for any more --- */

	/*
	 * Takes a lease over that is over: frees it, or releases it first, at the next contact,
	 * wherever it may still be held (`maybe_held`: for one server, which the lease does not tell)
	 * or copies of a request may take it anew.
	 */
	void (*discard)(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held);
	/*
	 * Releases what was discarded, as far as that can be done now, on the server of the lock
	 * `near`; NULL: anywhere, and at the owner's end connections are opened for it. Each has half
	 * of the time that is left. RL_OK; or why the last one that was tried stays, or that there was
	 * no time to try one, which is only told with an `error`; that may be NULL. Deadline 0: nothing
	 * is waited for. RL_INTERRUPTED: nobody wants to know any more.
	 */
	enum rl_status (*release_discarded)(struct rl_owner *owner, const struct rl_keys *near,
		rl_time deadline, struct rl_error *error);
	/*
	 * Whether an ask may have found the lock taken by a lease of ours that was discarded and not
	 * released yet.
	 */
	bool (*has_discarded)(struct rl_owner *owner, const struct rl_lease *taken);
};

extern const struct rl_backend rl_backend_single, rl_backend_majority;

#endif
