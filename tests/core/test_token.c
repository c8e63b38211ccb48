#include "testing.h"
#include "faults.h"

#include <regex.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lock/token.h"

static bool matches(const char *text, const char *pattern)
{
	regex_t regex;
	bool ok;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
		return false;
	}
	ok = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	return ok;
}

static struct rl_token made(struct rl_text name, struct rl_text metadata, bool nobody)
{
	struct rl_token token;
	struct rl_error error;

	assert_int_equal(rl_token_make(&token, name, metadata, nobody, &error), RL_OK);
	assert_int_equal(token.text[token.length], '\0');
	return token;
}

static void token_says_who_and_is_random(void **state)
{
	struct rl_token one = made(NO_TEXT, NO_TEXT, false), two = made(NO_TEXT, NO_TEXT, false);
	char pattern[64];

	snprintf(pattern, sizeof pattern, "^rlock1:[0-9a-f]{32}:[^:]{1,64}:%ld$", (long)getpid());
	assert_true(matches(one.text, pattern));
	assert_int_equal(one.metadata_offset, 0);
	assert_int_equal(one.head_length, 7 + RL_RANDOM_HEX + 1);
	assert_int_equal(one.length, two.length);
	assert_memory_not_equal(one.text + 7, two.text + 7, RL_RANDOM_HEX);
	assert_string_equal(one.text + one.head_length, two.text + two.head_length);
	rl_token_free(&one);
	rl_token_free(&two);
}

static void check_metadata(struct rl_text name, struct rl_text metadata)
{
	struct rl_token token = made(name, metadata, false);
	struct rl_value value = rl_token_read_value(rl_token_text(&token));

	assert_int_equal(value.kind, name.data ? RL_VALUE_DETACHED : RL_VALUE_TOKEN);
	assert_true(rl_text_is(value.token, rl_token_head(&token)));
	assert_int_equal(value.metadata.data != NULL, metadata.data != NULL);
	if (metadata.data) {
		assert_true(rl_text_is(value.metadata, metadata));
		assert_true(rl_text_is(rl_token_metadata(&token), metadata));
		assert_int_equal(rl_token_holder(&token).length, token.length - metadata.length - 1);
	} else {
		assert_null(rl_token_metadata(&token).data);
		assert_int_equal(rl_token_holder(&token).length, token.length);
	}
	rl_token_free(&token);
}

static void token_carries_any_metadata(void **state)
{
	char *large = malloc(RL_METADATA_MAX), name[RL_HOLDER_MAX];
	struct rl_text names[] = { NO_TEXT, NAME("me"), { name, sizeof name } };

	memset(large, ':', RL_METADATA_MAX);
	memset(name, 0xff, sizeof name);
	for (size_t i = 0; i < COUNT(names); i++) {
		check_metadata(names[i], NO_TEXT);
		check_metadata(names[i], NAME(""));
		check_metadata(names[i], NAME("job 7"));
		check_metadata(names[i], (struct rl_text){ "a\0:b\n\xff", 6 });
		check_metadata(names[i], (struct rl_text){ large, RL_METADATA_MAX });
	}
	free(large);
}

static void token_on_its_way_names_nobody(void **state)
{
	struct rl_token token = made(NO_TEXT, NAME("job"), true);

	assert_true(matches(token.text, "^rlock1:[0-9a-f]{32}:::job$"));
	rl_token_free(&token);
}

static void token_of_a_detached_lock_is_its_name(void **state)
{
	struct rl_token token = made((struct rl_text){ "a:\0\xff", 4 }, NAME("x"), false), other;
	struct rl_error error;
	char pattern[96];

	snprintf(
		pattern, sizeof pattern, "^rlock1@613a00ff:[0-9a-f]{32}:[^:]{1,64}:%ld:x$", (long)getpid());
	assert_true(matches(token.text, pattern));
	assert_true(rl_token_is_detached(&token));
	assert_true(rl_text_equals(rl_token_head(&token), "rlock1@613a00ff:"));
	assert_int_equal(rl_token_own(&token).length, token.head_length + RL_RANDOM_HEX + 1);

	assert_int_equal(rl_token_make_like(&other, &token, &error), RL_OK);
	assert_true(rl_text_is(rl_token_head(&other), rl_token_head(&token)));
	assert_false(rl_text_is(rl_token_own(&other), rl_token_own(&token)));
	assert_string_equal(
		other.text + rl_token_own(&other).length, token.text + rl_token_own(&token).length);
	rl_token_free(&token);
	rl_token_free(&other);
}

static bool is_named_as_this_process(void *context)
{
	struct rl_token token;
	struct rl_error error;
	char pattern[64];
	bool ok;

	snprintf(pattern, sizeof pattern, "^rlock1:[0-9a-f]{32}:[^:]+:%ld$", (long)getpid());
	ok = rl_token_make(&token, NO_TEXT, NO_TEXT, false, &error) == RL_OK
		&& matches(token.text, pattern);
	rl_token_free(&token);
	return ok;
}

static void token_of_a_child_names_the_child(void **state)
{
	assert_true(is_named_as_this_process(NULL));
	assert_true(in_child(is_named_as_this_process, NULL));
}

struct host {
	const char *name, *expected;
};

/* In a child, since a process asks for its name once. */
static bool is_named_on_host(void *context)
{
	const struct host *host = context;
	struct rl_token token;
	struct rl_error error;
	char end[256];
	bool ok;

	faults_hostname(host->name);
	snprintf(end, sizeof end, "%s:%ld:x", host->expected, (long)getpid());
	ok = rl_token_make(&token, NO_TEXT, NAME("x"), false, &error) == RL_OK
		&& strcmp(token.text + token.head_length, end) == 0
		&& rl_token_read_value(rl_token_text(&token)).kind == RL_VALUE_TOKEN;
	rl_token_free(&token);
	return ok;
}

static void token_has_a_host_without_odd_bytes(void **state)
{
#define SIXTEEN "0123456789abcdef"
	struct host hosts[] = {
		{ "web-1.example.org", "web-1.example.org" },
		{ "a:b \n\x7f\xc3\xa9", "a_b_____" },
		{ SIXTEEN SIXTEEN SIXTEEN SIXTEEN "more", SIXTEEN SIXTEEN SIXTEEN SIXTEEN },
		{ "", "unknown" },
	};
#undef SIXTEEN

	for (size_t i = 0; i < COUNT(hosts); i++) {
		assert_true(in_child(is_named_on_host, &hosts[i]));
	}
}

static bool says_that_nothing_is_random(void *context)
{
	struct rlimit no_more = { 0, 0 };
	struct rl_token token;
	struct rl_error error;

	faults_no_getentropy(true);
	setrlimit(RLIMIT_NOFILE, &no_more);
	return rl_token_make(&token, NO_TEXT, NO_TEXT, false, &error) == RL_MISUSE
		&& strstr(error.message, "randomness");
}

static void token_is_not_made_without_randomness_or_memory(void **state)
{
	struct rl_token token;
	struct rl_error error;

	assert_true(in_child(says_that_nothing_is_random, NULL));
	faults_memory(0);
	assert_int_equal(rl_token_make(&token, NO_TEXT, NO_TEXT, false, &error), RL_NO_MEMORY);
	assert_true(faults_memory_struck());
	assert_string_not_equal(error.message, "");
}

static void baton_has_the_tokens_random_part(void **state)
{
	struct rl_text names[] = { NO_TEXT, NAME("ffffffffffffffffffffffffffffffffffffff") };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct rl_token token = made(names[i], NO_TEXT, false);
		struct rl_text own = rl_token_own(&token);
		char baton[RL_BATON_SIZE];

		rl_token_baton(&token, baton);
		assert_true(matches(baton, "^~[0-9a-f]{32}$"));
		assert_memory_equal(baton + 1, own.data + own.length - 1 - RL_RANDOM_HEX, RL_RANDOM_HEX);
		rl_token_free(&token);
	}
}

#define HEX   "0123456789abcdef0123456789abcdef"
#define UPPER "0123456789ABCDEF0123456789ABCDEF"

static void value_is_told_apart(void **state)
{
	static const struct {
		const char *value;
		enum rl_value_kind kind;
		const char *owner, *metadata;
	} cases[] = {
		{ "rlock1:" HEX ":web1:42", RL_VALUE_TOKEN, "web1:42", NULL },
		{ "rlock1:" HEX ":web1:42:", RL_VALUE_TOKEN, "web1:42", "" },
		{ "rlock1:" HEX ":web1:42:job:7", RL_VALUE_TOKEN, "web1:42", "job:7" },
		{ "rlock1:" HEX "::", RL_VALUE_TOKEN, "", NULL },
		{ "rlock1:" HEX ":::job", RL_VALUE_TOKEN, "", "job" },
		{ "rlock1@00:" HEX ":web1:42", RL_VALUE_DETACHED, "web1:42", NULL },
		{ "rlock1@6d65:" HEX ":web1:42:job:7", RL_VALUE_DETACHED, "web1:42", "job:7" },
		{ "~" HEX, RL_VALUE_BATON, "", NULL },
		{ "~1700000000000000", RL_VALUE_BATON, "", NULL },
		{ "+shared", RL_VALUE_SHARED, "", NULL },
		{ "-~" HEX ":", RL_VALUE_COOLDOWN, "", NULL },
		{ "-~" HEX ":web1:42", RL_VALUE_COOLDOWN, "web1:42", NULL },
		{ "-~" HEX ":web1:42:", RL_VALUE_COOLDOWN, "web1:42", "" },
		{ "-~" HEX ":web1:42:job:7", RL_VALUE_COOLDOWN, "web1:42", "job:7" },
		{ "-~" HEX ":::", RL_VALUE_COOLDOWN, "", "" },

		{ "", RL_VALUE_FOREIGN, "", NULL },
		{ "r", RL_VALUE_FOREIGN, "", NULL },
		{ "6f1c3ab29be04d6d", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX ":", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX ":web1", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX ":web1:", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX ":web1:4x", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX ":web1:-4", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX "::42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX ":" HEX HEX "x:42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX "0:web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" UPPER ":web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock2:" HEX ":web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@6d65", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@6d65:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@6d65:" HEX "::", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@:" HEX ":web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@0:" HEX ":web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@0G:" HEX ":web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@6D65:" HEX ":web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@6d65:" HEX "0:web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "~", RL_VALUE_FOREIGN, "", NULL },
		{ "~" HEX "0", RL_VALUE_FOREIGN, "", NULL },
		{ "~" HEX ":1", RL_VALUE_FOREIGN, "", NULL },
		{ "~" UPPER, RL_VALUE_FOREIGN, "", NULL },
		{ "+shared ", RL_VALUE_FOREIGN, "", NULL },
		{ "-" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX "0:", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX ":web1", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX ":web1:", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX "::42", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX ":web1:4x", RL_VALUE_FOREIGN, "", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = strlen(cases[i].value);
		char *exact = exact_copy(cases[i].value, length);
		struct rl_value value = rl_token_read_value((struct rl_text){ exact, length });

		if (value.kind != cases[i].kind || !rl_text_equals(value.owner, cases[i].owner)) {
			fail_msg("%s: %d of \"%.*s\"", cases[i].value, (int)value.kind, (int)value.owner.length,
				value.owner.data);
		}
		assert_int_equal(value.metadata.data != NULL, cases[i].metadata != NULL);
		assert_true(!cases[i].metadata || rl_text_equals(value.metadata, cases[i].metadata));
		free(exact);
	}
	assert_int_equal(rl_token_read_value(NO_TEXT).kind, RL_VALUE_FOREIGN);
	/* A NUL is a byte like any other. */
	assert_int_equal(
		rl_token_read_value((struct rl_text){ "rlock1:" HEX ":a\0b:4", 7 + 32 + 6 }).kind,
		RL_VALUE_TOKEN);
}

int test_token(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(token_says_who_and_is_random),
		cmocka_unit_test(token_carries_any_metadata),
		cmocka_unit_test(token_on_its_way_names_nobody),
		cmocka_unit_test(token_of_a_detached_lock_is_its_name),
		cmocka_unit_test(token_of_a_child_names_the_child),
		cmocka_unit_test(token_has_a_host_without_odd_bytes),
		cmocka_unit_test(token_is_not_made_without_randomness_or_memory),
		cmocka_unit_test(baton_has_the_tokens_random_part),
		cmocka_unit_test(value_is_told_apart),
	};

	return cmocka_run_group_tests_name("token", tests, NULL, NULL);
}
