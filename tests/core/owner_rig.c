#include "owner_rig.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "lock/owner/internal.h"
#include "redis/address_syntax.h"
#include "route/direct.h"
#include "route/independent.h"

struct proxy proxy;
struct rl_error said;

#define MAX_OWNERS 32
static struct rl_owner *owners[MAX_OWNERS];

static struct rl_cache cache; /* of what owners share */

int owners_reset(void **state)
{
	clock_reset();
	faults_memory(-1);
	rig_reset(state);
	await_parked(0); /* one of the test before would swallow a baton */
	return proxy_start(&proxy, rig.server.folder, rig.server.socket) ? 0 : -1;
}

int owners_clean(void **state)
{
	kill(rig.server.pid, SIGCONT); /* after a test that failed */
	faults_memory(-1);
	for (size_t i = 0; i < MAX_OWNERS; i++) {
		if (owners[i]) {
			end_owner(owners[i]);
		}
	}
	rl_renewal_stop();
	rl_cache_clear(&cache);
	proxy_stop(&proxy);
	clock_reset();
	return 0;
}

static struct rl_address *address_of(const char *text)
{
	static const struct rl_address_defaults defaults = {
		.connect_timeout = 5 * RL_SECOND, .timeout = 5 * RL_SECOND
	};
	struct rl_address *address;

	assert_status(rl_address_parse(rl_text_of(text), &defaults, &address, &said), RL_OK);
	return address;
}

static struct rl_owner *owner_on(struct rl_route *route, const char *prefix,
	struct rl_wait_hook hook, const struct rl_renewal_terms *terms)
{
	size_t i = 0;

	assert_non_null(route);
	while (i < MAX_OWNERS - 1 && owners[i]) {
		i++;
	}
	owners[i] = rl_owner_new(route, NAME(prefix), hook, terms);
	assert_non_null(owners[i]);
	return owners[i];
}

/* `shared` NULL: with connections of its own. */
static struct rl_owner *owner_with(const char *text, struct rl_cache *shared, const char *prefix,
	struct rl_wait_hook hook, const struct rl_renewal_terms *terms)
{
	struct rl_address *address = address_of(text);
	rl_time connect_timeout = address->connect_timeout, timeout = address->timeout;
	struct rl_server *server = rl_server_cached(shared, address);

	return owner_on(
		server ? rl_direct_route(server, connect_timeout, timeout) : NULL, prefix, hook, terms);
}

struct rl_owner *new_owner_at(const char *address, struct rl_wait_hook hook)
{
	return owner_with(address, NULL, "lock@", hook, NULL);
}

struct rl_owner *new_owner(void)
{
	return new_owner_at(rig.server.address, (struct rl_wait_hook){ .run = NULL });
}

struct rl_owner *new_hooked(bool (*hook)(void *context), void *context)
{
	return new_owner_at(
		rig.server.address, (struct rl_wait_hook){ .run = hook, .context = context });
}

/* Once before each wait, which then waits. */
static bool is_due(void *context)
{
	static bool was_due;

	was_due = !was_due;
	return was_due;
}

struct rl_owner *new_hooked_at_each_wait(bool (*hook)(void *context), void *context)
{
	return new_owner_at(proxy.address,
		(struct rl_wait_hook){ .run = hook, .context = context, .is_due = is_due });
}

struct rl_owner *new_unprefixed(void)
{
	return owner_with(rig.server.address, NULL, "", (struct rl_wait_hook){ .run = NULL }, NULL);
}

struct rl_owner *new_proxied(void)
{
	return new_owner_at(proxy.address, (struct rl_wait_hook){ .run = NULL });
}

struct rl_owner *new_with_terms(const char *address, struct rl_renewal_terms terms)
{
	return owner_with(address, NULL, "lock@", (struct rl_wait_hook){ .run = NULL }, &terms);
}

struct rl_owner *new_sharing(const char *address)
{
	return owner_with(address, &cache, "lock@", (struct rl_wait_hook){ .run = NULL }, NULL);
}

struct rl_owner *new_majority(const char *const *addresses, size_t count, struct rl_wait_hook hook,
	const struct rl_renewal_terms *terms)
{
	struct rl_server *servers[RL_NODES_MAX];
	rl_time connect_timeout = 0, timeout = 0;

	for (size_t i = 0; i < count; i++) {
		struct rl_address *address = address_of(addresses[i]);

		connect_timeout = address->connect_timeout > connect_timeout ? address->connect_timeout
																	 : connect_timeout;
		timeout = address->timeout > timeout ? address->timeout : timeout;
		servers[i] = rl_server_new(address);
		assert_non_null(servers[i]);
	}
	return owner_on(
		rl_independent_route(servers, count, connect_timeout, timeout), "lock@", hook, terms);
}

void end_owner(struct rl_owner *owner)
{
	for (size_t i = 0; i < MAX_OWNERS; i++) {
		if (owners[i] == owner) {
			owners[i] = NULL;
		}
	}
	rl_owner_free(owner);
}

void assert_status_at(
	enum rl_status status, enum rl_status expected, const char *call, const char *file, int line)
{
	if (status != expected) {
		print_error("%s: status %d, not %d: %s\n", call, (int)status, (int)expected, said.message);
		_fail(file, line);
	}
}

/* ---------------------------------------------------------------- calls */

static void begin_call(struct rl_owner *owner)
{
	said = (struct rl_error){ .held = false };
	rl_owner_begin_call(owner);
}

static enum rl_status end_call(struct rl_owner *owner, enum rl_status status)
{
	rl_owner_end_call(owner);
	return status;
}

enum rl_status own_with(struct rl_owner *owner, const char *key, const struct rl_acquire *terms)
{
	struct rl_acquire request = *terms;

	request.key = NAME(key);
	begin_call(owner);
	return end_call(owner, rl_owner_acquire(owner, &request, &said));
}

enum rl_status own_waiting(struct rl_owner *owner, const char *key, int64_t lease_ms, rl_time wait)
{
	return own_with(owner, key,
		&(struct rl_acquire){ .lease_ms = lease_ms, .wait = wait, .policy = RL_POLICY_WAIT });
}

enum rl_status own(struct rl_owner *owner, const char *key, int64_t lease_ms)
{
	return own_waiting(owner, key, lease_ms, 0);
}

static enum rl_status disown_on(
	struct rl_owner *owner, const char *key, int64_t delay_ms, bool confirm)
{
	begin_call(owner);
	return end_call(owner,
		rl_owner_release(owner, NAME(key),
			(struct rl_release_terms){ .delay_ms = delay_ms, .confirm = confirm }, &said));
}

enum rl_status disown(struct rl_owner *owner, const char *key)
{
	return disown_on(owner, key, 0, true);
}

enum rl_status disown_unconfirmed(struct rl_owner *owner, const char *key)
{
	return disown_on(owner, key, 0, false);
}

enum rl_status disown_with_delay(struct rl_owner *owner, const char *key, int64_t delay_ms)
{
	return disown_on(owner, key, delay_ms, true);
}

enum rl_status prolong(struct rl_owner *owner, const char *key, int64_t lease_ms)
{
	begin_call(owner);
	return end_call(owner, rl_owner_prolongate(owner, NAME(key), lease_ms, &said));
}

enum rl_status look(struct rl_owner *owner, const char *key)
{
	begin_call(owner);
	return end_call(owner, rl_owner_is_locking(owner, NAME(key), NULL, &said));
}

enum rl_status check_lock(struct rl_owner *owner, const char *key)
{
	begin_call(owner);
	return end_call(owner, rl_owner_check(owner, NAME(key), &said));
}

enum rl_status break_it(struct rl_owner *owner, const char *key)
{
	begin_call(owner);
	return end_call(owner, rl_owner_break(owner, NAME(key), 0, &said));
}

enum rl_status hand_over(
	struct rl_owner *owner, const char *key, int64_t lease_ms, struct rl_token *token)
{
	begin_call(owner);
	return end_call(owner, rl_owner_hand_over(owner, NAME(key), lease_ms, token, &said));
}

enum rl_status adopt(
	struct rl_owner *owner, const char *key, const struct rl_token *token, int64_t lease_ms)
{
	begin_call(owner);
	return end_call(
		owner, rl_owner_adopt(owner, NAME(key), rl_token_text(token), lease_ms, &said));
}

struct rl_release_summary disown_all(struct rl_owner *owner)
{
	struct rl_release_summary summary;

	begin_call(owner);
	rl_owner_release_all(owner, &summary);
	rl_owner_end_call(owner);
	return summary;
}

struct rl_release_summary end_all(struct rl_owner *const *ending, size_t count)
{
	struct rl_release_summary summary;

	rl_owner_end_all(ending, count, rl_now(), &summary);
	return summary;
}

struct rl_lease_view view(struct rl_owner *owner, const char *key)
{
	struct rl_lease_view view;

	assert_status(rl_owner_lease(owner, NAME(key), &view, &said), RL_OK);
	return view;
}

bool holds(struct rl_owner *owner, const char *key)
{
	struct rl_lease_view view;

	return rl_owner_lease(owner, NAME(key), &view, &said) == RL_OK;
}

/* ---------------------------------------------------------------- the server's side */

bool is_taken(const char *key)
{
	return number("EXISTS lock@%s", key) == 1;
}

void let_it_arrive(void)
{
	for (int i = 0; i < 3; i++) {
		run("PING");
	}
}

void let_it_through(const struct proxy *through)
{
	redisContext *redis = redisConnectUnix(through->address + strlen("unix://"));

	assert_non_null(redis);
	for (int turn = 0; turn < 3; turn++) {
		freeReplyObject(command(redis, "PING"));
	}
	redisFree(redis);
}

void await_free(const char *key)
{
	for (int tries = 0; is_taken(key); tries++) {
		if (tries == 5000) {
			fail_msg("\"%s\" was never freed", key);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

long long server_left(const char *key)
{
	return number("PTTL lock@%s", key);
}

void expire_on_server(const char *key)
{
	run("PEXPIREAT lock@%s 1", key);
	assert_false(is_taken(key));
}

void expire_here(struct rl_owner *owner, const char *key)
{
	clock_advance(view(owner, key).left + RL_MILLISECOND);
}

void taken_between(const char *key)
{
	struct rl_owner *other = new_owner();

	assert_status(own(other, key, LEASE), RL_OK);
	assert_status(disown(other, key), RL_OK);
	end_owner(other);
}
