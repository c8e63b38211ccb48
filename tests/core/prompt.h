/*
 * What has to come soon, and not only at last. A busy machine may be late with anything; but the
 * kernel says how long it let the test's threads and servers wait for a CPU, and that is excused.
 * What is later than that is late by itself, and fails at once. Where the kernel does not say it,
 * nothing is excused.
 */
#ifndef PROMPT_H
#define PROMPT_H

#include "testing.h"

#include "base/system.h"

/* Later than this is not soon. */
#define A_MOMENT (500 * RL_MILLISECOND)

struct prompt_moment {
	rl_time at;      /* in real time */
	rl_time delayed; /* how long, by then, there was a CPU missing */
};

struct prompt_time {
	rl_time took, excused;
};

struct prompt_moment prompt_now(void);
/*
 * A thread's last wait for a CPU is not seen after its end: to be called while all those live that
 * somebody had to wait for, or by each of them at its end.
 */
struct prompt_time prompt_since(struct prompt_moment began);

/* It took less than `bound`, but for what is excused. */
#define expect_soon(time, bound) expect_soon_at((time), (bound), __FILE__, __LINE__)
void expect_soon_at(struct prompt_time time, rl_time bound, const char *file, int line);
/* It took as long as that, and ended soon after, as what has a deadline does. */
#define expect_on_time(time, deadline) expect_on_time_at((time), (deadline), __FILE__, __LINE__)
void expect_on_time_at(struct prompt_time time, rl_time deadline, const char *file, int line);

#endif
