/*
 * File descriptors that are ours alone: above the three standard ones, and not inherited by
 * programs that this one starts.
 *
 * A daemon may close its standard streams. A socket that took such a number would send the server
 * what the program prints, and Redis would run it.
 */
#ifndef RL_DESCRIPTOR_H
#define RL_DESCRIPTOR_H

/*
 * From now on the calling thread, which ends soon and has opened nothing, has descriptors of its
 * own, for code of others that opens some: where a standard one is free, and the system can.
 */
void rl_descriptor_unshare(void);

/*
 * One more descriptor for the same, above the standard ones, which programs do not inherit. -1 and
 * errno: the system refuses, or has none of these.
 */
int rl_descriptor_copy(int fd);

#ifndef _WIN32

# include <stdbool.h>
# include <stddef.h>
# include <sys/types.h>

/*
 * Takes a new descriptor that programs do not inherit, or -1, and returns one above the standard
 * ones. -1 and errno: the system refused one of the two, and neither is open.
 */
int rl_descriptor_keep(int fd);
/* As much of a file as there is, and fits. 0: it is empty, or cannot be read. */
size_t rl_descriptor_read_file(const char *path, void *buffer, size_t size);
/* Non-blocking: the first is read from. False: the system refused. */
bool rl_descriptor_pipe(int ends[2]);

/*
 * What a descriptor was when it was opened: a program may close all there are, and others get their
 * numbers. It tells sockets and pipes apart, but not what Linux has no inode for.
 */
struct rl_descriptor {
	int fd;
	dev_t device;
	ino_t inode;
};

struct rl_descriptor rl_descriptor_note(int fd);
/* Whether it is that still. */
bool rl_descriptor_is_ours(const struct rl_descriptor *descriptor);

#endif

#endif
