/*
 * Durations. PHP code gives them as float seconds, the core wants integers; only this file converts
 * them, and rounds up to whole milliseconds.
 */
#ifndef PHP_RLOCK_SECONDS_H
#define PHP_RLOCK_SECONDS_H

#include <stdbool.h>

#include "../base/system.h"

#define PHP_RLOCK_LEASE_MIN   0.01 /* a shorter one would be over before anybody could rely on it */
#define PHP_RLOCK_SECONDS_MAX 1e9  /* the longest lease, and the longest delay after a release */
#define PHP_RLOCK_LEASE_RANGE "between 0.01 and 1000000000 seconds"

/* Whether a lease may be this long. NaN may not. */
bool php_rlock_seconds_are_lease(double seconds);

/* `seconds`: 0 to PHP_RLOCK_SECONDS_MAX. */
int64_t php_rlock_seconds_to_ms(double seconds);
/* `seconds`: 0 or more. Above PHP_RLOCK_SECONDS_MAX it is RL_FOREVER. */
rl_time php_rlock_seconds_to_time(double seconds);

#endif
