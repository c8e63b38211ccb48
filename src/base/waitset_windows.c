#include "waitset.h"

#include <errno.h>

/* What its event loops watch are sockets, which hold no others. */
bool rl_waitset_open(struct rl_waitset *set)
{
	set->fd = set->timer = -1;
	errno = ENOSYS;
	return false;
}

void rl_waitset_clear(struct rl_waitset *set)
{
}

void rl_waitset_watch(struct rl_waitset *set, const struct rl_polls *polls)
{
}

bool rl_waitset_is_ready(const struct rl_waitset *set)
{
	return true;
}

void rl_waitset_close(struct rl_waitset *set)
{
}
