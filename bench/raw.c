/*
 * The floor of a pair: a plain blocking hiredis loop that sends acquire and release as the
 * extension does, with the same keys and arguments of the same sizes, and nothing else.
 *
 *     raw SOCKET|PORT KEY
 *
 * Reads a number N a line, does N pairs, answers the median time of one in ns. Any answer but
 * "ours" and "freed" ends it.
 */
#include "lock/keys.h"
#include "lock/scripts.h"

#include <hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LEASE  "30000"
#define GRACE  "3600000"
#define WINDOW "1000"
#define HEX    32

static redisContext *redis;
static struct rl_keys keys;
static char token[256];
static size_t token_length;
static uint64_t takes;

static void fail(const char *what)
{
	fprintf(stderr, "raw: %s\n", what);
	exit(1);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static redisReply *run(const struct rl_script *script, size_t arg_count, const char **args, const size_t *lengths)
{
	const char *argv[16] = { "EVALSHA", script->sha1, "4" };
	size_t sizes[16] = { 7, 40, 1 };
	redisReply *reply;

	for (size_t i = 0; i < RL_KEY_COUNT; i++) {
		argv[3 + i] = keys.text[i];
		sizes[3 + i] = keys.length[i];
	}
	memcpy(argv + 3 + RL_KEY_COUNT, args, arg_count * sizeof *args);
	memcpy(sizes + 3 + RL_KEY_COUNT, lengths, arg_count * sizeof *lengths);
	reply = redisCommandArgv(redis, (int)(3 + RL_KEY_COUNT + arg_count), argv, sizes);
	if (!reply) {
		fail(redis->errstr);
	}
	if (reply->type == REDIS_REPLY_ERROR) {
		fail(reply->str);
	}
	return reply;
}

static void pair(void)
{
	char hex[HEX + 1], baton[1 + HEX + 1], fence[24];
	redisReply *reply;

	snprintf(hex, sizeof hex, "%032" PRIx64, ++takes);
	memcpy(token + token_length - HEX, hex, HEX);
	reply = run(&rl_script_acquire, 4, (const char *[]){ token, LEASE, GRACE, "0" },
		(size_t[]){ token_length, strlen(LEASE), strlen(GRACE), 1 });
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 || reply->element[0]->integer != 1) {
		fail("the lock is taken");
	}
	int fence_length = snprintf(fence, sizeof fence, "%lld", reply->element[1]->integer);
	freeReplyObject(reply);

	snprintf(baton, sizeof baton, "~%s", hex);
	reply = run(&rl_script_release, 6, (const char *[]){ token, fence, baton, WINDOW, GRACE, "0" },
		(size_t[]){ token_length, (size_t)fence_length, 1 + HEX, strlen(WINDOW), strlen(GRACE), 1 });
	if (reply->type != REDIS_REPLY_INTEGER || reply->integer != 1) {
		fail("the lock was lost");
	}
	freeReplyObject(reply);
}

static void load(const struct rl_script *script)
{
	redisReply *reply = redisCommand(redis, "SCRIPT LOAD %b", script->text, script->length);

	if (!reply || reply->type != REDIS_REPLY_STRING || strcmp(reply->str, script->sha1) != 0) {
		fail("a script cannot be loaded");
	}
	freeReplyObject(reply);
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
	char host[65] = "", line[32];

	if (argc != 3) {
		fail("usage: raw SOCKET|PORT KEY");
	}
	redis = argv[1][0] == '/' ? redisConnectUnix(argv[1]) : redisConnect("127.0.0.1", atoi(argv[1]));
	if (!redis || redis->err) {
		fail("cannot connect");
	}
	gethostname(host, sizeof host - 1);
	token_length = (size_t)snprintf(token, sizeof token, "rlock1:%s:%ld:%032d", host, (long)getpid(), 0);
	if (!rl_keys_make(&keys, "lock@", 5, argv[2], strlen(argv[2]))) {
		fail("out of memory");
	}
	load(&rl_script_acquire);
	load(&rl_script_release);

	while (fgets(line, sizeof line, stdin)) {
		size_t count = strtoul(line, NULL, 10);
		int64_t *times = malloc((count + 1) * sizeof *times);

		if (!times) {
			fail("out of memory");
		}
		for (size_t i = 0; i < count; i++) {
			int64_t start = now();

			pair();
			times[i] = now() - start;
		}
		qsort(times, count, sizeof *times, compare);
		printf("%" PRId64 "\n", count ? times[count / 2] : 0);
		fflush(stdout);
		free(times);
	}
	rl_keys_free(&keys);
	redisFree(redis);
	return 0;
}
