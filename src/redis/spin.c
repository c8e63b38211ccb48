#include "spin.h"

/* It pays to sleep for an answer that takes longer. */
#define SOON (100 * RL_MICROSECOND)
/* A spin lasts this much longer than answers took. */
#define MARGIN (50 * RL_MICROSECOND)
/* With less time left until the deadline it is not tried. */
#define ENOUGH (10 * RL_MILLISECOND)

/* In each period, a sample of answers is slept for, and one is spun for, to compare. */
#define PERIOD 1024
#define SAMPLE 16

static RL_THREAD_LOCAL bool is_allowed;

void rl_spin_allow(bool allowed)
{
	is_allowed = allowed;
}

bool rl_spin_is_allowed(void)
{
	return is_allowed;
}

static bool is_worth_it(const struct rl_spin *spin)
{
	unsigned place = spin->answers % PERIOD;

	if (place < SAMPLE || spin->slept > SOON) {
		return false;
	}
	return place < 2 * SAMPLE || spin->spun < spin->slept;
}

rl_time rl_spin_until(const struct rl_spin *spin, rl_time now, rl_time deadline)
{
	if (!is_allowed || !is_worth_it(spin) || deadline - now < ENOUGH) {
		return 0;
	}
	return now + spin->slept + MARGIN;
}

void rl_spin_learn(struct rl_spin *spin, bool spun, rl_time took)
{
	rl_time *usual = spun ? &spin->spun : &spin->slept;
	unsigned place = spin->answers++ % PERIOD;

	/* one that came very late must not outweigh the others */
	took = rl_time_earlier(took, SOON + MARGIN);
	if (place == 0 || place == SAMPLE) {
		*usual = took;
	} else {
		*usual += (took - *usual) / 8;
	}
}
