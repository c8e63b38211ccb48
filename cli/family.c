/*
 * Who descends from whom is only told parent by parent, in /proc/PID/stat. While we read, processes may come and go. One
 * that has got SIGKILL starts no other, so for that signal it is enough to look again until nobody is left.
 */
#include "family.h"

#ifdef __linux__

# include <dirent.h>
# include <signal.h>
# include <stdbool.h>
# include <stdio.h>
# include <stdlib.h>
# include <string.h>
# include <sys/prctl.h>
# include <unistd.h>

/* What does not die of SIGKILL hangs in the kernel, and no more looks help. */
# define LOOKS_MAX 20

struct process {
	pid_t pid, parent;
	bool ours;
};

struct processes {
	struct process *list;
	size_t count, room;
};

/* False: it is gone, or a zombie. */
static bool read_process(const char *pid, struct process *process)
{
	char path[64], stat[512];
	const char *rest;
	size_t length;
	FILE *file;
	char state;

	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (!file) {
		return false;
	}
	length = fread(stat, 1, sizeof stat - 1, file);
	fclose(file);
	stat[length] = '\0';
	rest = strrchr(stat, ')'); /* the name before it may be anything */
	process->pid = (pid_t)atol(pid);
	process->ours = false;
	return rest && sscanf(rest, ") %c %d", &state, &process->parent) == 2 && state != 'Z';
}

static bool add(struct processes *processes, struct process process)
{
	if (processes->count == processes->room) {
		size_t room = processes->room ? 2 * processes->room : 256;
		struct process *list = realloc(processes->list, room * sizeof *list);

		if (!list) {
			return false;
		}
		processes->list = list;
		processes->room = room;
	}
	processes->list[processes->count++] = process;
	return true;
}

static int compare(const void *a, const void *b)
{
	pid_t one = ((const struct process *)a)->pid, other = ((const struct process *)b)->pid;

	return (one > other) - (one < other);
}

/* All processes, by number. Without memory, as many as fit. */
static struct processes list_processes(void)
{
	struct processes processes = { 0 };
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	struct process process;

	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && read_process(entry->d_name, &process)
			&& !add(&processes, process)) {
			break;
		}
	}
	if (folder) {
		closedir(folder);
	}
	if (processes.count > 0) {
		qsort(processes.list, processes.count, sizeof *processes.list, compare);
	}
	return processes;
}

static bool has_our_parent(const struct processes *processes, const struct process *process)
{
	const struct process wanted = { .pid = process->parent };
	const struct process *parent;

	if (process->parent == getpid()) {
		return true;
	}
	parent = bsearch(&wanted, processes->list, processes->count, sizeof wanted, compare);
	return parent && parent->ours;
}

/* Generation by generation. */
static void mark_ours(struct processes *processes)
{
	bool more = processes->count > 0;

	while (more) {
		more = false;
		for (size_t i = 0; i < processes->count; i++) {
			struct process *process = &processes->list[i];

			if (!process->ours && has_our_parent(processes, process)) {
				process->ours = more = true;
			}
		}
	}
}

/* Returns to how many. */
static size_t signal_once(int number)
{
	struct processes processes = list_processes();
	size_t count = 0;

	mark_ours(&processes);
	for (size_t i = 0; i < processes.count; i++) {
		if (processes.list[i].ours) {
			kill(processes.list[i].pid, number);
			count++;
		}
	}
	free(processes.list);
	return count;
}

void cli_family_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void cli_family_signal(int number)
{
	int looks = number == SIGKILL ? LOOKS_MAX : 1;

	while (looks-- > 0 && signal_once(number) > 0) {
	}
}

#else

void cli_family_adopt(void)
{
}

void cli_family_signal(int number)
{
	(void)number;
}

#endif
