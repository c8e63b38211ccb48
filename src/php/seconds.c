#include "seconds.h"

#include <float.h>
#include <math.h>

bool php_rlock_seconds_are_lease(double seconds)
{
	return seconds >= PHP_RLOCK_LEASE_MIN && seconds <= PHP_RLOCK_SECONDS_MAX;
}

int64_t php_rlock_seconds_to_ms(double seconds)
{
	double milliseconds = seconds * 1000.0;
	double nearest = nearbyint(milliseconds);

	/* 2.007 * 1000 is a hair above 2007. That is a rounding error; nobody asked for 2008. */
	if (fabs(milliseconds - nearest) <= milliseconds * 2 * DBL_EPSILON) {
		return (int64_t)nearest;
	}
	return (int64_t)ceil(milliseconds);
}

rl_time php_rlock_seconds_to_time(double seconds)
{
	return seconds > PHP_RLOCK_SECONDS_MAX ? RL_FOREVER
										   : php_rlock_seconds_to_ms(seconds) * RL_MILLISECOND;
}
