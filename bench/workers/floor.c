/*
 * The floors: what the least code that can do it needs, in plain blocking hiredis.
 *
 *     floor KIND SOCKET|PORT KEY LEASE_MS
 *
 *     ping       PING, and PING: two round trips and nothing else
 *     set        SET NX PX, and compare-and-delete by EVALSHA: the least lock, no fence, no queue
 *     scripts    acquire and release as the extension sends them, with arguments of the same sizes
 *     wake       BLPOP, and RPUSH to pass it on: a bare wake-up
 *     wake-trip  the same with a PING after the BLPOP: what a claim costs that is waited for
 *
 * Takes turns as turns.php says. Uncontended kinds end with an error if they find the lock taken;
 * for a wake somebody has to put the first element into the list.
 */
#include "lock/keys.h"
#include "lock/scripts.h"

#include <hiredis.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GRACE  3600000
#define WINDOW "1000"
#define HEX    32
#define NUMBER 24

static const char compare_and_delete[] =
	"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

struct turn {
	int64_t asked, granted, releasing, released;
};

struct floor {
	const char *name;
	void (*prepare)(void);
	void (*take)(void);
	void (*give)(void);
};

static redisContext *redis;
static const char *key, *lease;
static struct rl_keys keys;
static char token[256];
static size_t token_length;
static char fence[NUMBER];
static char compare_and_delete_sha1[41];
static uint64_t takes;

static void fail(const char *what)
{
	fprintf(stderr, "floor: %s\n", what);
	exit(1);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static redisReply *checked(redisReply *reply)
{
	if (!reply) {
		fail(redis->errstr);
	}
	if (reply->type == REDIS_REPLY_ERROR) {
		fail(reply->str);
	}
	return reply;
}

/* ==== two round trips ==== */

static void ping(void)
{
	freeReplyObject(checked(redisCommand(redis, "PING")));
}

/* ==== tokens and scripts ==== */

static void load(const char *text, size_t length, char sha1[41])
{
	redisReply *reply = checked(redisCommand(redis, "SCRIPT LOAD %b", text, length));

	memcpy(sha1, reply->str, 41);
	freeReplyObject(reply);
}

static void prepare_token(void)
{
	char host[65] = "";

	gethostname(host, sizeof host - 1);
	token_length = (size_t)snprintf(token, sizeof token, "rlock1:%s:%ld:%032d", host, (long)getpid(), 0);
}

static const char *next_token(void)
{
	char hex[HEX + 1];

	snprintf(hex, sizeof hex, "%032" PRIx64, ++takes);
	memcpy(token + token_length - HEX, hex, HEX);
	return token + token_length - HEX;
}

/* ==== the least lock ==== */

static void prepare_set(void)
{
	prepare_token();
	load(compare_and_delete, strlen(compare_and_delete), compare_and_delete_sha1);
}

static void set(void)
{
	redisReply *reply;

	next_token();
	reply = checked(redisCommand(redis, "SET %s %b NX PX %s", key, token, token_length, lease));
	if (reply->type != REDIS_REPLY_STATUS) {
		fail("the lock is taken");
	}
	freeReplyObject(reply);
}

static void unset(void)
{
	redisReply *reply = checked(redisCommand(redis, "EVALSHA %s 1 %s %b",
		compare_and_delete_sha1, key, token, token_length));

	if (reply->integer != 1) {
		fail("the lock was lost");
	}
	freeReplyObject(reply);
}

/* ==== the extension's scripts ==== */

static void prepare_scripts(void)
{
	char sha1[41];

	prepare_token();
	if (!rl_keys_make(&keys, "lock@", 5, key, strlen(key))) {
		fail("out of memory");
	}
	load(rl_script_acquire.text, rl_script_acquire.length, sha1);
	load(rl_script_release.text, rl_script_release.length, sha1);
}

static redisReply *run(const struct rl_script *script, size_t arg_count, const char **args, const size_t *lengths)
{
	const char *argv[16] = { "EVALSHA", script->sha1, "4" };
	size_t sizes[16] = { 7, 40, 1 };

	for (size_t i = 0; i < RL_KEY_COUNT; i++) {
		argv[3 + i] = keys.text[i];
		sizes[3 + i] = keys.length[i];
	}
	memcpy(argv + 3 + RL_KEY_COUNT, args, arg_count * sizeof *args);
	memcpy(sizes + 3 + RL_KEY_COUNT, lengths, arg_count * sizeof *lengths);
	return checked(redisCommandArgv(redis, (int)(3 + RL_KEY_COUNT + arg_count), argv, sizes));
}

static void acquire(void)
{
	char keep[NUMBER];
	int keep_length = snprintf(keep, sizeof keep, "%lld", atoll(lease) + GRACE);
	redisReply *reply;

	next_token();
	reply = run(&rl_script_acquire, 3, (const char *[]){ token, lease, keep },
		(size_t[]){ token_length, strlen(lease), (size_t)keep_length });
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 || reply->element[0]->integer != 1) {
		fail("the lock is taken");
	}
	snprintf(fence, sizeof fence, "%lld", reply->element[1]->integer);
	freeReplyObject(reply);
}

static void release(void)
{
	char baton[1 + HEX + 1], grace[NUMBER];
	int grace_length = snprintf(grace, sizeof grace, "%d", GRACE);
	redisReply *reply;

	snprintf(baton, sizeof baton, "~%s", token + token_length - HEX);
	reply = run(&rl_script_release, 5, (const char *[]){ token, fence, baton, WINDOW, grace },
		(size_t[]){ token_length, strlen(fence), 1 + HEX, strlen(WINDOW), (size_t)grace_length });
	if (reply->type != REDIS_REPLY_INTEGER || reply->integer != 1) {
		fail("the lock was lost");
	}
	freeReplyObject(reply);
}

/* ==== a bare wake-up ==== */

static void await_wake(void)
{
	freeReplyObject(checked(redisCommand(redis, "BLPOP %s 0", key)));
}

static void await_wake_and_ping(void)
{
	await_wake();
	ping();
}

static void pass_on(void)
{
	freeReplyObject(checked(redisCommand(redis, "RPUSH %s 1", key)));
}

/* ==== turns ==== */

static const struct floor floors[] = {
	{ "ping", NULL, ping, ping },
	{ "set", prepare_set, set, unset },
	{ "scripts", prepare_scripts, acquire, release },
	{ "wake", NULL, await_wake, pass_on },
	{ "wake-trip", NULL, await_wake_and_ping, pass_on },
};

static void sleep_us(int64_t us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

static void take_turns(const struct floor *floor, int64_t count, int64_t until, int64_t hold_us)
{
	struct turn *turns = NULL;
	size_t taken = 0, room = 0;

	while (count-- > 0 && (until == 0 || now() < until)) {
		struct turn turn;

		if (taken == room) {
			room = room ? 2 * room : 64;
			turns = realloc(turns, room * sizeof *turns);
			if (!turns) {
				fail("out of memory");
			}
		}
		turn.asked = now();
		floor->take();
		turn.granted = now();
		if (hold_us > 0) {
			sleep_us(hold_us);
		}
		turn.releasing = now();
		floor->give();
		turn.released = now();
		turns[taken++] = turn;
	}
	for (size_t i = 0; i < taken; i++) {
		printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
			turns[i].asked, turns[i].granted, turns[i].releasing, turns[i].released);
	}
	printf("end\n");
	fflush(stdout);
	free(turns);
}

int main(int argc, char **argv)
{
	const struct floor *floor = NULL;
	char line[96];

	if (argc != 5) {
		fail("usage: floor KIND SOCKET|PORT KEY LEASE_MS");
	}
	for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
		if (strcmp(floors[i].name, argv[1]) == 0) {
			floor = &floors[i];
		}
	}
	if (!floor) {
		fail("no such kind");
	}
	key = argv[3];
	lease = argv[4];
	printf("ready\n");
	fflush(stdout);

	while (fgets(line, sizeof line, stdin)) {
		int64_t count, until, hold_us;

		if (sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64, &count, &until, &hold_us) != 3) {
			fail("an order is COUNT UNTIL HOLD");
		}
		if (!redis) {
			redis = argv[2][0] == '/' ? redisConnectUnix(argv[2]) : redisConnect("127.0.0.1", atoi(argv[2]));
			if (!redis || redis->err) {
				fail("cannot connect");
			}
			if (floor->prepare) {
				floor->prepare();
			}
		}
		take_turns(floor, count, until, hold_us);
	}
	if (redis) {
		redisFree(redis);
	}
	return 0;
}
