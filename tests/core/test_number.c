/*
 * Numbers as text.
 */
#include "testing.h"

#include <inttypes.h>

#include "base/number.h"

static void they_are_what_printf_makes(void **state)
{
	static const int64_t numbers[] = {
		0, 1, 9, 10, 99, 100, 1234567890, 1795283766163095, INT64_MAX, -1, -10, INT64_MIN
	};

	for (size_t i = 0; i < COUNT(numbers); i++) {
		char text[RL_NUMBER_SIZE], expected[32];
		int length = snprintf(expected, sizeof expected, "%" PRId64, numbers[i]);

		assert_int_equal(rl_number_put(text, numbers[i]), length);
		assert_string_equal(text, expected);
	}
}

static void seconds_have_a_point(void **state)
{
	static const struct {
		int64_t milliseconds;
		const char *text;
	} seconds[] = {
		{ 0, "0.000" },
		{ 1, "0.001" },
		{ 50, "0.050" },
		{ 999, "0.999" },
		{ 1000, "1.000" },
		{ 12345, "12.345" },
		{ -1, "-0.001" },
		{ -12345, "-12.345" },
		{ INT64_MAX, "9223372036854775.807" },
		{ INT64_MIN, "-9223372036854775.808" },
	};

	for (size_t i = 0; i < COUNT(seconds); i++) {
		char text[RL_NUMBER_SECONDS_SIZE];

		assert_string_equal(rl_number_put_seconds(text, seconds[i].milliseconds), seconds[i].text);
	}
}

static void seconds_are_read_exactly_and_up_to_a_limit(void **state)
{
	static const struct {
		const char *text;
		int64_t max_s;
		rl_time time; /* -1: it is refused */
	} seconds[] = {
		{ "0", 1, 0 },
		{ "0.5", 1, RL_SECOND / 2 },
		{ ".5", 1, RL_SECOND / 2 },
		{ "1.", 1, RL_SECOND },
		{ "2.007", 300, 2007 * RL_MILLISECOND },
		{ "0.0000000001", 1, 1 },
		{ "1.0000000001", 1, -1 },
		{ "2", 1, -1 },
		{ "1000000000", 1000000000, 1000000000 * RL_SECOND },
		{ "1000000000.000000001", 1000000000, -1 },
		{ "99999999999999999999", 1000000000, -1 },
		{ "", 1, -1 },
		{ ".", 1, -1 },
		{ "0.1.1", 1, -1 },
		{ "-1", 1, -1 },
		{ "1e0", 1, -1 },
		{ "0.1s", 1, -1 },
	};

	for (size_t i = 0; i < COUNT(seconds); i++) {
		rl_time time = 0;
		bool is_read = rl_number_read_seconds(rl_text_of(seconds[i].text), seconds[i].max_s, &time);

		assert_int_equal(is_read ? time : -1, seconds[i].time);
	}
}

int test_number(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_what_printf_makes),
		cmocka_unit_test(seconds_have_a_point),
		cmocka_unit_test(seconds_are_read_exactly_and_up_to_a_limit),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
