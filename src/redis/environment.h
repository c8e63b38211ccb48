/*
 * The part of the environment by which the system finds names and authorities: the C library reads
 * HOSTALIASES and its like whenever a name is looked up, OpenSSL reads SSL_CERT_FILE and its like
 * when authorities are read. PHP code can set these, and what it sets ends with its request. Where
 * one of them has a relative path, the current folder is part of it, which a server's process may
 * change with each request.
 */
#ifndef RL_ENVIRONMENT_H
#define RL_ENVIRONMENT_H

#include <stdbool.h>

/*
 * What it is now: the same text for the same environment, "" if none of these variables is set.
 * NULL: out of memory. The environment is the program's, so only its own threads may ask.
 */
char *rl_environment_note(void);
/* Whether it still is what was noted. */
bool rl_environment_is(const char *noted);

#endif
