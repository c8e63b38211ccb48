#include "testing.h"

static void printable_escapes_what_a_terminal_obeys(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		const char *expected;
	} cases[] = {
		{ "", 0, "" }, { "plain key@1", 11, "plain key@1" }, { "a\0b", 3, "a\\x00b" },
		{ "\r\n\t\x1b[31m\x7f", 9, "\\x0d\\x0a\\x09\\x1b[31m\\x7f" },
		{ "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x92", 12,
			"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x92" },
		{ "\xc2\x9b", 2, "\\xc2\\x9b" }, /* C1 */
		{ "\xc2\xa0", 2, "\xc2\xa0" },
		{ "\xd8\x9c\xe2\x80\x8e", 5, "\\xd8\\x9c\\xe2\\x80\\x8e" }, /* marks of a direction, */
		{ "\xe2\x80\xae", 3, "\\xe2\\x80\\xae" },                   /* an override, */
		{ "\xe2\x81\xa9", 3, "\\xe2\\x81\\xa9" },                   /* the end of an isolate */
		{ "\xe2\x80\x90\xe2\x80\xaf", 6, "\xe2\x80\x90\xe2\x80\xaf" },
		{ "a\xe2\x80\x8b", 4, "a\\xe2\\x80\\x8b" },              /* nothing is shown: of no width, */
		{ "\xc2\xad\xc2\xae", 4, "\\xc2\\xad\xc2\xae" },         /* a soft hyphen, */
		{ "\xef\xbb\xbf", 3, "\\xef\\xbb\\xbf" },                /* a byte order, */
		{ "\xf3\xa0\x81\x81", 4, "\\xf3\\xa0\\x81\\x81" },       /* a tag, */
		{ "\xe3\x85\xa4", 3, "\\xe3\\x85\\xa4" },                /* a filler */
		{ "\xff\xfe", 2, "\\xff\\xfe" }, { "\xc3", 1, "\\xc3" }, /* cut */
		{ "\xe2\x82", 2, "\\xe2\\x82" }, { "\xc3(", 2, "\\xc3(" },
		{ "\xc0\xaf", 2, "\\xc0\\xaf" }, /* overlong */
		{ "\xe0\x80\xaf", 3, "\\xe0\\x80\\xaf" }, { "\xf0\x80\x80\xaf", 4, "\\xf0\\x80\\x80\\xaf" },
		{ "\xed\xa0\x80", 3, "\\xed\\xa0\\x80" }, /* a surrogate */
		{ "\xed\x9f\xbf", 3, "\xed\x9f\xbf" }, { "\xf4\x8f\xbf\xbf", 4, "\xf4\x8f\xbf\xbf" },
		{ "\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
	};
	char buffer[64];

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_ptr_equal(rl_text_printable(buffer, sizeof buffer,
							 (struct rl_text){ cases[i].text, cases[i].length }),
			buffer);
		assert_string_equal(buffer, cases[i].expected);
	}
}

static void printable_cuts_between_characters(void **state)
{
	static const struct {
		size_t size;
		const char *text, *expected;
	} cases[] = {
		{ 9, "abcdefgh", "abcdefgh" },
		{ 8, "abcdefgh", "abcd..." },
		{ 4, "abcdefgh", "..." },
		{ 3, "abcdefgh", ".." },
		{ 1, "abcdefgh", "" },
		{ 8, "abc\342\202\254defg", "abc..." }, /* the character would leave no room for the dots */
		{ 10, "abc\342\202\254defg", "abc\xe2\x82\xac..." },
		{ 8, "abc\nd", "abc..." },
		{ 9, "abc\nd", "abc\\x0ad" },
		{ 8, "abc\n", "abc\\x0a" },
	};
	char buffer[64];

	for (size_t i = 0; i < COUNT(cases); i++) {
		memset(buffer, '#', sizeof buffer);
		rl_text_printable(buffer, cases[i].size, rl_text_of(cases[i].text));
		assert_string_equal(buffer, cases[i].expected);
		assert_int_equal(buffer[cases[i].size], '#');
	}
	memset(buffer, '#', sizeof buffer);
	rl_text_printable(buffer, 0, rl_text_of("abc"));
	assert_int_equal(buffer[0], '#');
}

/*
 * Whatever goes in: never longer than the buffer (which ends where the sanitizer looks), and fit to
 * print.
 */
static void printable_holds_for_random_bytes(void **state)
{
	srand(1);
	for (int round = 0; round < 20000; round++) {
		size_t length = (size_t)rand() % 40, size = 1 + (size_t)rand() % 60, used;
		char *text = malloc(length + !length);
		char *buffer = malloc(size);
		char *again = malloc(size);

		for (size_t i = 0; i < length; i++) {
			text[i] = (char)(rand() % 3 ? 0x80 + rand() % 0x80 : rand() % 0x80);
		}
		rl_text_printable(buffer, size, (struct rl_text){ text, length });
		used = strlen(buffer);
		assert_true(used < size);
		for (size_t i = 0; i < used; i++) {
			assert_true((unsigned char)buffer[i] >= 0x20 && buffer[i] != 0x7f);
		}
		/* What is printable stays as it is: so there was nothing of ill-formed UTF-8 left. */
		rl_text_printable(again, size, (struct rl_text){ buffer, used });
		assert_string_equal(again, buffer);
		free(text);
		free(buffer);
		free(again);
	}
}

static void fail_fills_all(void **state)
{
	struct rl_error error;

	memset(&error, 0xaa, sizeof error);
	assert_int_equal(rl_fail(&error, RL_LOST, "The lock \"%s\" of %d", "a\nb", 7), RL_LOST);
	assert_string_equal(error.message, "The lock \"a\\x0ab\" of 7");
	assert_string_equal(error.code, "");
	assert_int_equal(error.late_by, 0);
	assert_false(error.held);
}

static void fail_may_quote_itself(void **state)
{
	struct rl_error error;

	rl_fail(&error, RL_UNREACHABLE, "no answer");
	strcpy(error.code, "OOM");
	rl_fail(&error, RL_LOST, "%s: while giving back: %s", error.code, error.message);
	assert_string_equal(error.message, "OOM: while giving back: no answer");
}

static void fail_cuts_long_messages(void **state)
{
	struct rl_error error;
	char text[2 * RL_ERROR_MESSAGE_SIZE];

	for (size_t length = RL_ERROR_MESSAGE_SIZE - 3; length < sizeof text; length++) {
		memset(text, 'x', length);
		text[length] = '\0';
		rl_fail(&error, RL_LOST, "%s", text);
		if (length < RL_ERROR_MESSAGE_SIZE) {
			assert_string_equal(error.message, text);
		} else {
			assert_int_equal(strlen(error.message), RL_ERROR_MESSAGE_SIZE - 1);
			assert_string_equal(error.message + RL_ERROR_MESSAGE_SIZE - 5, "x...");
		}
	}
}

int test_error(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printable_escapes_what_a_terminal_obeys),
		cmocka_unit_test(printable_cuts_between_characters),
		cmocka_unit_test(printable_holds_for_random_bytes),
		cmocka_unit_test(fail_fills_all),
		cmocka_unit_test(fail_may_quote_itself),
		cmocka_unit_test(fail_cuts_long_messages),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
