/*
 * Paths of files as the system resolves them.
 */
#ifndef RL_PATH_H
#define RL_PATH_H

#include <stdbool.h>

/* The path without links, which the caller frees. NULL: there is no such thing. */
char *rl_path_real(const char *path);
/*
 * Puts into `*out` the path from the root, links and all, which the caller frees: a relative one
 * counts from the folder that `here` tells, which is freed; NULL: from the process's, which a
 * program may change. `*out` is NULL: out of memory. False: where that folder is cannot be told.
 */
bool rl_path_from_root(const char *path, char *(*here)(void), char **out);

#endif
