/*
 * The folders that paths must be in, where a program is confined to some, as PHP confines it by
 * open_basedir.
 *
 * 1. A path is asked for each time that it is used, because a link that led inside when the path
 *    was named may lead outside by now.
 * 2. What was found to be inside is what is used: it is pinned first, so that nobody can put
 *    anything else in its place in between. Where the system has no way to do that, its path
 *    without links is used, and somebody who may move folders could still be quick enough.
 * 3. Whether there is anything outside cannot be told from what comes of it.
 *
 * The program's own thread asks for its rule each time. Any other goes by what it was when that
 * thread asked last.
 */
#ifndef RL_BOUNDS_H
#define RL_BOUNDS_H

#include "system.h"

/* Lives for as long as anybody might use a path by it. All zero: anywhere, for good. */
struct rl_bounds {
	/* Asks the program, which calls rl_bounds_set(). False: it does not know. NULL: nobody does. */
	bool (*ask)(struct rl_bounds *bounds);
	uintptr_t owner; /* the rl_thread_id() of the thread that may ask */
	char *folders;   /* absolute, with ':' between them, on Windows ';'; NULL: anywhere */
};

/* NULL: anywhere. False: out of memory, and it is as it was. */
bool rl_bounds_set(struct rl_bounds *bounds, const char *folders);
/*
 * Asks, and returns the folders, which the caller frees; "": anywhere. NULL: out of memory, or
 * nobody knows.
 */
char *rl_bounds_folders(struct rl_bounds *bounds);
void rl_bounds_clear(struct rl_bounds *bounds);

/* A path in use. */
struct rl_pin {
	const char *path; /* what to use in its place */
	int fd;           /* -1: it is only named */
	char *real;       /* where it led to, without links; or NULL */
	char name[32];
};

/*
 * False: it is not allowed, or not there. In any case rl_pin_end() follows, once the path is used.
 * `bounds` NULL: anywhere.
 */
bool rl_pin_begin(struct rl_pin *pin, struct rl_bounds *bounds, const char *path);
void rl_pin_end(struct rl_pin *pin);

/* The systems' part. */

/* Sets `real` and `path`, and opens what is to stay open. False: it cannot be told. */
bool rl_pin_find(struct rl_pin *pin, const char *path);
void rl_pin_close(struct rl_pin *pin);

#endif
