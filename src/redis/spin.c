#include "spin.h"
#include "../base/cpus.h"

#define SOON   (100 * RL_MICROSECOND)
#define MARGIN (50 * RL_MICROSECOND)
#define NEAR   (10 * RL_MILLISECOND)
/* So many answers that came soon make sure that the next one will. */
#define SURE 3
/* After so many that did not, one is tried all the same: a sleep may take longer than the answer. */
#define RETRY 64

static RL_THREAD_LOCAL struct {
	bool allowed;
	bool known, several;
	uint64_t generation; /* of the process in which that is known */
} thread;

static bool has_cpus(void)
{
	if (!thread.known || thread.generation != rl_system_generation()) {
		thread.several = rl_cpus_are_several();
		thread.generation = rl_system_generation();
		thread.known = true;
	}
	return thread.several;
}

void rl_spin_allow(bool allowed)
{
	thread.allowed = allowed;
}

rl_time rl_spin_until(const struct rl_spin *spin, rl_time now, rl_time deadline)
{
	bool sure = spin->streak == SURE || spin->streak == -RETRY;

	return thread.allowed && sure && deadline - now > NEAR && has_cpus()
		? now + rl_time_earlier(spin->took, SOON) + MARGIN : 0;
}

void rl_spin_learn(struct rl_spin *spin, rl_time took)
{
	bool retried = spin->streak == -RETRY;

	spin->took = took;
	if (took > SOON) {
		spin->streak = spin->streak > 0 || retried ? 0 : spin->streak - 1;
	} else if (retried) {
		spin->streak = SURE;
	} else if (spin->streak < SURE) {
		spin->streak = spin->streak > 0 ? spin->streak + 1 : 1;
	}
}
