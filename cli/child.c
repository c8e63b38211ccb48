/*
 * In which process group the command runs.
 *
 * Without a terminal, as under cron or systemd, it leads a group of its own. So a signal reaches
 * all of it at once, and none but that: our own group may have whoever started us in it, a shell
 * script for instance.
 *
 * With a terminal it stays in our group, as under flock(1) and env(1). Job control then works by
 * itself: the shell makes one group of all that is in a pipeline, and the terminal stops, continues
 * and interrupts that group. A group of its own would have to be made the terminal's, and the rest
 * of the pipeline (`rlock run ... | less`) would lose it. Two things follow. What the terminal
 * sends has reached the command already, so it is not passed on. And since this group is not ours
 * alone, other signals go to our descendants one by one (family.h).
 *
 * Either way they go to descendants that have left the group, too: timeout(1) and a shell's `set
 * -m` make groups.
 */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* environ */
#endif

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
# include <sys/prctl.h>
#endif

#include "family.h"
#include "signals.h"
#include "status.h"

extern char **environ;

static bool has_terminal(void)
{
	int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (terminal < 0) {
		return false;
	}
	close(terminal);
	return true;
}

/* --- in the child, between fork() and exec(): only what is safe beside threads --- */

static void die_with(pid_t parent)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent) {
		_exit(CLI_SIGNAL + SIGKILL); /* it has ended already */
	}
}

static void become(
	const struct cli_child *child, pid_t parent, char **command, char **environment, int report)
{
	if (!child->shares_group) {
		setpgid(0, 0);
	}
	die_with(parent);
	cli_signals_reset();
	environ = environment;
	execvp(command[0], command);
	if (write(report, &errno, sizeof errno) < 0) {
		_exit(CLI_NOT_EXECUTABLE);
	}
	_exit(CLI_NOT_EXECUTABLE);
}

/* --- in the parent --- */

/* What kept the command from being executed; 0: the pipe was closed by its execution. */
static int read_report(int report)
{
	int failure;
	ssize_t got;

	do {
		got = read(report, &failure, sizeof failure);
	} while (got < 0 && errno == EINTR);
	return got == sizeof failure ? failure : 0;
}

static int fork_child(struct cli_child *child, char **command, char **environment, int report)
{
	pid_t parent = getpid();
	int failure;

	cli_signals_block();
	child->pid = fork();
	failure = errno;
	if (child->pid == 0) {
		become(child, parent, command, environment, report);
	}
	if (child->pid > 0 && !child->shares_group) {
		/* it may not have come to that itself when we send the first signal */
		setpgid(child->pid, child->pid);
	}
	cli_signals_unblock();
	return child->pid < 0 ? failure : 0;
}

int cli_child_start(struct cli_child *child, char **command, char **environment)
{
	int report[2], failure;

	child->shares_group = has_terminal();
	if (pipe(report) != 0) {
		return errno;
	}
	fcntl(report[0], F_SETFD, FD_CLOEXEC);
	fcntl(report[1], F_SETFD, FD_CLOEXEC);
	cli_family_adopt();
	failure = fork_child(child, command, environment, report[1]);
	close(report[1]);
	if (failure == 0) {
		failure = read_report(report[0]);
		if (failure != 0) {
			waitpid(child->pid, NULL, 0);
		}
	}
	close(report[0]);
	return failure;
}

void cli_child_signal(const struct cli_child *child, int number)
{
	pid_t told = child->shares_group ? child->pid : -child->pid;

	kill(told, number); /* also where families are not listed */
	cli_family_signal(number, told);
}

bool cli_child_has_ended(struct cli_child *child)
{
	for (;;) {
		siginfo_t info = { .si_pid = 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
			return false;
		}
		if (info.si_pid == child->pid) {
			child->was_killed = info.si_code != CLD_EXITED;
			return true;
		}
		waitpid(info.si_pid, NULL, WNOHANG); /* of the family, without a parent */
	}
}

bool cli_child_has_family(bool anywhere)
{
	return cli_family_lives(anywhere ? 0 : getsid(0));
}

int cli_child_reap(const struct cli_child *child, int *signal)
{
	int status;

	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
	}
	*signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return *signal ? CLI_SIGNAL + *signal : WEXITSTATUS(status);
}
