/*
 * What is told about sessions: to other requests who has one, and to PHP's log what went wrong. No
 * message has an id in it, nor the save_path.
 */
#ifndef PHP_RLOCK_SESSION_WORDS_H
#define PHP_RLOCK_SESSION_WORDS_H

#include "php.h"

#include "../lock/owner/owner.h"

/*
 * Method and path of this request, or the script on the command line; terminated. If the path has
 * the id of the session whose lock that is, a hash is in its place.
 */
#define PHP_RLOCK_SESSION_METADATA_SIZE 201
void php_rlock_session_metadata(
	char metadata[PHP_RLOCK_SESSION_METADATA_SIZE], const char *lock);

/* An E_WARNING: what could not be done, and why. */
void php_rlock_session_warn(const char *what, const struct rl_error *error);
/* That it stayed busy, and with whom; and whether it was read all the same. */
void php_rlock_session_tell_busy(struct rl_owner *owner, const char *lock, bool reads);
/* An E_WARNING: what came of the last write, or of destroying. */
void php_rlock_session_tell_end(struct rl_owner *owner, const char *lock, enum rl_status status,
	bool destroys, const struct rl_error *error);

/*
 * Whether data that PHP could not decode are what phpredis makes of them by Zstandard, lz4 or lzf.
 * This asks for their form to the end, since what handlers encrypt may begin with anything.
 */
bool php_rlock_session_looks_compressed(struct rl_text data);

#endif
