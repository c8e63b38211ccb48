#include "testing.h"
#include "../../src/lock/shown_name.h"

#define HEX  "0123456789abcdef0123456789abcdef"
#define MIX  "aB3,x-Yz09qWe8rTy7uI,oP5-sD"
#define HASH "#________" /* any eight digits */

/* Hexadecimal digits behind a "#" become those of HASH. */
static void hide_hashes(char *text)
{
	for (char *at = strchr(text, '#'); at; at = strchr(at + 1, '#')) {
		size_t digits = strspn(at + 1, "0123456789abcdef");

		assert_int_equal(digits, 8);
		memset(at + 1, '_', digits);
	}
}

static void ids_are_not_shown(void **state)
{
	static const struct {
		const char *key, *shown, *foreign; /* the latter NULL: as the other */
	} cases[] = {
		/* PHP's sessions */
		{ "PHPREDIS_SESSION:" HEX "_LOCK", "PHPREDIS_SESSION:" HASH, NULL },
		{ "PHPREDIS_SESSION:short_LOCK", "PHPREDIS_SESSION:" HASH, NULL },
		{ "PHPREDIS_SESSION:" HEX, "PHPREDIS_SESSION:" HASH, NULL },
		{ "{PHPREDIS_CLUSTER_SESSION:" MIX "}_LOCK", "PHPREDIS_CLUSTER_SESSION:" HASH, NULL },
		{ "PHPREDIS_SESSION:" HEX "_LOCK_WAITERS", "PHPREDIS_SESSION:" HASH "_WAITERS", NULL },
		{ "own:" HEX "_LOCK", "own:" HASH, NULL },
		/* frameworks' */
		{ "session:" HEX, "session:" HASH, NULL },
		{ "laravel_cache_session:" MIX, "laravel_cache_session:" HASH, NULL },
		{ "ci_session:" HEX ":lock", "ci_session:" HASH ":lock", NULL },
		{ "PHPSESSID/" HEX "/" MIX, "PHPSESSID/" HASH "/" HASH, NULL },
		/* what is none */
		{ "session-cleanup-of-old-entries-2024", "session-cleanup-of-old-entries-2024", NULL },
		{ "session:42", "session:42", NULL },
		{ "nightly-import-of-Customers-2024", "nightly-import-of-Customers-2024", NULL },
		{ "PHPREDIS_SESSION:#01234567", "PHPREDIS_SESSION:" HASH, NULL }, /* is shown already */
		{ "", "", NULL },
		{ "a\nb", "a\\x0ab", NULL },
		/* what is not rlock's may be a session, whatever it is called */
		{ "order:" HEX, "order:" HEX, "order:" HASH },
		{ "shop_cache_:" MIX, "shop_cache_:" MIX, "shop_cache_:" HASH },
		{ "cache:" HEX ":" HEX, "cache:" HEX ":" HEX, "cache:" HASH ":" HASH },
	};
	char name[200];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_text key = rl_text_of(cases[i].key);

		hide_hashes((char *)rl_shown_name(name, sizeof name, key));
		assert_string_equal(name, cases[i].shown);
		assert_int_equal(rl_shown_name_hides(key),
			strstr(cases[i].shown, HASH) && !strchr(cases[i].key, 0x23));
		rl_shown_name_under(name, sizeof name, key, 0, true);
		hide_hashes(name);
		assert_string_equal(name, cases[i].foreign ? cases[i].foreign : cases[i].shown);
	}
}

static void prefixes_are_not_shown_but_of_sessions(void **state)
{
	char name[200];

	assert_false(rl_shown_name_under(name, sizeof name, rl_text_of("lock@order:17"), 5, false));
	assert_string_equal(name, "order:17");
	assert_true(rl_shown_name_under(name, sizeof name, rl_text_of("lock@session:" HEX), 5, false));
	hide_hashes(name);
	assert_string_equal(name, "session:" HASH);
	assert_true(rl_shown_name_under(name, sizeof name, rl_text_of("sess:" HEX), 5, false));
	hide_hashes(name);
	assert_string_equal(name, HASH);
	assert_true(rl_shown_name_under(
		name, sizeof name, rl_text_of("PHPREDIS_SESSION:" HEX "_LOCK"), 17, false));
	hide_hashes(name);
	assert_string_equal(name, "PHPREDIS_SESSION:" HASH);
}

static void what_is_cut_has_no_part_of_an_id(void **state)
{
	char name[100];

	for (size_t size = 1; size < 60; size++) {
		memset(name, '!', sizeof name);
		rl_shown_name(name, size, rl_text_of("{PHPREDIS_SESSION:" HEX "_LOCK}"));
		rl_shown_name(name, size, rl_text_of("session:" HEX ":lock"));
		assert_true(strlen(name) < size);
		assert_null(strstr(name, "0123"));
		assert_int_equal(name[size], '!');
	}
}

static void ids_are_masked_in_other_texts(void **state)
{
	static const struct {
		const char *key, *text, *masked;
	} cases[] = {
		{ "PHPREDIS_SESSION:" HEX "_LOCK", "GET /s/" HEX "/report", "GET /s/" HASH "/report" },
		{ "session:" HEX, HEX "|" HEX, HASH "|" HASH },
		{ "session:" HEX, "GET /%30123456789abcdef0123456789abcde%66", "GET /" HASH },
		{ "session:" MIX, "/aB3%2Cx%2dYz09qWe8rTy7uI%2coP5-sD", "/" HASH },
		{ "session:" HEX, "GET /" HEX "z", "GET /" HASH "z" },
		{ "session:" HEX, "GET /0123456789abcdef", "GET /0123456789abcdef" },
		{ "session:" HEX, "GET /%3", "GET /%3" },
		{ "order:" HEX, "GET /" HEX, "GET /" HEX }, /* no session's */
		{ "session:" HEX, "", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = strdup(cases[i].text); /* so that nothing beyond it may be touched */
		size_t length = rl_shown_name_mask(rl_text_of(cases[i].key), text, strlen(text));
		char masked[200];

		snprintf(masked, sizeof masked, "%.*s", (int)length, text);
		hide_hashes(masked);
		assert_string_equal(masked, cases[i].masked);
		free(text);
	}
}

int test_shown_name(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_not_shown),
		cmocka_unit_test(prefixes_are_not_shown_but_of_sessions),
		cmocka_unit_test(what_is_cut_has_no_part_of_an_id),
		cmocka_unit_test(ids_are_masked_in_other_texts),
	};

	return cmocka_run_group_tests_name("shown_name", tests, NULL, NULL);
}
