#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "../src/base/poll.h"

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGCHLD };
#define CAUGHT (sizeof caught / sizeof *caught)

static int events[2]; /* a pipe */
static struct sigaction found[CAUGHT], found_pipe;
static bool ignores_pipe;
static sigset_t mask, inherited; /* of the signals that we catch; and what was blocked before */

/* What does not fit is dropped: the reader looks at everything after each event. */
static void put(int number, bool from_terminal)
{
	struct cli_signal signal = { (unsigned char)number, from_terminal };
	int before = errno;

	if (write(events[1], &signal, sizeof signal) < 0) {
		errno = before;
	}
}

/* The terminal's own signals come from the kernel; those of kill(2) from a process. */
static void handle(int number, siginfo_t *info, void *context)
{
#ifdef SI_KERNEL
	put(number, info->si_code == SI_KERNEL);
#else
	put(number, false);
#endif
}

static bool open_events(void)
{
	if (pipe(events) != 0) {
		return false;
	}
	for (int i = 0; i < 2; i++) {
		if (fcntl(events[i], F_SETFD, FD_CLOEXEC) != 0 || fcntl(events[i], F_SETFL, O_NONBLOCK) != 0) {
			return false;
		}
	}
	return true;
}

/* Without SIGCHLD nobody's end could be awaited. */
static bool is_ignored(int number, const struct sigaction *action)
{
	return number != SIGCHLD && !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
}

bool cli_signals_start(void)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };

	sigemptyset(&mask);
	sigfillset(&action.sa_mask);
	if (!open_events()) {
		return false;
	}
	for (size_t i = 0; i < CAUGHT; i++) {
		sigaction(caught[i], NULL, &found[i]);
		if (!is_ignored(caught[i], &found[i])) {
			sigaddset(&mask, caught[i]);
			sigaction(caught[i], &action, NULL);
		}
	}
	pthread_sigmask(SIG_SETMASK, NULL, &inherited);
	cli_signals_unblock();
	return true;
}

void cli_signals_ignore_pipe(void)
{
	struct sigaction action = { .sa_handler = SIG_IGN };

	sigemptyset(&action.sa_mask);
	ignores_pipe = sigaction(SIGPIPE, &action, &found_pipe) == 0;
}

void cli_signals_wake(void)
{
	put(CLI_SIGNAL_WAKE, false);
}

void cli_signals_wait(rl_time deadline)
{
	struct rl_pollfd fd = { .fd = events[0], .want_read = true };

	rl_poll(&fd, 1, deadline);
}

bool cli_signals_is_due(void)
{
	struct rl_pollfd fd = { .fd = events[0], .want_read = true };

	return rl_poll(&fd, 1, 0) == RL_POLL_READY;
}

bool cli_signals_next(struct cli_signal *signal)
{
	ssize_t got;

	do {
		got = read(events[0], signal, sizeof *signal);
	} while (got < 0 && errno == EINTR);
	return got == sizeof *signal;
}

void cli_signals_block(void)
{
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
}

void cli_signals_unblock(void)
{
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
}

void cli_signals_reset(void)
{
	for (size_t i = 0; i < CAUGHT; i++) {
		sigaction(caught[i], &found[i], NULL);
	}
	if (ignores_pipe) {
		sigaction(SIGPIPE, &found_pipe, NULL);
	}
	pthread_sigmask(SIG_SETMASK, &inherited, NULL);
}

/* Does to us what the signal does by default. */
static void suffer(int number)
{
	struct sigaction action = { .sa_handler = SIG_DFL }, ours;
	sigset_t only, before;

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, &ours);
	sigemptyset(&only);
	sigaddset(&only, number);
	pthread_sigmask(SIG_UNBLOCK, &only, &before);
	raise(number);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sigaction(number, &ours, NULL);
}

void cli_signals_stop(void)
{
	suffer(SIGTSTP);
}

void cli_signals_die(int number)
{
	suffer(number);
}
