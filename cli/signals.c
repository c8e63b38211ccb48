#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "../src/base/descriptor.h"
#include "../src/base/poll.h"
#include "tell.h"

#define AT_ONCE (RL_SECOND / 2) /* sooner than somebody sends a signal again */

static int events[2]; /* a pipe */
static struct sigaction found[NSIG];
static sigset_t changed;         /* whose actions are ours now, and were those in `found` */
static sigset_t mask, inherited; /* of the signals that we catch; and what was blocked before */

/* What a process brings upon itself is no message from others: there is nothing to pass on. */
static bool is_synchronous(int number)
{
	switch (number) {
		case SIGSEGV:
		case SIGBUS:
		case SIGILL:
		case SIGFPE:
		case SIGTRAP:
		case SIGSYS:
		case SIGPIPE:
		case SIGXFSZ:
			return true;
		default:
			return false;
	}
}

/* What does not fit is dropped: the reader looks at everything after each event. */
static void put(int number, bool from_terminal, pid_t sender)
{
	struct cli_signal signal = { (unsigned char)number, from_terminal, sender };
	int before = errno;

	if (write(events[1], &signal, sizeof signal) < 0) {
		errno = before;
	}
}

/* What a timer or a limit sends comes from the kernel, too, but reaches us alone. */
static bool is_of_terminals(int number)
{
	return number == SIGINT || number == SIGQUIT || number == SIGHUP || number == SIGCONT
		|| number == SIGTSTP || number == SIGTTIN || number == SIGTTOU || number == SIGWINCH;
}

/* The terminal's own signals come from the kernel; those of kill(2) from a process. */
static void handle(int number, siginfo_t *info, void *context)
{
#ifdef SI_KERNEL
	put(number, info->si_code == SI_KERNEL && is_of_terminals(number),
		info->si_code == SI_USER ? info->si_pid : 0);
#else
	put(number, false, info->si_pid);
#endif
}

/* Without SIGCHLD nobody's end could be awaited. */
static bool is_ignored(int number, const struct sigaction *action)
{
	return number != SIGCHLD && !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
}

/*
 * The system refuses those that nobody may catch, and those that are the C library's. What ends us
 * ends a write to who does not read, too; what does not must not make a write fail.
 */
static void take(int number, struct sigaction action)
{
	if (!cli_signals_ends(number)) {
		action.sa_flags |= SA_RESTART;
	}
	if (sigaction(number, NULL, &found[number]) == 0 && !is_ignored(number, &found[number])
		&& sigaction(number, &action, NULL) == 0) {
		sigaddset(&changed, number);
	}
}

enum cli_status cli_signals_start(const struct cli_options *options)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };

	sigemptyset(&changed);
	sigfillset(&action.sa_mask);
	if (!rl_descriptor_pipe(events)) {
		cli_tell(options, CLI_ERROR, "error", "The system refuses a pipe");
		return CLI_UNAVAILABLE;
	}
	for (int number = 1; number < NSIG; number++) {
		if (!is_synchronous(number)) {
			take(number, action);
		}
	}
	mask = changed;
	pthread_sigmask(SIG_SETMASK, NULL, &inherited);
	cli_signals_unblock();
	return CLI_OK;
}

void cli_signals_ignore_unwritable(void)
{
	struct sigaction action = { .sa_handler = SIG_IGN };

	sigemptyset(&action.sa_mask);
	take(SIGPIPE, action);
	take(SIGXFSZ, action);
}

void cli_signals_wake(void)
{
	put(CLI_SIGNAL_WAKE, false, 0);
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

static bool stops(int number)
{
	return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
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

bool cli_signals_ends(int number)
{
	switch (number) {
		case CLI_SIGNAL_WAKE:
		case SIGCHLD:
		case SIGCONT:
		case SIGURG:
		case SIGWINCH:
#ifdef SIGINFO
		case SIGINFO:
#endif
			return false;
		default:
			return !stops(number);
	}
}

static bool asks_to_end(int number)
{
	return number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
}

bool cli_signals_repeats(struct cli_signal signal)
{
	static struct cli_signal last;
	static rl_time last_at;
	rl_time now = rl_now();
	bool repeats = asks_to_end(signal.number) && signal.number == last.number
		&& signal.sender == last.sender && !signal.from_terminal && now - last_at < AT_ONCE;

	last = signal;
	last_at = now;
	return repeats;
}

bool cli_signals_next_end(struct cli_signal *signal)
{
	while (cli_signals_next(signal)) {
		if (cli_signals_ends(signal->number)) {
			return true;
		}
		if (stops(signal->number)) {
			suffer(signal->number);
		}
	}
	return false;
}

int cli_signals_ended_by(void)
{
	static int ended_by;
	struct cli_signal signal;

	if (cli_signals_next_end(&signal)) {
		ended_by = signal.number;
	}
	return ended_by;
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
	for (int number = 1; number < NSIG; number++) {
		if (sigismember(&changed, number)) {
			sigaction(number, &found[number], NULL);
		}
	}
	pthread_sigmask(SIG_SETMASK, &inherited, NULL);
}

bool cli_signals_stop_with_command(struct cli_signal signal)
{
	bool stops_both = signal.number == SIGTSTP || (stops(signal.number) && signal.from_terminal);

	if (stops_both) {
		suffer(signal.number);
	}
	return stops_both;
}

void cli_signals_die(int number)
{
	suffer(number);
}
