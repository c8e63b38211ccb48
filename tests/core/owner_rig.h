/*
 * Owners (src/lock/owner/owner.h) on the rig's server, or on the proxy before it, in the words of
 * the tests. A lock's name is a C string; what the last call said is in `said`.
 */
#ifndef OWNER_RIG_H
#define OWNER_RIG_H

#include "clock.h"
#include "faults.h"
#include "proxy.h"
#include "server_rig.h"

#include "lock/owner/owner.h"
#include "lock/scripts.h"

extern struct proxy proxy;
extern struct rl_error said;

/* Set-up and tear-down of a test: an empty server, the proxy before it, no owner. */
int owners_reset(void **state);
int owners_clean(void **state);

/* One more owner, freed at the test's end at the latest. A call's whole deadline is 5 s. */
struct rl_owner *new_owner(void);
/* With a wait hook. */
struct rl_owner *new_hooked(bool (*hook)(void *context), void *context);
/* Through the proxy; it is due at each wait, whatever for. */
struct rl_owner *new_hooked_at_each_wait(bool (*hook)(void *context), void *context);
/* With an empty prefix. */
struct rl_owner *new_unprefixed(void);
/* On the proxy. */
struct rl_owner *new_proxied(void);
/* Anywhere: "unix:///path?timeout=0.2". */
struct rl_owner *new_owner_at(const char *address, struct rl_wait_hook hook);
/* Renewed, or alarmed. */
struct rl_owner *new_with_terms(const char *address, struct rl_renewal_terms terms);
/* The same, sharing its connections with all others that are made so. */
struct rl_owner *new_sharing(const char *address);
/* On a majority of independent servers. */
struct rl_owner *new_majority(const char *const *addresses, size_t count, struct rl_wait_hook hook,
	const struct rl_renewal_terms *terms);
void end_owner(struct rl_owner *owner);

#define assert_status(call, expected) \
 assert_status_at((call), (expected), #call, __FILE__, __LINE__)
void assert_status_at(
	enum rl_status status, enum rl_status expected, const char *call, const char *file, int line);

/* ---------------------------------------------------------------- calls */

enum rl_status own(struct rl_owner *owner, const char *key, int64_t lease_ms);
enum rl_status own_waiting(struct rl_owner *owner, const char *key, int64_t lease_ms, rl_time wait);
enum rl_status own_with(struct rl_owner *owner, const char *key, const struct rl_acquire *terms);
enum rl_status disown(struct rl_owner *owner, const char *key);
enum rl_status disown_unconfirmed(struct rl_owner *owner, const char *key);
enum rl_status disown_with_delay(struct rl_owner *owner, const char *key, int64_t delay_ms);
enum rl_status prolong(struct rl_owner *owner, const char *key, int64_t lease_ms);
enum rl_status look(struct rl_owner *owner, const char *key);
enum rl_status check_lock(struct rl_owner *owner, const char *key);
enum rl_status break_it(struct rl_owner *owner, const char *key);
enum rl_status hand_over(
	struct rl_owner *owner, const char *key, int64_t lease_ms, struct rl_token *token);
enum rl_status adopt(
	struct rl_owner *owner, const char *key, const struct rl_token *token, int64_t lease_ms);
struct rl_release_summary disown_all(struct rl_owner *owner);
/* The last call of these. */
struct rl_release_summary end_all(struct rl_owner *const *ending, size_t count);

/* What is held; fails the test if it is not. */
struct rl_lease_view view(struct rl_owner *owner, const char *key);
bool holds(struct rl_owner *owner, const char *key);

/* What was written to the server before, on any connection but a proxy's, has been answered. */
void let_it_arrive(void);
/*
 * What was sent through a proxy before has got to its server, and what that had answered before has
 * come through.
 */
void let_it_through(const struct proxy *through);
/* Whether the server has L of this name. */
bool is_taken(const char *key);
/* Until it is not: for what is written behind a request and not waited for. */
void await_free(const char *key);
/* What is left of L, in ms, by the server. */
long long server_left(const char *key);
/* L's time is over by the server; ours by our clock. */
void expire_on_server(const char *key);
void expire_here(struct rl_owner *owner, const char *key);
/* A take and a release by somebody else, in between. */
void taken_between(const char *key);

#endif
