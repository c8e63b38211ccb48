/*
 * A clock that tests can set. The program is linked so that the core's calls of rl_now(),
 * rl_poll() and rl_sleeper_sleep() come here.
 *
 * Real time is let through, shifted by what was added. A stopped clock stands still, but for
 * rl_poll(): it waits in real time for what is to come, and when nothing came until its
 * deadline, it moves the clock there. It ends, too, when another thread moves the clock there.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include "base/poll.h"

/* Moves the clock on, as a suspended machine's. */
void clock_advance(rl_time by);
/*
 * The same, but only before the clock is read for the `reading`th time from now (from 0). Negative:
 * never.
 */
void clock_advance_at(long reading, rl_time by);
/* True if it has come to that. */
bool clock_has_advanced(void);
/* Stops the clock at `at`. */
void clock_stop(rl_time at);
/*
 * In between nobody else can read a stopped clock: what its caller does before it moves the clock
 * happens at that moment.
 */
void clock_hold(void);
void clock_let_go(void);
/* Real time again. */
void clock_reset(void);

/* Somebody waits until a moment that is named by this clock, in rl_poll(). */
bool clock_is_waited_by(void);
/* The core's thread has begun, and nothing to do. */
bool clock_sleeper_sleeps(void);
/* How often it has begun to sleep. */
unsigned long clock_sleeps(void);

/* Real time, whatever rl_now() says. */
rl_time clock_real(void);

#endif
