/*
 * session.save_path: where sessions are kept.
 *
 * Empty or a folder, which means rlock.servers; an address of ours; or one of phpredis':
 *
 *   tcp://HOST:PORT?...   tls://HOST:PORT?...   unix:///PATH?...
 *
 * with auth (a password, or auth[]=USER&auth[]=PASSWORD), database, prefix, timeout, read_timeout
 * and persistent; persistent_id, retry_interval, weight and stream have no meaning here.
 */
#ifndef PHP_RLOCK_SESSION_PATH_H
#define PHP_RLOCK_SESSION_PATH_H

#include "php.h"

#include "../route/deployment.h"

struct php_rlock_session_path {
	struct rl_deployment *deployment; /* one server, Sentinel or a cluster; the caller's */
	zend_string *prefix;              /* of the keys, where the path says one; otherwise NULL */
};

/* RL_OK; otherwise there is nothing to be freed. No message repeats the path, which has secrets. */
enum rl_status php_rlock_session_path_read(
	const char *text, struct php_rlock_session_path *path, struct rl_error *error);

#endif
