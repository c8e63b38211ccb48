/*
 * session.save_path: where sessions are kept.
 *
 * Empty or a folder, which means rlock.servers; an address of ours; or one of phpredis', which
 * means what it means there, or is refused:
 *
 *   tcp://HOST:PORT?...   tls://HOST:PORT?...   unix:///PATH?...   /PATH/OF/A/SOCKET?...
 *
 * with auth (a password, or auth[]=USER&auth[]=PASSWORD), database, prefix, timeout, read_timeout
 * and persistent; persistent_id, retry_interval, weight, stream and what else PHP finds in such an
 * address have no meaning here.
 */
#ifndef PHP_RLOCK_SESSION_PATH_H
#define PHP_RLOCK_SESSION_PATH_H

#include "php.h"

#include "../route/route.h"

#define PHP_RLOCK_SESSION_PREFIX_MAX 1000

struct php_rlock_session_path {
	struct rl_route *route; /* to one server, Sentinel's master or a cluster; the caller's */
	/* Of the data's keys: the path's, the ini setting's, or phpredis'. Terminated. */
	char prefix[PHP_RLOCK_SESSION_PREFIX_MAX + 1];
	bool needs_braces; /* a lock's key, for the slot of its data */
};

/* False: there is nothing to be freed. No message repeats the path, which has secrets. */
bool php_rlock_session_path_read(
	const char *text, struct php_rlock_session_path *path, struct rl_error *error);

#endif
