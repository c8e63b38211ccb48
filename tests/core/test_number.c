/*
 * Whole numbers as text.
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

int test_number(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_what_printf_makes),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
