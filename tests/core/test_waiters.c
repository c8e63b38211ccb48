/*
 * Who waits: what a waiter says of itself as it parks, and how it is found.
 */
#include "owner_rig.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lock/owner/internal.h"

/* What a waiter's hook has seen while it was parked, and how the lock came to it then. */
static struct scene {
	struct rl_owner *holder, *looker;
	struct rl_waiter found[8];
	char processes[8][RL_PROCESS_NAME_SIZE];
	size_t count;
	enum rl_status status;
	char code[RL_ERROR_CODE_SIZE]; /* of a refusal */
	bool has_looked;
} scene;

static bool note(void *context, const struct rl_waiter *waiter)
{
	(void)context;
	assert_true(scene.count < COUNT(scene.found));
	snprintf(scene.processes[scene.count], sizeof scene.processes[0], "%.*s",
		(int)waiter->process.length, waiter->process.data);
	scene.found[scene.count++] = *waiter;
	return true;
}

static void look_who_waits(void)
{
	const struct rl_waiters request = { .found = note };

	scene.count = 0;
	scene.status = rl_owner_waiters(scene.looker, &request, &said);
	memcpy(scene.code, said.code, sizeof scene.code);
}

static bool look_and_give_back(void *context)
{
	(void)context;
	if (!scene.has_looked) {
		scene.has_looked = true;
		await_parked(1);
		look_who_waits();
		assert_status(disown(scene.holder, "job"), RL_OK);
	}
	return true;
}

/* A wait at this address for a lock that is held, during which somebody looks. */
static void wait_and_look(const char *address, bool is_shared)
{
	const struct rl_acquire terms = {
		.lease_ms = LEASE, .wait = 60 * RL_SECOND, .policy = RL_POLICY_WAIT, .is_shared = is_shared
	};
	struct rl_owner *waiter = new_owner_at(
		address, (struct rl_wait_hook){ .run = look_and_give_back });

	scene = (struct scene){ .holder = new_owner(), .looker = scene.looker };
	scene.looker = scene.looker ? scene.looker : new_owner();
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
	assert_status(own_with(waiter, "job", &terms), RL_OK);
	assert_true(scene.has_looked);
	assert_status(disown(waiter, "job"), RL_OK);
	end_owner(waiter);
}

/* As the server shows them now. */
static bool shows_a_waiter(void)
{
	redisReply *reply = command(rig.redis, "CLIENT LIST");
	char hash[RL_WAITER_HASH + 1] = "";
	bool shows;

	rl_waiter_hash(hash, rl_text_of("lock@job"));
	shows = strstr(reply->str, hash) != NULL;
	freeReplyObject(reply);
	return shows;
}

static void a_waiter_says_who_it_is(void **state)
{
	char hash[RL_WAITER_HASH];
	int64_t now_ms = (int64_t)time(NULL) * 1000;

	(void)state;
	for (int is_shared = 0; is_shared < 2; is_shared++) {
		scene.looker = NULL;
		wait_and_look(rig.server.address, is_shared);
		assert_status(scene.status, RL_OK);
		assert_int_equal(scene.count, 1);
		assert_string_equal(scene.processes[0], rl_process_name().data);
		assert_true(rl_owner_hash(scene.looker, rl_text_of("job"), hash));
		assert_memory_equal(scene.found[0].hash, hash, sizeof hash);
		assert_int_equal(scene.found[0].is_shared, is_shared);
		assert_in_range(scene.found[0].since_ms, now_ms - 1000, now_ms + 600000);
	}
}

/* Connections that live on. */
static void the_name_goes_back(void **state)
{
	struct rl_owner *waiter = new_sharing(rig.server.address);
	const struct rl_waiters request = { .found = note };

	(void)state;
	scene = (struct scene){ .holder = new_owner() };
	assert_status(own(scene.holder, "job", LEASE), RL_OK);
	assert_status(own_waiting(waiter, "job", LEASE, RL_SECOND / 5), RL_NO);
	assert_false(shows_a_waiter());
	assert_status(rl_owner_waiters(waiter, &request, &said), RL_OK);
	assert_int_equal(scene.count, 0);
}

static long long calls_of(const char *word)
{
	redisReply *reply = command(rig.redis, "INFO commandstats");
	char name[64];
	const char *at;
	long long calls;

	snprintf(name, sizeof name, "cmdstat_%s:calls=", word);
	at = strstr(reply->str, name);
	calls = at ? atoll(at + strlen(name)) : 0;
	freeReplyObject(reply);
	return calls;
}

static void who_does_not_wait_says_nothing(void **state)
{
	struct rl_owner *owner = new_owner();

	(void)state;
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	run("CONFIG RESETSTAT");
	assert_status(own(owner, "job", LEASE), RL_OK);
	assert_status(disown(owner, "job"), RL_OK);
	assert_int_equal(calls_of("evalsha"), 2);
	assert_int_equal(calls_of("client|setname") + calls_of("client"), 0);
}

/* A user who may not name connections waits all the same, and who may not list clients is told. */
static void rights_that_are_denied(void **state)
{
	char address[160];

	(void)state;
	redisFree(rig_connect_as("nameless", "+@all -client|setname"));
	redisFree(rig_connect_as("blind", "+@all -client|list"));
	snprintf(address, sizeof address, "%s?user=nameless&password=x", rig.server.address);
	scene.looker = NULL;
	wait_and_look(address, false);
	assert_status(scene.status, RL_OK);
	assert_int_equal(scene.count, 0);
	snprintf(address, sizeof address, "%s?user=blind&password=x", rig.server.address);
	scene.looker = new_owner_at(address, (struct rl_wait_hook){ .run = NULL });
	wait_and_look(rig.server.address, false);
	assert_status(scene.status, RL_REFUSED);
	assert_string_equal(scene.code, "NOPERM");
}

#define MANY 10000

static char *long_list(void)
{
	size_t room = MANY * 420 + 64, length = 0;
	char *lines = malloc(room), *answer = malloc(room);

	assert_true(lines && answer);
	for (int i = 0; i < MANY; i++) {
		length += (size_t)snprintf(lines + length, room - length,
			"id=%d addr=10.11.12.13:54321 laddr=10.0.0.1:6379 fd=%d name=rlock:web%d:4711%s age=100 "
			"idle=10 flags=%s db=0 sub=0 psub=0 ssub=0 multi=-1 qbuf=0 qbuf-free=20474 argv-mem=10 "
			"multi-mem=0 rbs=1024 rbp=0 obl=0 oll=0 omem=0 tot-mem=22426 events=r cmd=blpop "
			"user=default redir=-1 resp=2 lib-name= lib-ver=\n",
			i, i, i, i % 5000 == 0 ? ":0123456789abcdef:1795352241871" : "", i < 5000 ? "b" : "N");
	}
	snprintf(answer, room, "$%zu\r\n%s\r\n", length, lines);
	free(lines);
	return answer;
}

static void ten_thousand_clients_are_read(void **state)
{
	char *answer = long_list();

	(void)state;
	scene = (struct scene){ .looker = new_proxied() };
	assert_status(own(scene.looker, "job", LEASE), RL_OK);
	proxy_add(&proxy,
		(struct proxy_rule){
			.word = "CLIENT", .times = 1, .fault = PROXY_ANSWER, .answer = answer });
	look_who_waits();
	assert_status(scene.status, RL_OK);
	assert_int_equal(scene.count, 1);
	assert_string_equal(scene.processes[0], "web0:4711");
	assert_int_equal(scene.found[0].since_ms, 1795352241871);
	assert_status(look(scene.looker, "job"), RL_OK); /* on the same connection */
	assert_int_equal(proxy.connections, 1);
	free(answer);
}

static void other_names_are_no_waiters(void **state)
{
	static const char *const names[] = { "", "rlock:", "rlock:host:1",
		"rlock:host:1:0123456789abcdef", "rlock:host:1:0123456789abcde:17", "rlock:host::0123456789abcdef:17",
		"rlock:host:1:0123456789abcdef:x", "other:host:1:0123456789abcdef:17" };
	struct rl_waiter waiter;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_false(rl_waiter_read_name(rl_text_of(names[i]), &waiter));
	}
}

#define test(name) cmocka_unit_test_setup_teardown(name, owners_reset, owners_clean)

int test_waiters(void)
{
	const struct CMUnitTest tests[] = {
		test(a_waiter_says_who_it_is),
		test(the_name_goes_back),
		test(who_does_not_wait_says_nothing),
		test(rights_that_are_denied),
		test(ten_thousand_clients_are_read),
		test(other_names_are_no_waiters),
	};
	return cmocka_run_group_tests_name("waiters", tests, rig_start, rig_stop);
}
