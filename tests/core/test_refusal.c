/*
 * Which refusals pass by themselves, and how: the one list that all who try again or wait go by.
 */
#include "testing.h"

#include "redis/refusal.h"

static enum rl_refusal of(const char *words)
{
	struct rl_error error;

	rl_fail(&error, RL_REFUSED, "Redis at /redis.sock refused: %s", words);
	snprintf(error.code, sizeof error.code, "%.*s", (int)strcspn(words, " "), words);
	return rl_refusal_of(&error);
}

static void each_is_of_its_kind(void **state)
{
	static const struct {
		const char *words;
		enum rl_refusal refusal;
	} cases[] = {
		{ "OOM command not allowed when used memory > 'maxmemory'.", RL_REFUSAL_STARVES },
		{ "MISCONF Redis is configured to save RDB snapshots", RL_REFUSAL_STARVES },
		{ "BUSY Redis is busy running a script.", RL_REFUSAL_PASSES },
		{ "NOREPLICAS Not enough good replicas to write.", RL_REFUSAL_PASSES },
		{ "TRYAGAIN Multiple keys request during rehashing of slot", RL_REFUSAL_PASSES },
		{ "CLUSTERDOWN The cluster is down", RL_REFUSAL_PASSES },
		{ "ERR max number of clients reached", RL_REFUSAL_PASSES },
		{ "ERR Script attempted to access a non local key in a cluster node", RL_REFUSAL_PASSES },
		{ "LOADING Redis is loading the dataset in memory", RL_REFUSAL_MISPLACED },
		{ "MASTERDOWN Link with MASTER is down", RL_REFUSAL_MISPLACED },
		{ "READONLY You can't write against a read only replica.", RL_REFUSAL_MISPLACED },
		{ "UNBLOCKED force unblock from blocking operation", RL_REFUSAL_MISPLACED },
		{ "NOPERM this user has no permissions", RL_REFUSAL_LASTS },
		{ "WRONGPASS invalid username-password pair", RL_REFUSAL_LASTS },
		{ "NOAUTH Authentication required.", RL_REFUSAL_LASTS },
		{ "MOVED 1 127.0.0.1:1", RL_REFUSAL_LASTS }, /* the route knows what to do about it */
		{ "ERR unknown command", RL_REFUSAL_LASTS },
		{ "OOMPH", RL_REFUSAL_LASTS },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(of(cases[i].words), cases[i].refusal);
	}
}

/* But not a connection that ends later. */
static void to_be_turned_away_without_a_word_passes(void **state)
{
	struct rl_error error;

	rl_fail(&error, RL_UNREACHABLE, "Redis at /redis.sock closed the connection");
	assert_int_equal(rl_refusal_of(&error), RL_REFUSAL_LASTS);
	error.cause = RL_CAUSE_CLOSED;
	assert_int_equal(rl_refusal_of(&error), RL_REFUSAL_LASTS);
	error.cause = RL_CAUSE_TURNED_AWAY;
	assert_int_equal(rl_refusal_of(&error), RL_REFUSAL_PASSES);
}

/* Whoever wrote that into the connection, it was not rlock. */
static void what_others_have_sent_is_told_apart(void **state)
{
	static const struct {
		const char *words;
		bool of_others;
	} cases[] = {
		{ "ERR unknown command 'hello', with args beginning with: 'EVALSHA' ", true },
		{ "ERR unknown command `processing`, with args beginning with: ", true },
		{ "ERR unknown command ''", true },
		{ "ERR unknown command 'EVALS', with args beginning with: ", true },
		{ "ERR unknown command 'evalshas', with args beginning with: ", true },
		{ "ERR unknown command 'averyveryverylongword', with args beginning with: ", true },
		{ "ERR wrong number of arguments for 'get' command", true },
		{ "ERR unknown command 'EVALSHA', with args beginning with: '0' ", false },
		{ "ERR unknown command `EVAL`, with args beginning with: ", false },
		{ "ERR wrong number of arguments for 'client|setname' command", false },
		{ "ERR wrong number of arguments for 'blpop' command", false },
		{ "ERR unknown command", false }, /* a proxy's */
		{ "ERR unknown command hello", false },
		{ "ERR Error running script (call to f_0): @user_script:1: Unknown Redis command", false },
		{ "NOPERM User rlock has no permissions to run the 'get' command", false },
		{ "NOSCRIPT No matching script. Please use EVAL.", false },
		{ "LATE 1700000000000000", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_reply reply = { .type = RL_REPLY_ERROR,
			.text = (char *)cases[i].words,
			.length = strlen(cases[i].words) };

		if (rl_refusal_is_of_others(&reply) != cases[i].of_others) {
			fail_msg("%s", cases[i].words);
		}
		reply.type = RL_REPLY_STRING;
		assert_false(rl_refusal_is_of_others(&reply));
	}
}

int test_refusal(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_of_its_kind),
		cmocka_unit_test(to_be_turned_away_without_a_word_passes),
		cmocka_unit_test(what_others_have_sent_is_told_apart),
	};

	return cmocka_run_group_tests_name("refusal", tests, NULL, NULL);
}
