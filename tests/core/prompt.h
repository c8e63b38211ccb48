/*
 * Tests of which the point is that something comes soon, and not only at last. A busy machine may be late with it, but
 * not each time: such a test is run again, up to five times, until all that it expects comes soon. Whatever else it
 * asserts must hold in each run.
 */
#ifndef PROMPT_H
#define PROMPT_H

#include "testing.h"

struct prompt {
	CMUnitTestFunction test;
	CMFixtureFunction reset, clean; /* or NULL */
};

/* Later than this is not soon. */
#define A_MOMENT (500 * RL_MILLISECOND)

void expect_soon(bool is_soon);

void prompt_run(void **state);
/* A line in the table of a group. */
#define PROMPT_TEST(test, reset, clean) \
 { \
#  test, prompt_run, reset, clean, &(struct prompt) \
  { \
   test, reset, clean \
  } \
 }

#endif
