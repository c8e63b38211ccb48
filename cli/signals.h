/*
 * Signals, as events that are read one by one: the handler does nothing but write them into a pipe.
 * The alarm of the renewal thread comes the same way, so that there is one thing to wait for.
 *
 *   cli_signals_start()
 *   cli_signals_wait()
 *   cli_signals_next()    until it is false
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <sys/types.h>

#include "options.h"

struct cli_signal {
	unsigned char number;        /* CLI_SIGNAL_WAKE: the alarm */
	unsigned char from_terminal; /* its whole foreground group has got it */
	pid_t sender;                /* 0: the kernel, or from outside of a container */
};

#define CLI_SIGNAL_WAKE 0

/*
 * From now on all signals that can be caught are events, except for those that a process raises
 * itself, like SIGSEGV and SIGPIPE, and for those that whoever started us has us ignore. CLI_OK or,
 * after a message, CLI_UNAVAILABLE.
 */
enum cli_status cli_signals_start(const struct cli_options *options);
/* A message that cannot be written does not end us. */
void cli_signals_ignore_unwritable(void);
/* An event of our own, from any thread or handler. */
void cli_signals_wake(void);

/* Returns when there may be an event, or when the deadline has come. */
void cli_signals_wait(rl_time deadline);
/* Whether there is an event. */
bool cli_signals_is_due(void);
/* False: there is none. */
bool cli_signals_next(struct cli_signal *signal);

/*
 * Whether it is one that asks to end, sent again by the same sender before anybody could have meant
 * that: timeout(1) tells its command, and then the whole group that it is in. Remembers the last
 * one.
 */
bool cli_signals_repeats(struct cli_signal signal);
/* Whether the signal ends a process that does not catch it. */
bool cli_signals_ends(int number);
/*
 * The next event that ends a process. Those that stop one stop us meanwhile; others are dropped.
 * False: there is none.
 */
bool cli_signals_next_end(struct cli_signal *signal);
/* The same for who only ends then: the signal, also if it had been heard of before. 0: go on. */
int cli_signals_ended_by(void);

/* Around a fork(): so that no signal reaches the child while it still has our handlers. */
void cli_signals_block(void);
void cli_signals_unblock(void);
/* In the child: as whoever started us left them. */
void cli_signals_reset(void);

/*
 * Stops us, as the signal does if it is not caught, if it is the terminal's for us and the command,
 * or SIGTSTP. Returns when we are continued; at once if nobody could do that. False: we go on.
 * SIGTTIN and SIGTTOU from a process are for the command alone: some servers change the number of
 * their workers then.
 */
bool cli_signals_stop_with_command(struct cli_signal signal);
/* Ends us by this signal. */
void cli_signals_die(int number);

#endif
