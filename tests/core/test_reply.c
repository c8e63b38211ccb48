/*
 * Error replies: their own words and code, whatever the server's version puts around them.
 */
#include "testing.h"

#include "../../src/redis/reply.h"

static void error_says_its_own_words(void **state)
{
	static const struct {
		const char *reply, *code, *words;
	} cases[] = {
		{ "READONLY You can't write", "READONLY", "READONLY You can't write" },
		{ "NOAUTH", "NOAUTH", "NOAUTH" },
		{ "", "", "" },
		/* 6.2 */
		{ "ERR Error running script (call to f_0a): @user_script:1: -OOM command not allowed",
			"OOM", "OOM command not allowed" },
		{ "ERR Error running script (call to f_0a): @user_script:12: @user_script: 12: Wrong number of args",
			"Wrong", "Wrong number of args" },
		/* 7.0 and later */
		{ "OOM command not allowed. script: 0a, on @user_script:1.", "OOM",
			"OOM command not allowed." },
		/* denied by an ACL inside a script */
		{ "ERR The user executing the script can't run this command or subcommand script: 0a, on @user_script:1.",
			"NOPERM", "ERR The user executing the script can't run this command or subcommand" },
		{ "ERR unknown command 'EVALSHA', with args beginning with: '0a' '4' 'lock@job' 'a token' ",
			"ERR", "ERR unknown command 'EVALSHA'" },
		{ "ERR ACL failure in script: User x has no permissions to run the 'mget' command script: 0a, on @user_script:1.",
			"NOPERM",
			"ERR ACL failure in script: User x has no permissions to run the 'mget' command" },
		{ "NOPERM No permissions to access a key", "NOPERM",
			"NOPERM No permissions to access a key" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rl_reply reply = {
			.type = RL_REPLY_ERROR, .text = (char *)cases[i].reply, .length = strlen(cases[i].reply)
		};
		char code[32];
		size_t length;
		const char *words = rl_reply_error_words(&reply, &length);

		rl_reply_error_code(&reply, code, sizeof code);
		assert_string_equal(code, cases[i].code);
		assert_int_equal(length, strlen(cases[i].words));
		assert_memory_equal(words, cases[i].words, length);
	}
}

/* H1: however many they are, and each of them is short enough. */
static void texts_do_not_add_up_without_end(void **state)
{
	enum {
		SIZE = RL_REPLY_MAX_BYTES - 100
	};
	struct rl_reply_space space = { .used = 0 };
	redisReader *reader = redisReaderCreate();
	char *text = malloc(SIZE), head[32];
	void *reply = NULL;
	int read = 0;

	assert_non_null(reader);
	assert_non_null(text);
	memset(text, 'x', SIZE);
	rl_reply_attach(reader, &space);
	rl_reply_allow(&space, 1000);
	redisReaderFeed(reader, "*1000\r\n", 7);
	snprintf(head, sizeof head, "$%d\r\n", SIZE);
	while (redisReaderGetReply(reader, &reply) == REDIS_OK) {
		assert_null(reply);
		assert_in_range(++read, 1, 20);
		redisReaderFeed(reader, head, strlen(head));
		redisReaderFeed(reader, text, SIZE);
		redisReaderFeed(reader, "\r\n", 2);
	}
	assert_true(read > 2);
	redisReaderFree(reader);
	rl_reply_reset(&space);
	free(text);
}

/* An answer for which nobody waits any more may be half there when a larger one is asked for. */
static void more_may_be_allowed_within_a_reply(void **state)
{
	struct rl_reply_space space = { .used = 0 };
	redisReader *reader = redisReaderCreate();
	void *reply = NULL;

	assert_non_null(reader);
	rl_reply_attach(reader, &space);
	redisReaderFeed(reader, "*2\r\n:1\r\n", 8);
	assert_int_equal(redisReaderGetReply(reader, &reply), REDIS_OK);
	assert_null(reply);
	rl_reply_allow(&space, 1000);
	redisReaderFeed(reader, ":2\r\n", 4);
	assert_int_equal(redisReaderGetReply(reader, &reply), REDIS_OK);
	assert_non_null(reply);
	assert_int_equal(((struct rl_reply *)reply)->count, 2);
	assert_int_equal(((struct rl_reply *)reply)->elements[0].integer, 1);
	assert_int_equal(((struct rl_reply *)reply)->elements[1].integer, 2);
	redisReaderFree(reader);
	rl_reply_reset(&space);
}

int test_reply(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_says_its_own_words),
		cmocka_unit_test(texts_do_not_add_up_without_end),
		cmocka_unit_test(more_may_be_allowed_within_a_reply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
