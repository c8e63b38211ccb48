#define _GNU_SOURCE
#include "server_rig.h"

#include <sys/time.h>
#include <time.h>

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

redisContext *rig_connect(void)
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

void rig_use_lock(const char *name, size_t length)
{
	rl_keys_free(&rig.keys);
	assert_true(rl_keys_make(&rig.keys, NAME("lock@"), (struct rl_text){ name, length }));
	assert_true(rl_keys_share(&rig.keys));
}

void rig_start_with(const char *const *arguments, bool with_port)
{
	memset(&rig, 0, sizeof rig);
	assert_true(throwaway_start(&rig.server, with_port, arguments));
	rig.redis = rig_connect();
	rig_use_lock("job", 3);
}

int rig_start(void **state)
{
	rig_start_with(NULL, false);
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
	run("CLIENT KILL TYPE normal SKIPME yes");
	run("FLUSHALL");
	rig_use_lock("job", 3);
	return 0;
}

/* ---------------------------------------------------------------- keys */

bool rig_exists(enum rl_key key)
{
	return number("EXISTS %b", KEY(key)) == 1;
}

void rig_set(enum rl_key key, const char *value)
{
	run("SET %b %s", KEY(key), value);
}

void rig_expire(enum rl_key key)
{
	run("PEXPIREAT %b 1", KEY(key));
	assert_false(rig_exists(key));
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

void assert_fence(int64_t fence)
{
	assert_int_equal(stored_fence(), fence);
}

/* What INFO says of `section`; to be freed. */
static char *info(const char *section)
{
	redisReply *reply = command(rig.redis, "INFO %s", section);
	char *text;

	assert_true(reply->type == REDIS_REPLY_STRING);
	text = strdup(reply->str);
	assert_non_null(text);
	freeReplyObject(reply);
	return text;
}

int parked_clients(void)
{
	char *text = info("clients");
	const char *line = strstr(text, "blocked_clients:");
	int parked;

	assert_non_null(line);
	parked = atoi(line + strlen("blocked_clients:"));
	free(text);
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

/* ---------------------------------------------------------------- values */

static unsigned values_made;

struct value new_token(void)
{
	struct value value;

	snprintf(value.text, sizeof value.text, "rlock1:host:1:%032x", ++values_made);
	return value;
}

struct value new_baton(void)
{
	struct value value;

	snprintf(value.text, sizeof value.text, "~%032x", ++values_made);
	return value;
}

/* ---------------------------------------------------------------- waiters */

void park_on(redisContext *waiter)
{
	int before = parked_clients();
	int done = 0;

	run("SET %b \"\" PX %d", KEY(RL_KEY_WAITING), FLAG);
	assert_int_equal(redisAppendCommand(waiter, "BLPOP %b 60", KEY(RL_KEY_WAKE)), REDIS_OK);
	while (!done) {
		assert_int_equal(redisBufferWrite(waiter, &done), REDIS_OK);
	}
	await_parked(before + 1);
}

redisContext *park(void)
{
	redisContext *waiter = rig_connect();

	park_on(waiter);
	return waiter;
}

struct value read_baton(redisContext *waiter)
{
	redisReply *reply = NULL;
	struct value baton;

	assert_int_equal(redisGetReply(waiter, (void **)&reply), REDIS_OK);
	assert_int_equal(reply->type, REDIS_REPLY_ARRAY);
	assert_int_equal(reply->elements, 2);
	assert_int_equal(reply->element[0]->len, rig.keys.length[RL_KEY_WAKE]);
	assert_memory_equal(reply->element[0]->str, rig.keys.text[RL_KEY_WAKE], rig.keys.length[RL_KEY_WAKE]);
	assert_true(reply->element[1]->len < (int)sizeof baton.text);
	memcpy(baton.text, reply->element[1]->str, (size_t)reply->element[1]->len + 1);
	freeReplyObject(reply);
	return baton;
}
