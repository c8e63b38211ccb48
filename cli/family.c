/*
 * Who descends from whom is only told parent by parent, in /proc/PID/stat. While we read, processes
 * may come and go. One that has got SIGKILL starts no other, so for that signal it is enough to
 * look again until nobody is left.
 */
#include "family.h"

#ifdef __linux__

# include <dirent.h>
# include <signal.h>
# include <stdio.h>
# include <stdlib.h>
# include <string.h>
# include <sys/prctl.h>
# include <sys/wait.h>
# include <unistd.h>

# include "../src/base/descriptor.h"

/* What does not die of SIGKILL hangs in the kernel, and no more looks help. */
# define LOOKS_MAX 20

struct process {
	pid_t pid, parent, group, session;
	unsigned long long born; /* tells it from another that had its number */
	bool ours;
};

struct processes {
	struct process *list;
	size_t count, room;
};

/* The children that we had before the command: of the shell that has become us by `exec`. */
static struct processes strangers;

/* False: it is gone, or a zombie. */
static bool read_process(const char *pid, struct process *process)
{
	char path[64], stat[512];
	const char *rest;
	size_t length;
	char state;

	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	length = rl_descriptor_read_file(path, stat, sizeof stat - 1);
	stat[length] = '\0';
	rest = strrchr(stat, ')'); /* the name before it may be anything */
	process->pid = (pid_t)atol(pid);
	process->ours = false;
	return rest
		&& sscanf(rest,
			   ") %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			   &state, &process->parent, &process->group, &process->session, &process->born)
		== 5
		&& state != 'Z';
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
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
			&& read_process(entry->d_name, &process) && !add(&processes, process)) {
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

static const struct process *find(const struct processes *processes, pid_t pid)
{
	const struct process wanted = { .pid = pid };

	return processes->count > 0
		? bsearch(&wanted, processes->list, processes->count, sizeof wanted, compare)
		: NULL;
}

static bool is_stranger(const struct process *process)
{
	const struct process *stranger = find(&strangers, process->pid);

	return stranger && stranger->born == process->born;
}

static bool has_our_parent(const struct processes *processes, const struct process *process)
{
	const struct process *parent;

	if (process->parent == getpid()) {
		return !is_stranger(process);
	}
	parent = find(processes, process->parent);
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

static struct processes list_family(void)
{
	struct processes processes = list_processes();
	size_t count = 0;

	mark_ours(&processes);
	for (size_t i = 0; i < processes.count; i++) {
		if (processes.list[i].ours) {
			processes.list[count++] = processes.list[i];
		}
	}
	processes.count = count;
	return processes;
}

/* Returns how many there are, told or not. */
static size_t signal_once(int number, pid_t told)
{
	struct processes family = list_family();

	for (size_t i = 0; i < family.count; i++) {
		if (family.list[i].pid != told && family.list[i].group != -told) {
			kill(family.list[i].pid, number);
		}
	}
	free(family.list);
	return family.count;
}

static bool has_children(void)
{
	siginfo_t ignored;

	return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void cli_family_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (has_children()) {
		strangers = list_processes();
	}
}

void cli_family_signal(int number, pid_t told)
{
	if (number != SIGKILL) {
		signal_once(number, told);
		return;
	}
	for (int looks = 0; looks < LOOKS_MAX && signal_once(SIGKILL, 0) > 0; looks++) {
	}
}

bool cli_family_lives(pid_t session)
{
	struct processes family = list_family();
	bool lives = false;

	for (size_t i = 0; i < family.count; i++) {
		lives = lives || session == 0 || family.list[i].session == session;
	}
	free(family.list);
	return lives;
}

#else

void cli_family_adopt(void)
{
}

void cli_family_signal(int number, pid_t told)
{
}

bool cli_family_lives(pid_t session)
{
	return false;
}

#endif
