#define _GNU_SOURCE
#include "server_rig.h"

#include <sys/time.h>

#include "lock/scripts.h"

struct rig rig;

/* ---------------------------------------------------------------- the server */

static redisReply *command_list(redisContext *redis, const char *format, va_list arguments)
{
	redisReply *reply = redisvCommand(redis, format, arguments);

	if (!reply) {
		fail_msg("%s: no answer: %s", format, redis->errstr);
	}
	return reply;
}

redisReply *command(redisContext *redis, const char *format, ...)
{
	va_list arguments;
	redisReply *reply;

	va_start(arguments, format);
	reply = command_list(redis, format, arguments);
	va_end(arguments);
	return reply;
}

void run(const char *format, ...)
{
	va_list arguments;
	redisReply *reply;

	va_start(arguments, format);
	reply = command_list(rig.redis, format, arguments);
	va_end(arguments);
	if (reply->type == REDIS_REPLY_ERROR) {
		fail_msg("%s: %s", format, reply->str);
	}
	freeReplyObject(reply);
}

long long number(const char *format, ...)
{
	va_list arguments;
	redisReply *reply;
	long long result;

	va_start(arguments, format);
	reply = command_list(rig.redis, format, arguments);
	va_end(arguments);
	assert_int_equal(reply->type, REDIS_REPLY_INTEGER);
	result = reply->integer;
	freeReplyObject(reply);
	return result;
}

static redisContext *rig_connect(void)
{
	redisContext *redis = redisConnectUnix(rig.server.socket);

	assert_non_null(redis);
	assert_int_equal(redis->err, 0);
	redisSetTimeout(redis, (struct timeval){ .tv_sec = 10 });
	return redis;
}

redisContext *rig_connect_as(const char *name, const char *rights)
{
	redisContext *redis = rig_connect();
	char *line = NULL;
	redisReply *reply;

	assert_true(asprintf(&line, "ACL SETUSER %s reset on nopass ~* &* %s", name, rights) > 0);
	run(line);
	free(line);
	reply = command(redis, "AUTH %s x", name);
	assert_int_equal(reply->type, REDIS_REPLY_STATUS);
	freeReplyObject(reply);
	return redis;
}

static const struct rl_script *const scripts[] = {
	&rl_script_acquire, &rl_script_extend, &rl_script_release, &rl_script_inspect
};

int rig_start(void **state)
{
	memset(&rig, 0, sizeof rig);
	assert_true(throwaway_start(&rig.server, false, NULL));
	rig.redis = rig_connect();
	/* so that a call is one request from the first on */
	for (size_t i = 0; i < COUNT(scripts); i++) {
		run("SCRIPT LOAD %b", scripts[i]->text, scripts[i]->length);
	}
	assert_true(rl_keys_make(&rig.keys, NAME("lock@"), NAME("job")) && rl_keys_share(&rig.keys));
	return 0;
}

int rig_stop(void **state)
{
	rl_keys_free(&rig.keys);
	redisFree(rig.redis);
	throwaway_stop(&rig.server);
	return 0;
}

int rig_reset(void **state)
{
	/* Whatever a test left when it failed. */
	run("REPLICAOF NO ONE");
	run("CONFIG SET maxmemory 0");
	run("CONFIG SET min-replicas-to-write 0");
	run("CONFIG SET maxclients 1000");
	run("CLIENT KILL TYPE normal SKIPME yes");
	run("FLUSHALL");
	return 0;
}

/* ---------------------------------------------------------------- keys */

bool rig_exists(enum rl_key key)
{
	return number("EXISTS %b", KEY(key)) == 1;
}

void assert_holds(enum rl_key key, const char *value)
{
	redisReply *reply = command(rig.redis, "GET %b", KEY(key));

	assert_int_equal(reply->type, REDIS_REPLY_STRING);
	assert_string_equal(reply->str, value);
	freeReplyObject(reply);
}

void assert_lives(enum rl_key key, long long ms)
{
	assert_in_range(number("PTTL %b", KEY(key)), ms - PATIENCE_MS, ms);
}

int64_t stored_fence(void)
{
	redisReply *reply = command(rig.redis, "GET %b", KEY(RL_KEY_FENCE));
	int64_t fence;

	assert_int_equal(reply->type, REDIS_REPLY_STRING);
	fence = strtoll(reply->str, NULL, 10);
	freeReplyObject(reply);
	return fence;
}

int parked_clients(void)
{
	redisReply *reply = command(rig.redis, "INFO clients");
	const char *line = strstr(reply->str, "blocked_clients:");
	int parked;

	assert_non_null(line);
	parked = atoi(line + strlen("blocked_clients:"));
	freeReplyObject(reply);
	return parked;
}

void await_parked(int clients)
{
	for (int tries = 0; parked_clients() != clients; tries++) {
		if (tries == 5000) {
			fail_msg("There were never %d parked clients", clients);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

/* ---------------------------------------------------------------- waiters */

redisContext *park(void)
{
	redisContext *waiter = rig_connect();
	int before = parked_clients();
	int done = 0;

	run("SET %b 1 PX %d", KEY(RL_KEY_WAITING), LEASE);
	assert_int_equal(redisAppendCommand(waiter, "BLPOP %b 60", KEY(RL_KEY_WAKE)), REDIS_OK);
	while (!done) {
		assert_int_equal(redisBufferWrite(waiter, &done), REDIS_OK);
	}
	await_parked(before + 1);
	return waiter;
}

struct word read_word(redisContext *waiter)
{
	void *answer = NULL;
	redisReply *reply;
	struct word word;

	assert_int_equal(redisGetReply(waiter, &answer), REDIS_OK);
	reply = answer;
	assert_int_equal(reply->type, REDIS_REPLY_ARRAY);
	assert_int_equal(reply->elements, 2);
	assert_true(reply->element[1]->len < sizeof word.text);
	memcpy(word.text, reply->element[1]->str, reply->element[1]->len + 1);
	freeReplyObject(reply);
	return word;
}

void pass_on(struct word baton)
{
	redisReply *reply = command(rig.redis, "EVAL %s 4 %b %b %b %b %s 0 ~00 0",
		rl_script_release.text, KEY(RL_KEY_LOCK), KEY(RL_KEY_FENCE), KEY(RL_KEY_WAITING),
		KEY(RL_KEY_WAKE), baton.text);

	assert_int_equal(reply->type, REDIS_REPLY_INTEGER);
	freeReplyObject(reply);
}
