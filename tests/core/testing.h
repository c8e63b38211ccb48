/* What every test file needs. */
#ifndef TESTING_H
#define TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* cmocka 2 has one for signed and one for unsigned numbers in the place of cmocka 1's for both. */
#ifdef assert_int_in_range
# undef assert_in_range
# define assert_in_range assert_int_in_range
#endif

#include "base/error.h"
#include "base/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define NAME(text) ((struct rl_text){ text, strlen(text) })
#define NO_TEXT    ((struct rl_text){ NULL, 0 })

/* Until something that another thread or process does can be seen. */
static inline void pause_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* Looks until it is true, for at least 10 s: for what must come, however busy the machine is. */
#define AWAIT(condition) \
 do { \
  for (int tries = 0; !(condition); tries++) { \
   if (tries == 10000) { \
	fail_msg("never: %s", #condition); \
   } \
   pause_a_moment(); \
  } \
 } while (0)

/* Memory that ends where the sanitizer looks; to be freed. */
static inline char *exact_copy(const char *data, size_t length)
{
	char *copy = malloc(length + !length);

	assert_non_null(copy);
	memcpy(copy, data, length);
	return copy;
}

/* NULL: none is expected. */
static inline void check_text(const char *actual, const char *expected)
{
	if (expected) {
		assert_non_null(actual);
		assert_string_equal(actual, expected);
	} else {
		assert_null(actual);
	}
}

#endif
