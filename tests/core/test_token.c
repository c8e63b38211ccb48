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

static bool equals(const char *text, size_t length, const char *expected)
{
	return length == strlen(expected) && memcmp(text, expected, length) == 0;
}

static void token_says_who_and_is_random(void **state)
{
	struct rl_token one, two;
	struct rl_error error;
	char pattern[64];

	assert_int_equal(rl_token_make(&one, NO_TEXT, false, &error), RL_OK);
	assert_int_equal(rl_token_make(&two, NO_TEXT, false, &error), RL_OK);
	snprintf(pattern, sizeof pattern, "^rlock1:[^:]{1,64}:%ld:[0-9a-f]{32}$", (long)getpid());
	assert_true(matches(one.text, pattern));
	assert_int_equal(strlen(one.text), one.length);
	assert_int_equal(one.metadata_offset, 0);
	assert_int_equal(one.length, two.length);
	assert_memory_equal(one.text, two.text, one.length - RL_RANDOM_HEX);
	assert_memory_not_equal(one.text + one.length - RL_RANDOM_HEX, two.text + two.length - RL_RANDOM_HEX, RL_RANDOM_HEX);
	rl_token_free(&one);
	rl_token_free(&two);
}

static void check_metadata(const char *metadata, size_t length)
{
	struct rl_token token;
	struct rl_error error;
	struct rl_value value;

	assert_int_equal(rl_token_make(&token, (struct rl_text){ metadata, length }, false, &error), RL_OK);
	value = rl_token_read_value(token.text, token.length);
	assert_int_equal(value.kind, RL_VALUE_TOKEN);
	assert_int_equal(token.text[token.length], '\0');
	if (metadata) {
		assert_ptr_equal(value.metadata, token.text + token.metadata_offset);
		assert_int_equal(value.metadata_length, length);
		assert_memory_equal(value.metadata, metadata, length);
		assert_int_equal(token.length, token.metadata_offset + length);
		assert_int_equal(token.text[token.metadata_offset - 1], ':');
	} else {
		assert_null(value.metadata);
		assert_int_equal(token.metadata_offset, 0);
	}
	rl_token_free(&token);
}

static void token_carries_any_metadata(void **state)
{
	char *large = malloc(RL_METADATA_MAX);

	memset(large, ':', RL_METADATA_MAX);
	check_metadata(NULL, 0);
	check_metadata("", 0);
	check_metadata("job 7", 5);
	check_metadata("a\0:b\n\xff", 6);
	check_metadata(large, RL_METADATA_MAX);
	free(large);
}

static void token_on_its_way_names_nobody(void **state)
{
	struct rl_token token;
	struct rl_error error;
	char baton[RL_BATON_SIZE];

	assert_int_equal(rl_token_make(&token, NAME("job"), true, &error), RL_OK);
	assert_true(matches(token.text, "^rlock1:::[0-9a-f]{32}:job$"));
	rl_token_baton(&token, baton);
	assert_memory_equal(baton + 1, token.text + 9, RL_RANDOM_HEX);
	rl_token_free(&token);
}

static void check_detached(struct rl_text name, struct rl_text metadata, const char *expected_holder)
{
	struct rl_token token, copy;
	struct rl_error error;
	struct rl_value value;
	char hex[RL_HOLDER_HEX], baton[RL_BATON_SIZE], other[RL_BATON_SIZE];
	struct rl_text holder = rl_token_encode_holder(hex, name);

	assert_true(!expected_holder || equals(holder.data, holder.length, expected_holder));
	assert_int_equal(rl_token_make_detached(&token, holder, metadata, &error), RL_OK);
	assert_true(token.length < 69999); /* what inspect shows of a value */
	assert_int_equal(token.text[token.length], '\0');
	value = rl_token_read_value(token.text, token.length);
	assert_int_equal(value.kind, RL_VALUE_DETACHED);
	assert_true(rl_text_is(value.holder, holder) && rl_text_is(rl_token_holder(&token), holder));
	assert_true(rl_token_is_detached(&token));
	assert_int_equal(value.metadata != NULL, metadata.data != NULL);
	if (metadata.data) {
		assert_true(rl_text_is(rl_token_metadata(&token), metadata));
		assert_true(rl_text_is((struct rl_text){ value.metadata, value.metadata_length }, metadata));
	}

	assert_int_equal(rl_token_copy(&copy, rl_token_text(&token), &error), RL_OK);
	assert_true(rl_text_is(rl_token_text(&copy), rl_token_text(&token)));
	assert_int_equal(copy.metadata_offset, token.metadata_offset);
	assert_int_equal(rl_token_renew(&copy, &error), RL_OK);
	assert_false(rl_text_is(rl_token_text(&copy), rl_token_text(&token)));
	rl_token_baton(&token, baton);
	rl_token_baton(&copy, other);
	assert_string_not_equal(baton, other);
	memcpy(strstr(copy.text, other + 1), baton + 1, RL_RANDOM_HEX); /* which is all that differs */
	assert_true(rl_text_is(rl_token_text(&copy), rl_token_text(&token)));
	rl_token_free(&token);
	rl_token_free(&copy);
}

static void token_of_a_detached_lock_has_its_holders_name(void **state)
{
	char *large = malloc(RL_METADATA_MAX), name[RL_HOLDER_MAX];
	struct rl_token token;
	struct rl_error error;
	char pattern[96];

	memset(large, ':', RL_METADATA_MAX);
	memset(name, 0xff, sizeof name);
	check_detached(NAME("me"), NO_TEXT, "6d65");
	check_detached(NAME("me"), NAME(""), "6d65");
	check_detached((struct rl_text){ "a:\0\xff", 4 }, NAME("job:7"), "613a00ff");
	check_detached((struct rl_text){ name, sizeof name }, (struct rl_text){ large, RL_METADATA_MAX }, NULL);
	free(large);

	assert_int_equal(rl_token_make_detached(&token, NAME("6d65"), NAME("x"), &error), RL_OK);
	snprintf(pattern, sizeof pattern, "^rlock1@6d65:[^:]{1,64}:%ld:[0-9a-f]{32}:x$", (long)getpid());
	assert_true(matches(token.text, pattern));
	rl_token_free(&token);
	assert_int_equal(rl_token_make(&token, NAME("x"), false, &error), RL_OK);
	assert_false(rl_token_is_detached(&token));
	assert_null(rl_token_holder(&token).data);
	rl_token_free(&token);
}

static bool is_named_as_this_process(void *context)
{
	struct rl_token token;
	struct rl_error error;
	char pattern[64];
	bool ok;

	snprintf(pattern, sizeof pattern, "^rlock1:[^:]+:%ld:", (long)getpid());
	ok = rl_token_make(&token, NO_TEXT, false, &error) == RL_OK && matches(token.text, pattern);
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
	char head[256];
	bool ok;

	faults_hostname(host->name);
	snprintf(head, sizeof head, "rlock1:%s:%ld:", host->expected, (long)getpid());
	ok = rl_token_make(&token, NAME("x"), false, &error) == RL_OK && strncmp(token.text, head, strlen(head)) == 0
		&& rl_token_read_value(token.text, token.length).kind == RL_VALUE_TOKEN;
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
	return rl_token_make(&token, NO_TEXT, false, &error) == RL_MISUSE && strstr(error.message, "randomness");
}

static void token_is_not_made_without_randomness_or_memory(void **state)
{
	struct rl_token token;
	struct rl_error error;

	assert_true(in_child(says_that_nothing_is_random, NULL));
	faults_memory(0);
	assert_int_equal(rl_token_make(&token, NO_TEXT, false, &error), RL_NO_MEMORY);
	assert_true(faults_memory_struck());
	assert_string_not_equal(error.message, "");
}

static void baton_has_the_tokens_random_part(void **state)
{
	static const char *const metadata[] = { NULL, "", "ffffffffffffffffffffffffffffffffffffff" };

	for (size_t i = 0; i < COUNT(metadata); i++) {
		struct rl_token token;
		struct rl_error error;
		char baton[RL_BATON_SIZE], again[RL_BATON_SIZE], inside[RL_BATON_SIZE + 1];

		assert_int_equal(rl_token_make(&token, metadata[i] ? NAME(metadata[i]) : NO_TEXT, false, &error), RL_OK);
		rl_token_baton(&token, baton);
		rl_token_baton(&token, again);
		assert_true(matches(baton, "^~[0-9a-f]{32}$"));
		assert_string_equal(baton, again);
		snprintf(inside, sizeof inside, ":%s", baton + 1);
		assert_non_null(strstr(token.text, inside));
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
		{ "rlock1:web1:42:" HEX, RL_VALUE_TOKEN, "web1:42", NULL },
		{ "rlock1:web1:42:" HEX ":", RL_VALUE_TOKEN, "web1:42", "" },
		{ "rlock1:web1:42:" HEX ":job:7", RL_VALUE_TOKEN, "web1:42", "job:7" },
		{ "rlock1:::" HEX, RL_VALUE_TOKEN, "", NULL },
		{ "rlock1:::" HEX ":job", RL_VALUE_TOKEN, "", "job" },
		{ "rlock1@00:web1:42:" HEX, RL_VALUE_DETACHED, "web1:42", NULL },
		{ "rlock1@6d65:web1:42:" HEX ":job:7", RL_VALUE_DETACHED, "web1:42", "job:7" },
		{ "~" HEX ":1700000000000000", RL_VALUE_BATON, "", NULL },
		{ "-~" HEX ":web1:42", RL_VALUE_COOLDOWN, "web1:42", NULL },
		{ "-~" HEX ":web1:42:", RL_VALUE_COOLDOWN, "web1:42", "" },
		{ "-~" HEX ":web1:42:job:7", RL_VALUE_COOLDOWN, "web1:42", "job:7" },
		{ "-~" HEX "::", RL_VALUE_COOLDOWN, "", NULL },
		{ "-~" HEX, RL_VALUE_COOLDOWN, "", NULL },

		{ "", RL_VALUE_FOREIGN, "", NULL },
		{ "r", RL_VALUE_FOREIGN, "", NULL },
		{ "6f1c3ab29be04d6d", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:web1", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:web1:", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:web1:42:", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:web1:42:" HEX "0", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:web1:42:" UPPER, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:web1:4x:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:web1:-4:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:web1::" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1::42:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1:" HEX HEX "x:42:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock2:web1:42:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@:web1:42:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@0:web1:42:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@0G:web1:42:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@6D65:web1:42:" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@6d65:::" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@6d65:web1:42:" HEX "0", RL_VALUE_FOREIGN, "", NULL },
		{ "rlock1@6d65", RL_VALUE_FOREIGN, "", NULL },
		{ "~" HEX, RL_VALUE_FOREIGN, "", NULL },
		{ "~" HEX ":", RL_VALUE_FOREIGN, "", NULL },
		{ "~" HEX ":x", RL_VALUE_FOREIGN, "", NULL },
		{ "~" UPPER ":1", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX "0", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX ":", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX ":web1", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX ":web1:", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX "::42", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX ":web1:4x", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX "0:web1:42", RL_VALUE_FOREIGN, "", NULL },
		{ "-~" HEX ":1", RL_VALUE_FOREIGN, "", NULL },
		{ "-" HEX, RL_VALUE_FOREIGN, "", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = strlen(cases[i].value);
		char *exact = exact_copy(cases[i].value, length);
		struct rl_value value;

		value = rl_token_read_value(exact, length);
		assert_int_equal(value.kind, cases[i].kind);
		assert_true(equals(value.owner, value.owner_length, cases[i].owner));
		assert_int_equal(value.metadata != NULL, cases[i].metadata != NULL);
		if (value.metadata) {
			assert_true(equals(value.metadata, value.metadata_length, cases[i].metadata));
		}
		free(exact);
	}
	assert_int_equal(rl_token_read_value(NULL, 0).kind, RL_VALUE_FOREIGN);
	/* A NUL is a byte like any other. */
	assert_int_equal(rl_token_read_value("rlock1:a\0b:4:" HEX, 13 + 32).kind, RL_VALUE_TOKEN);
}

static void fence_is_at_a_batons_end(void **state)
{
	static const struct {
		const char *baton;
		int64_t fence;
	} cases[] = {
		{ "~" HEX ":1", 1 },
		{ "~" HEX ":1700000000000000", 1700000000000000 },
		{ "~" HEX ":9223372036854775807", INT64_MAX },
		{ "~" HEX ":9223372036854775808", 0 },
		{ "~" HEX ":99999999999999999999", 0 },
		{ "~" HEX ":0", 0 },
		{ "~" HEX ":-1", 0 },
		{ "~" HEX ":1e3", 0 },
		{ "~" HEX ": 1", 0 },
		{ "~" HEX, 0 },
		{ "-~" HEX ":1", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(rl_token_baton_fence(cases[i].baton, strlen(cases[i].baton)), cases[i].fence);
	}
}

int test_token(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(token_says_who_and_is_random),
		cmocka_unit_test(token_carries_any_metadata),
		cmocka_unit_test(token_on_its_way_names_nobody),
		cmocka_unit_test(token_of_a_detached_lock_has_its_holders_name),
		cmocka_unit_test(token_of_a_child_names_the_child),
		cmocka_unit_test(token_has_a_host_without_odd_bytes),
		cmocka_unit_test(token_is_not_made_without_randomness_or_memory),
		cmocka_unit_test(baton_has_the_tokens_random_part),
		cmocka_unit_test(value_is_told_apart),
		cmocka_unit_test(fence_is_at_a_batons_end),
	};

	return cmocka_run_group_tests_name("token", tests, NULL, NULL);
}
