#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* sched_getaffinity */
#endif

#include "cpus.h"
#include "descriptor.h"

#ifdef __linux__
# include <sched.h>
# include <stdio.h>
# include <string.h>
# include <unistd.h>

# define PATH_SIZE 512

static void read_text(const char *path, char *text, size_t size)
{
	text[rl_descriptor_read_file(path, text, size - 1)] = '\0';
}

/* How many of two numbers the file has. */
static int scan(const char *folder, const char *name, long long *first, long long *second)
{
	char path[3 * PATH_SIZE], text[64];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	read_text(path, text, sizeof text);
	return sscanf(text, "%lld %lld", first, second);
}

/* By the file of version 2, or those of version 1. */
static bool is_rationed(const char *folder)
{
	long long quota, period, none;

	return (scan(folder, "cpu.max", &quota, &period) == 2
			   || (scan(folder, "cpu.cfs_quota_us", &quota, &none) == 1
				   && scan(folder, "cpu.cfs_period_us", &period, &none) == 1))
		&& quota > 0 && quota < 2 * period;
}

/*
 * Where the cgroup's hierarchy is below the root, if it is one that rations CPUs; and its path
 * there.
 */
static const char *read_membership(const char *line, char path[PATH_SIZE])
{
	if (sscanf(line, "0::%511[^\n]", path) == 1) {
		return "";
	}
	if (sscanf(line, "%*d:cpu:%511[^\n]", path) == 1
		|| sscanf(line, "%*d:cpu,cpuacct:%511[^\n]", path) == 1) {
		return "/cpu";
	}
	return NULL;
}

/* Up to the topmost one, which in a container may be its own, where the path leads nowhere. */
static bool is_any_rationed(const char *root, const char *hierarchy, char *path)
{
	char folder[2 * PATH_SIZE], *end;

	do {
		snprintf(folder, sizeof folder, "%s%s%s", root, hierarchy, path);
		if (is_rationed(folder)) {
			return true;
		}
		end = strrchr(path, '/');
		if (end) {
			*end = '\0';
		}
	} while (end);
	return false;
}

bool rl_cpus_are_rationed(const char *membership, const char *root)
{
	char text[8 * PATH_SIZE], path[PATH_SIZE];
	bool rationed = false;

	read_text(membership, text, sizeof text);
	for (const char *line = text; *line && !rationed;) {
		const char *hierarchy = read_membership(line, path);

		rationed = hierarchy && is_any_rationed(root, hierarchy, path);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return rationed;
}

bool rl_cpus_are_crowded(const char *loadavg)
{
	char text[128];
	long running = 0;

	read_text(loadavg, text, sizeof text);
	(void)sscanf(text, "%*s %*s %*s %ld/", &running);
	return running > sysconf(_SC_NPROCESSORS_ONLN);
}

bool rl_cpus_are_several(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 1
		&& !rl_cpus_are_rationed("/proc/self/cgroup", "/sys/fs/cgroup");
}

#else

bool rl_cpus_are_rationed(const char *membership, const char *root)
{
	return false;
}

bool rl_cpus_are_crowded(const char *loadavg)
{
	return false;
}

bool rl_cpus_are_several(void)
{
	return false;
}

#endif
