#define _GNU_SOURCE
#include "script_rig.h"

#include <inttypes.h>
#include <sys/time.h>
#include <time.h>

struct rig rig;

static const struct rl_script *const scripts[] = {
	&rl_script_acquire, &rl_script_claim, &rl_script_release, &rl_script_extend, &rl_script_inspect,
	&rl_script_replace, &rl_script_break
};

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
	for (size_t i = 0; i < COUNT(scripts); i++) {
		redisReply *reply = command(rig.redis, "SCRIPT LOAD %b", scripts[i]->text, scripts[i]->length);

		assert_string_equal(reply->str, scripts[i]->sha1);
		freeReplyObject(reply);
	}
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

/* ---------------------------------------------------------------- costs */

void cost_begin(void)
{
	run("CONFIG RESETSTAT");
}

static int compare_lines(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

void assert_cost(const char *expected)
{
	char *text = info("commandstats"), *rest = NULL;
	char *lines[32];
	char actual[512] = "";
	size_t count = 0;

	for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "cmdstat_", 8) != 0 || strncmp(line, "cmdstat_evalsha:", 16) == 0
			|| strncmp(line, "cmdstat_config", 14) == 0 || strncmp(line, "cmdstat_info:", 13) == 0
			|| strncmp(line, "cmdstat_blpop:", 14) == 0) {
			continue;
		}
		*colon = '\0';
		assert_true(count < COUNT(lines));
		assert_true(asprintf(&lines[count++], "%s %d", line + 8, atoi(colon + 1 + strlen("calls="))) > 0);
	}
	qsort(lines, count, sizeof lines[0], compare_lines);
	for (size_t i = 0; i < count; i++) {
		size_t used = strlen(actual);

		snprintf(actual + used, sizeof actual - used, "%s%s", i ? ", " : "", lines[i]);
		free(lines[i]);
	}
	free(text);
	assert_string_equal(actual, expected);
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

struct rl_text text_of(const char *text)
{
	return (struct rl_text){ text, strlen(text) };
}

int64_t fence_in(const char *baton)
{
	const char *colon = strrchr(baton, ':');

	assert_non_null(colon);
	return strtoll(colon + 1, NULL, 10);
}

/* ---------------------------------------------------------------- scripts */

static void add_text(struct script_call *call, struct rl_text text)
{
	call->words[call->count] = text.data;
	call->lengths[call->count++] = text.length;
}

static void add_number(struct script_call *call, int64_t value)
{
	char *text = call->numbers[call->count];

	snprintf(text, sizeof call->numbers[0], "%" PRId64, value);
	add_text(call, text_of(text));
}

static void begin(struct script_call *call, const struct rl_script *script, int keys)
{
	call->count = 0;
	add_text(call, text_of("EVALSHA"));
	add_text(call, text_of(script->sha1));
	add_number(call, keys);
	for (int i = 0; i < keys; i++) {
		add_text(call, (struct rl_text){ KEY(i) });
	}
}

void make_acquire(struct script_call *call, struct rl_text token, int64_t lease_ms, int64_t flag_ms)
{
	begin(call, &rl_script_acquire, 4);
	add_text(call, token);
	add_number(call, lease_ms);
	add_number(call, lease_ms + GRACE);
	add_number(call, 0); /* until: whenever it comes */
	add_number(call, flag_ms);
}

void make_claim(struct script_call *call, struct rl_text token, const char *baton, int64_t lease_ms)
{
	begin(call, &rl_script_claim, 2);
	add_text(call, token);
	add_text(call, text_of(baton));
	add_number(call, fence_in(baton));
	add_number(call, lease_ms);
	add_number(call, lease_ms + GRACE);
}

void make_release(struct script_call *call, struct rl_text token, int64_t fence, const char *baton,
	int64_t delay_ms)
{
	begin(call, &rl_script_release, 4);
	add_text(call, token);
	add_number(call, fence);
	add_text(call, text_of(baton));
	add_number(call, WINDOW);
	add_number(call, WINDOW + GRACE);
	add_number(call, delay_ms);
}

void make_extend(struct script_call *call, struct rl_text token, int64_t fence, int64_t lease_ms, enum rl_extend how)
{
	static int64_t serial;

	begin(call, &rl_script_extend, 2);
	add_text(call, token);
	add_number(call, fence);
	add_number(call, lease_ms);
	add_number(call, GRACE);
	add_number(call, ++serial);
	add_number(call, how);
	add_number(call, 0);
}

void make_inspect(struct script_call *call)
{
	begin(call, &rl_script_inspect, 4);
}

void make_replace(struct script_call *call, struct rl_text old_token, struct rl_text new_token, int64_t lease_ms,
	const char *fence)
{
	begin(call, &rl_script_replace, 2);
	add_text(call, old_token);
	add_text(call, new_token);
	add_number(call, lease_ms);
	add_number(call, GRACE);
	add_text(call, text_of(fence));
	add_number(call, 0);
}

void make_break(struct script_call *call, struct rl_text seen, const char *baton)
{
	begin(call, &rl_script_break, 4);
	add_text(call, seen);
	add_text(call, text_of(baton));
	add_number(call, WINDOW);
	add_number(call, GRACE);
	add_number(call, 0);
}

void script_send(redisContext *redis, const struct script_call *call)
{
	int done = 0;

	assert_int_equal(redisAppendCommandArgv(redis, call->count, (const char **)call->words, call->lengths), REDIS_OK);
	while (!done) {
		assert_int_equal(redisBufferWrite(redis, &done), REDIS_OK);
	}
}

static redisReply *read_reply(redisContext *redis)
{
	void *reply = NULL;

	if (redisGetReply(redis, &reply) != REDIS_OK) {
		fail_msg("no answer: %s", redis->errstr);
	}
	return reply;
}

struct answer script_read(redisContext *redis)
{
	redisReply *reply = read_reply(redis);
	struct answer answer = { 0 };

	if (reply->type == REDIS_REPLY_ERROR) {
		snprintf(answer.error, sizeof answer.error, "%s", reply->str);
	} else if (reply->type == REDIS_REPLY_INTEGER) {
		answer.code = reply->integer;
	} else {
		assert_int_equal(reply->type, REDIS_REPLY_ARRAY);
		assert_in_range(reply->elements, 2, 6);
		assert_int_equal(reply->element[0]->type, REDIS_REPLY_INTEGER);
		assert_int_equal(reply->element[1]->type, REDIS_REPLY_INTEGER);
		answer.code = reply->element[0]->integer;
		answer.value = reply->element[1]->integer;
	}
	freeReplyObject(reply);
	return answer;
}

struct answer script_run(redisContext *redis, const struct script_call *call)
{
	struct answer answer;

	script_send(redis, call);
	answer = script_read(redis);
	if (strcmp(call->words[1], rl_script_acquire.sha1) == 0 && answer.code > 0) {
		answer = (struct answer){ .code = 1, .value = answer.code }; /* a grant is answered by its fence alone */
	}
	return answer;
}

static struct answer run_well(redisContext *redis, const struct script_call *call)
{
	struct answer answer = script_run(redis, call);

	assert_string_equal(answer.error, "");
	return answer;
}

struct answer acquire_on(redisContext *redis, const char *token, int64_t lease_ms, int64_t flag_ms)
{
	struct script_call call;

	make_acquire(&call, text_of(token), lease_ms, flag_ms);
	return run_well(redis, &call);
}

long long release_on(redisContext *redis, const char *token, int64_t fence, const char *baton, int64_t delay_ms)
{
	struct script_call call;

	make_release(&call, text_of(token), fence, baton, delay_ms);
	return run_well(redis, &call).code;
}

long long claim_on(redisContext *redis, const char *token, const char *baton)
{
	struct script_call call;

	make_claim(&call, text_of(token), baton, LEASE);
	return run_well(redis, &call).code;
}

int64_t take(const char *token)
{
	struct answer answer = acquire_on(rig.redis, token, LEASE, 0);

	assert_int_equal(answer.code, 1);
	return answer.value;
}

long long ask(int64_t flag_ms)
{
	struct answer answer = acquire_on(rig.redis, new_token().text, LEASE, flag_ms);

	assert_int_equal(answer.code, 0);
	return answer.value;
}

long long give_back(const char *token, int64_t fence)
{
	return release_on(rig.redis, token, fence, new_baton().text, 0);
}

static long long extend_with(const char *token, int64_t fence, enum rl_extend how)
{
	struct script_call call;

	make_extend(&call, text_of(token), fence, LEASE, how);
	return run_well(rig.redis, &call).code;
}

long long extend(const char *token, int64_t fence)
{
	return extend_with(token, fence, RL_EXTEND_ANEW);
}

long long extend_again(const char *token, int64_t fence)
{
	return extend_with(token, fence, RL_EXTEND_AGAIN);
}

long long claim(const char *token, const char *baton)
{
	return claim_on(rig.redis, token, baton);
}

struct inspection inspect(redisContext *redis)
{
	struct inspection result = { 0 };
	struct script_call call;
	redisReply *reply;

	make_inspect(&call);
	script_send(redis, &call);
	reply = read_reply(redis);
	assert_int_equal(reply->type, REDIS_REPLY_ARRAY);
	assert_int_equal(reply->elements, 4);
	if (reply->element[0]->type == REDIS_REPLY_STRING) {
		result.has_value = true;
		result.length = (size_t)reply->element[0]->len;
		result.value = calloc(1, result.length + 1);
		assert_non_null(result.value);
		memcpy(result.value, reply->element[0]->str, result.length);
	} else {
		assert_int_equal(reply->element[0]->type, REDIS_REPLY_NIL);
	}
	assert_int_equal(reply->element[1]->type, REDIS_REPLY_INTEGER);
	result.left = reply->element[1]->integer;
	if (reply->element[2]->type == REDIS_REPLY_STRING) {
		result.fence = strtoll(reply->element[2]->str, NULL, 10);
	} else {
		assert_int_equal(reply->element[2]->type, REDIS_REPLY_NIL);
	}
	assert_int_equal(reply->element[3]->type, REDIS_REPLY_INTEGER);
	result.waiting = reply->element[3]->integer;
	freeReplyObject(reply);
	return result;
}

struct replaced replace(const char *old_token, const char *new_token, int64_t lease_ms, const char *fence)
{
	struct replaced result = { 0 };
	struct script_call call;
	redisReply *reply;

	make_replace(&call, text_of(old_token), text_of(new_token), lease_ms, fence);
	script_send(rig.redis, &call);
	reply = read_reply(rig.redis);
	assert_int_equal(reply->type, REDIS_REPLY_ARRAY);
	assert_true(reply->elements == 1 || reply->elements == 3);
	result.code = reply->element[0]->integer;
	if (reply->elements == 3) {
		assert_int_equal(reply->element[1]->type, REDIS_REPLY_STRING);
		snprintf(result.fence, sizeof result.fence, "%s", reply->element[1]->str);
		assert_int_equal(reply->element[2]->type, REDIS_REPLY_INTEGER);
		result.left = reply->element[2]->integer;
	}
	freeReplyObject(reply);
	return result;
}

long long break_lock(const char *seen, const char *baton)
{
	struct script_call call;

	make_break(&call, text_of(seen), baton);
	return run_well(rig.redis, &call).code;
}

long long break_grant(const char *seen, int64_t fence, const char *baton)
{
	struct script_call call;

	make_break(&call, text_of(seen), baton);
	add_number(&call, fence);
	return run_well(rig.redis, &call).code;
}

void inspection_free(struct inspection *inspection)
{
	free(inspection->value);
	*inspection = (struct inspection){ 0 };
}

/* ---------------------------------------------------------------- waiters */

void park_on(redisContext *waiter)
{
	int before = parked_clients();
	int done = 0;

	assert_int_equal(acquire_on(waiter, new_token().text, LEASE, FLAG).code, 0);
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
	redisReply *reply = read_reply(waiter);
	struct value baton;

	assert_int_equal(reply->type, REDIS_REPLY_ARRAY);
	assert_int_equal(reply->elements, 2);
	assert_int_equal(reply->element[0]->len, rig.keys.length[RL_KEY_WAKE]);
	assert_memory_equal(reply->element[0]->str, rig.keys.text[RL_KEY_WAKE], rig.keys.length[RL_KEY_WAKE]);
	assert_true(reply->element[1]->len < (int)sizeof baton.text);
	memcpy(baton.text, reply->element[1]->str, (size_t)reply->element[1]->len + 1);
	freeReplyObject(reply);
	return baton;
}
