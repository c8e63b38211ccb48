/*
 * The floors: what the least code that can do it needs, in plain blocking hiredis.
 *
 *     floor KIND SOCKET|PORT[,SOCKET|PORT...] KEY LEASE_MS
 *
 *     ping       PING, and PING: two round trips and nothing else
 *     set        SET NX PX, and compare-and-delete by EVALSHA: the least lock, no fence, no queue
 *     scripts    acquire and release as the extension sends them, with arguments of the same sizes
 *     majority   the same sent to all of several servers, until more than half have answered
 *     wake       BLPOP, and RPUSH to pass it on: a bare wake-up
 *     wake-check the same with a script in place of the RPUSH, which looks first whose it is: the
 *                least that a lock can do
 *     wake-trip  as wake, with a PING after the BLPOP: what a claim costs that is waited for
 *
 * Takes turns as turns.php says. Uncontended kinds end with an error if they find the lock taken;
 * for a wake somebody has to put the first element into the list.
 */
#include "lock/keys.h"
#include "lock/scripts.h"

#include <hiredis.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNTIL  "9000000000000000" /* any time */
#define HEAD   7                  /* "rlock1:" */
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

#define SERVERS 15
#define OWED    64

struct server {
	redisContext *redis;
	size_t owed; /* answers */
	bool asked;  /* in this turn: not if it is frozen, and will not read any more */
	bool busy;   /* another had it there */
	char fence[NUMBER];
};

static struct server servers[SERVERS];
static size_t server_count;
static redisContext *redis; /* the first one's */
static const char *key, *lease;
static struct rl_keys keys;
static char token[256];
static size_t token_length;
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
	token_length = (size_t)snprintf(
		token, sizeof token, "rlock1:%032d:%s:%ld", 0, host, (long)getpid());
}

static const char *next_token(void)
{
	char hex[HEX + 1];

	snprintf(hex, sizeof hex, "%032" PRIx64, ++takes);
	memcpy(token + HEAD, hex, HEX);
	return token + HEAD;
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
	reply = checked(
		redisCommand(redis, "SET %s %b NX PX %s", key, token, token_length, lease));
	if (reply->type != REDIS_REPLY_STATUS) {
		fail("the lock is taken");
	}
	freeReplyObject(reply);
}

static void unset(void)
{
	redisReply *reply = checked(redisCommand(
		redis, "EVALSHA %s 1 %s %b", compare_and_delete_sha1, key, token, token_length));

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
	if (!rl_keys_make(
			&keys, (struct rl_text){ "lock@", 5 }, (struct rl_text){ key, strlen(key) })) {
		fail("out of memory");
	}
	load(rl_script_acquire.text, rl_script_acquire.length, sha1);
	load(rl_script_release.text, rl_script_release.length, sha1);
}

/* A script's command; the texts are the caller's. */
struct command {
	const char *words[16];
	size_t lengths[16];
	int count;
};

static void add(struct command *command, const char *text, size_t length)
{
	command->words[command->count] = text;
	command->lengths[command->count++] = length;
}

static void begin(struct command *command, const struct rl_script *script)
{
	command->count = 0;
	add(command, "EVALSHA", 7);
	add(command, script->sha1, 40);
	add(command, "4", 1);
	for (size_t i = RL_KEY_LOCK; i <= RL_KEY_WAKE; i++) {
		add(command, keys.of[i].data, keys.of[i].length);
	}
}

static void make_acquire(struct command *command)
{
	begin(command, &rl_script_acquire);
	add(command, token, token_length);
	add(command, lease, strlen(lease));
	add(command, UNTIL, strlen(UNTIL));
	add(command, "0", 1);
}

static void make_release(struct command *command, const char *fence)
{
	static char baton[1 + HEX];

	baton[0] = '~';
	memcpy(baton + 1, token + HEAD, HEX);
	begin(command, &rl_script_release);
	add(command, token, HEAD + HEX + 1);
	add(command, fence, strlen(fence));
	add(command, baton, sizeof baton);
	add(command, "0", 1);
}

/* A fence is the clock, and above all that a release answers. */
static bool is_fence(const redisReply *reply)
{
	return reply->type == REDIS_REPLY_INTEGER && reply->integer > 1000;
}

static void hear_acquire(struct server *server, const redisReply *reply)
{
	if (!is_fence(reply)) {
		fail("the lock is taken");
	}
	server->busy = false;
	snprintf(server->fence, sizeof server->fence, "%lld", reply->integer);
}

static void read_release(const redisReply *reply)
{
	if (reply->type != REDIS_REPLY_INTEGER || reply->integer != 1) {
		fail("the lock was lost");
	}
}

static redisReply *run(const struct command *command)
{
	return checked(
		redisCommandArgv(redis, command->count, (const char **)command->words, command->lengths));
}

static void acquire(void)
{
	struct command command;
	redisReply *reply;

	next_token();
	make_acquire(&command);
	reply = run(&command);
	hear_acquire(&servers[0], reply);
	freeReplyObject(reply);
}

static void release(void)
{
	struct command command;
	redisReply *reply;

	make_release(&command, servers[0].fence);
	reply = run(&command);
	read_release(reply);
	freeReplyObject(reply);
}

/* ==== the same on a majority ==== */

static void prepare_majority(void)
{
	for (size_t i = 0; i < server_count; i++) {
		redis = servers[i].redis;
		prepare_scripts();
		rl_keys_free(&keys);
	}
	prepare_scripts();
}

static void send_to(struct server *server, const struct command *command)
{
	int done = 0;

	redisAppendCommandArgv(
		server->redis, command->count, (const char **)command->words, command->lengths);
	while (!done) {
		if (redisBufferWrite(server->redis, &done) != REDIS_OK) {
			fail(server->redis->errstr);
		}
	}
	server->owed++;
}

/* What has come. True: the last answer is among it. */
static bool read_from(struct server *server)
{
	redisReply *reply;

	if (redisBufferRead(server->redis) != REDIS_OK) {
		fail(server->redis->errstr);
	}
	while (redisReaderGetReply(server->redis->reader, (void **)&reply) == REDIS_OK && reply) {
		checked(reply);
		if (reply->type == REDIS_REPLY_ARRAY) {
			server->busy = true; /* it may not have heard yet of a release that most others have */
		} else if (is_fence(reply)) {
			hear_acquire(server, reply);
		} else if (!server->busy) {
			read_release(reply);
		}
		freeReplyObject(reply);
		server->owed--;
	}
	return server->owed == 0;
}

static void await_majority(void)
{
	size_t answered = 0;

	while (answered <= server_count / 2) {
		struct pollfd polls[SERVERS];

		for (size_t i = 0; i < server_count; i++) {
			polls[i] = (struct pollfd){ .fd = servers[i].owed ? servers[i].redis->fd : -1,
				.events = POLLIN };
		}
		poll(polls, server_count, -1);
		for (size_t i = 0; i < server_count; i++) {
			answered += polls[i].revents && read_from(&servers[i]);
		}
	}
}

static void acquire_majority(void)
{
	struct command command;

	next_token();
	make_acquire(&command);
	for (size_t i = 0; i < server_count; i++) {
		servers[i].asked = servers[i].owed < OWED;
		if (servers[i].asked) {
			send_to(&servers[i], &command);
		}
	}
	await_majority();
}

static void release_majority(void)
{
	for (size_t i = 0; i < server_count; i++) {
		struct command command;

		make_release(&command, "0"); /* the answer that told the fence may still be on its way */
		if (servers[i].asked) {
			send_to(&servers[i], &command);
		}
	}
	await_majority();
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

static const char check_and_push[] =
	"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('RPUSH', KEYS[2], ARGV[1]) end return 0";
static char check_and_push_sha1[41], owner_key[512];

static void prepare_check(void)
{
	load(check_and_push, strlen(check_and_push), check_and_push_sha1);
	snprintf(owner_key, sizeof owner_key, "%s:owner", key);
	freeReplyObject(checked(redisCommand(redis, "SET %s 1", owner_key)));
}

static void check_and_pass_on(void)
{
	freeReplyObject(
		checked(redisCommand(redis, "EVALSHA %s 2 %s %s 1", check_and_push_sha1, owner_key, key)));
}

/* ==== turns ==== */

static const struct floor floors[] = {
	{ "ping", NULL, ping, ping },
	{ "set", prepare_set, set, unset },
	{ "scripts", prepare_scripts, acquire, release },
	{ "majority", prepare_majority, acquire_majority, release_majority },
	{ "wake", NULL, await_wake, pass_on },
	{ "wake-check", prepare_check, await_wake, check_and_pass_on },
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

static void connect_all(char *addresses)
{
	for (char *address = strtok(addresses, ","); address; address = strtok(NULL, ",")) {
		redisContext *opened = address[0] == '/' ? redisConnectUnix(address)
												 : redisConnect("127.0.0.1", atoi(address));

		if (server_count == SERVERS || !opened || opened->err) {
			fail("cannot connect");
		}
		servers[server_count++].redis = opened;
	}
	redis = servers[0].redis;
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
			connect_all(argv[2]);
			if (floor->prepare) {
				floor->prepare();
			}
		}
		take_turns(floor, count, until, hold_us);
	}
	for (size_t i = 0; i < server_count; i++) {
		redisFree(servers[i].redis);
	}
	return 0;
}
