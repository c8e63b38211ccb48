#include "prompt.h"

#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

#include "clock.h"
#include "throwaway.h"

#define MAX_TASKS 64 /* more are not excused */

/* A thread of ours or a server. */
struct task {
	pid_t id; /* 0: the machine itself, if it is a virtual one */
	rl_time delay;
};

struct tasks {
	struct task all[MAX_TASKS];
	size_t count;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct tasks known;
static rl_time total; /* also of tasks that have ended since */

/* 0: the file does not say it. */
static rl_time read_number(const char *path, const char *format)
{
	FILE *file = fopen(path, "r");
	long long number = 0;

	if (file) {
		if (fscanf(file, format, &number) != 1) {
			number = 0;
		}
		fclose(file);
	}
	return number;
}

static void add(struct tasks *tasks, pid_t id, rl_time delay)
{
	if (tasks->count < MAX_TASKS) {
		tasks->all[tasks->count++] = (struct task){ id, delay };
	}
}

/* How long it could have run, by now, and had no CPU. */
static void add_task(struct tasks *tasks, pid_t process, pid_t thread)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)process, (int)thread);
	add(tasks, thread, read_number(path, "%*d %lld"));
}

static void add_our_threads(struct tasks *tasks)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.') {
			add_task(tasks, getpid(), atoi(entry->d_name));
		}
	}
	if (folder) {
		closedir(folder);
	}
}

/* What its host had no CPU for. */
static void add_machine(struct tasks *tasks)
{
	rl_time ticks = read_number("/proc/stat", "cpu %*d %*d %*d %*d %*d %*d %*d %lld");

	add(tasks, 0, ticks * RL_SECOND / sysconf(_SC_CLK_TCK));
}

static rl_time known_delay(pid_t id)
{
	for (size_t i = 0; i < known.count; i++) {
		if (known.all[i].id == id) {
			return known.all[i].delay;
		}
	}
	return 0;
}

static rl_time look(void)
{
	struct tasks now = { .count = 0 };
	rl_time seen;

	pthread_mutex_lock(&mutex);
	add_machine(&now);
	add_our_threads(&now);
	for (const pid_t *server = throwaway_pids(); *server; server++) {
		add_task(&now, *server, *server);
	}
	for (size_t i = 0; i < now.count; i++) {
		/* one that just ends says nothing */
		total += rl_time_later(now.all[i].delay - known_delay(now.all[i].id), 0);
	}
	known = now;
	seen = total;
	pthread_mutex_unlock(&mutex);
	return seen;
}

struct prompt_moment prompt_now(void)
{
	rl_time delayed = look(); /* first: a wait for a CPU in between is excused */

	return (struct prompt_moment){ .at = clock_real(), .delayed = delayed };
}

struct prompt_time prompt_since(struct prompt_moment began)
{
	rl_time took = clock_real() - began.at;

	return (struct prompt_time){ .took = took, .excused = look() - began.delayed };
}

static double seconds(rl_time time)
{
	return (double)time / (double)RL_SECOND;
}

void expect_soon_at(struct prompt_time time, rl_time bound, const char *file, int line)
{
	rl_time late = time.took - bound;

	if (late < 0) {
		return;
	}
	print_message("# late by %.3f s, %.3f s without a CPU\n", seconds(late), seconds(time.excused));
	if (late >= time.excused) {
		print_error(
			"late by %.3f s, of which %.3f s are excused\n", seconds(late), seconds(time.excused));
		_fail(file, line);
	}
}

void expect_on_time_at(struct prompt_time time, rl_time deadline, const char *file, int line)
{
	if (time.took < deadline) {
		print_error("ended %.3f s before the deadline\n", seconds(deadline - time.took));
		_fail(file, line);
	}
	expect_soon_at(time, deadline + A_MOMENT, file, line);
}
