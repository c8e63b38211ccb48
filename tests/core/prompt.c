#include "prompt.h"

#define RUNS 5

static bool was_late;

void expect_soon(bool is_soon)
{
	was_late = was_late || !is_soon;
}

/* Between two runs; before the first and after the last one cmocka does it. */
static void begin_anew(const struct prompt *prompt)
{
	void *state = NULL;

	if (prompt->clean) {
		prompt->clean(&state);
	}
	if (prompt->reset) {
		assert_int_equal(prompt->reset(&state), 0);
	}
}

void prompt_run(void **state)
{
	const struct prompt *prompt = *state;

	for (int runs = 0; runs < RUNS; runs++) {
		void *none = NULL;

		if (runs > 0) {
			begin_anew(prompt);
		}
		was_late = false;
		prompt->test(&none);
		if (!was_late) {
			return;
		}
	}
	fail_msg("late in each of %d runs", RUNS);
}
