/*
 * The system as Windows has it. There is no fork(), so all that lives is of one generation.
 */
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00 /* QueryInterruptTimePrecise */

#include "system.h"
#include "socket.h" /* before windows.h */

#include <windows.h>
#include <realtimeapiset.h>
#include <stdio.h>

/* --- the clock --- */

/* Since the start, in steps of 100 ns, suspend included. */
rl_time rl_now(void)
{
	ULONGLONG steps;

	QueryInterruptTimePrecise(&steps);
	return (rl_time)steps * 100;
}

/* --- processes --- */

uint64_t rl_system_generation(void)
{
	return 0;
}

bool rl_system_at_fork(
	bool *done, void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
	return true;
}

bool rl_system_start(void)
{
	return true;
}

long rl_system_pid(void)
{
	return (long)GetCurrentProcessId();
}

void rl_system_hostname(char *buffer, size_t size)
{
	char name[256];

	if (gethostname(name, sizeof name) != 0) {
		name[0] = '\0';
	}
	snprintf(buffer, size, "%s", name[0] ? name : "unknown");
}

/* --- secrets --- */

void rl_system_wipe(void *secret, size_t size)
{
	SecureZeroMemory(secret, size);
}
