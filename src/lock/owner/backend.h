/*
 * Where an owner's locks are: on the one server that its route names for a key, or on a majority of
 * its servers.
 *
 * What differs between the two is this table of functions. rl_owner_new() chooses it by the route,
 * and nobody else asks which one it is. single/ has the one for one server; majority/ has the
 * other.
 */
#ifndef RL_BACKEND_H
#define RL_BACKEND_H

#include "../batch.h"
#include "../lock_state.h"
#include "owner.h"

struct rl_attempt;
struct rl_release;

/* What taking a lock over by its token has come to. */
struct rl_adoption {
	struct rl_outcome outcome;
	rl_time asked_at; /* before the first byte */
	bool maybe_done;
};

/* One of many locks that are looked at together. */
struct rl_look {
	const struct rl_keys *keys;
	/* out */
	bool answered;
	struct rl_lock_state state; /* answered: to be cleared */
};

struct rl_backend {
	/*
	 * A release hands the lock to a waiter, so that waiters park. Otherwise they ask now and then.
	 */
	bool passes_batons;
	/* Locks may be shared: rl_protocol_query() asks about them. */
	bool can_share;

	/* --- asking --- */

	/*
	 * Asks for attempt->lease once. RL_OK: attempt->grant has the answer. The session is the
	 * caller's to end, if it has a connection.
	 */
	enum rl_status (*ask)(struct rl_attempt *attempt, int64_t flag_ms, rl_time deadline,
		struct rl_session *session, struct rl_error *error);
	/*
	 * Runs a step that is answered by an rl_outcome and is no release. For the renewal thread, too.
	 */
	enum rl_status (*run)(struct rl_route *route, struct rl_step *step, rl_time deadline,
		struct rl_outcome *outcome, struct rl_error *error);
	/* Runs many of these. For the renewal thread, too. */
	void (*run_batch)(struct rl_batch *batch);
	/*
	 * Puts the lease's token in the place of `old`, wherever that is; of a majority, only if more
	 * than half of the nodes hold that. `out` has the outcome, and `maybe_done` whether it may have
	 * been put there, or may be yet, all the same.
	 */
	enum rl_status (*adopt)(struct rl_owner *owner, struct rl_lease *lease, struct rl_text old,
		int64_t lease_ms, rl_time deadline, struct rl_adoption *out, struct rl_error *error);
	/*
	 * RL_OK: the state is to be cleared. `everywhere`: what each node of a majority holds is
	 * wanted, so that all of them are waited for a little.
	 */
	enum rl_status (*inspect)(struct rl_route *route, const struct rl_keys *keys, bool everywhere,
		rl_time deadline, struct rl_lock_state *state, struct rl_error *error);
	/*
	 * Many at once, as far as that works: what is refused or not answered has to be looked at by
	 * itself.
	 */
	void (*inspect_many)(
		struct rl_route *route, struct rl_look *looks, size_t count, rl_time deadline);

	/* --- giving back --- */

	/* Sends it and waits. RL_OK: `answer` is what rl_release_conclude() wants. */
	enum rl_status (*release)(struct rl_owner *owner, struct rl_release *release, rl_time deadline,
		enum rl_answer *answer, struct rl_error *error);
	/* Sends many as one. The batch has an item for each, which says what came of it. */
	void (*release_many)(
		struct rl_owner *owner, struct rl_release *releases, struct rl_batch *batch);
	/* Sends it, and nobody will hear the answer. False: it could not be sent. */
	bool (*send_release)(struct rl_owner *owner, struct rl_release *release, rl_time deadline);

	/* --- releases that nobody waits for --- */

	/*
	 * Takes a lease over that is over: frees it, or releases it first, at the next contact,
	 * wherever it may still be held (`maybe_held`: for one server, which the lease does not tell)
	 * or copies of a request may take it anew.
	 */
	void (*discard)(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held);
	/*
	 * Sends what is to be released, as far as it can be now, on the server of the lock `near`;
	 * NULL: anywhere. RL_OK; or why the last one that was tried stays. `error` may be NULL.
	 */
	enum rl_status (*repeat)(struct rl_owner *owner, const struct rl_keys *near, rl_time deadline,
		struct rl_error *error);
	/*
	 * Whether an ask may have found the lock taken by a lease of ours that has not been released
	 * yet.
	 */
	bool (*is_to_repeat)(struct rl_owner *owner, const struct rl_lease *taken);
};

extern const struct rl_backend rl_backend_single, rl_backend_majority;

#endif
