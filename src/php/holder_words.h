/*
 * Who holds a lock, in words: for messages.
 */
#ifndef PHP_RLOCK_HOLDER_WORDS_H
#define PHP_RLOCK_HOLDER_WORDS_H

#include "../lock/owner/owner.h"

#define PHP_RLOCK_HOLDER_WORDS_SIZE (4 * RL_NAME_SIZE)

/* `: web1:4711 ("import") holds it for another 29.500 s` */
void php_rlock_holder_words_put(
	char buffer[PHP_RLOCK_HOLDER_WORDS_SIZE], const struct rl_holder *holder);
/* Of whoever the server names now. Empty: nobody has it, or that cannot be found out. */
void php_rlock_holder_words_ask(
	char buffer[PHP_RLOCK_HOLDER_WORDS_SIZE], struct rl_owner *owner, struct rl_text key);

#endif
