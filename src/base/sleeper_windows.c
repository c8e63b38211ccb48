/*
 * A sleep that ends by an event.
 */
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00

#include "sleeper.h"

bool rl_sleeper_open(struct rl_sleeper *sleeper)
{
	sleeper->event = CreateEventW(NULL, FALSE, FALSE, NULL);
	return sleeper->event != NULL;
}

bool rl_sleeper_is_whole(const struct rl_sleeper *sleeper)
{
	return true;
}

void rl_sleeper_close(struct rl_sleeper *sleeper)
{
	CloseHandle(sleeper->event);
}

void rl_sleeper_sleep(struct rl_sleeper *sleeper, rl_time moment)
{
	rl_time now = rl_now(), left = moment > now ? moment - now : 0;

	if (left > RL_SLEEPER_LONGEST) {
		left = RL_SLEEPER_LONGEST;
	}
	WaitForSingleObject(sleeper->event, (DWORD)((left + RL_MILLISECOND - 1) / RL_MILLISECOND));
}

void rl_sleeper_wake(struct rl_sleeper *sleeper)
{
	SetEvent(sleeper->event);
}
