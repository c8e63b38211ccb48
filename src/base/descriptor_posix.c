#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* pipe2, syscall */
#endif

#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
# include <sys/syscall.h>
# if defined(SYS_close_range) && !defined(CLOSE_RANGE_UNSHARE)
#  define CLOSE_RANGE_UNSHARE 2u
# endif
#endif

#define FIRST_OURS (STDERR_FILENO + 1)

int rl_descriptor_keep(int fd)
{
	int kept, failure;

	if (fd < 0 || fd >= FIRST_OURS) {
		return fd;
	}
	kept = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OURS);
	failure = errno;
	close(fd);
	errno = failure;
	return kept;
}

int rl_descriptor_copy(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OURS);
}

size_t rl_descriptor_read_file(const char *path, void *buffer, size_t size)
{
	size_t length = 0;
	ssize_t got;
	int fd;

	do {
		fd = open(path, O_RDONLY | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	fd = rl_descriptor_keep(fd);
	if (fd < 0) {
		return 0;
	}
	do {
		got = read(fd, (char *)buffer + length, size - length);
		length += got > 0 ? (size_t)got : 0;
	} while (length < size && (got > 0 || (got < 0 && errno == EINTR)));
	close(fd);
	return length;
}

bool rl_descriptor_pipe(int ends[2])
{
#ifdef __APPLE__
	if (pipe(ends) != 0) {
		return false;
	}
	for (int i = 0; i < 2; i++) {
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
		fcntl(ends[i], F_SETFL, O_NONBLOCK);
	}
#else
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
		return false;
	}
#endif
	ends[0] = rl_descriptor_keep(ends[0]);
	ends[1] = rl_descriptor_keep(ends[1]);
	if (ends[0] >= 0 && ends[1] >= 0) {
		return true;
	}
	close(ends[ends[0] < 0]); /* what of the two is open */
	return false;
}

struct rl_descriptor rl_descriptor_note(int fd)
{
	struct rl_descriptor descriptor = { .fd = fd };
	struct stat stat;

	if (fstat(fd, &stat) == 0) {
		descriptor.device = stat.st_dev;
		descriptor.inode = stat.st_ino;
	}
	return descriptor;
}

bool rl_descriptor_is_ours(const struct rl_descriptor *descriptor)
{
	struct stat stat;

	return fstat(descriptor->fd, &stat) == 0 && stat.st_dev == descriptor->device
		&& stat.st_ino == descriptor->inode;
}

/* The table that is cut off behind the standard ones is this thread's copy. */
void rl_descriptor_unshare(void)
{
#ifdef SYS_close_range
	for (int fd = 0; fd < FIRST_OURS; fd++) {
		if (fcntl(fd, F_GETFD) < 0) {
			syscall(SYS_close_range, (unsigned)FIRST_OURS, ~0u, CLOSE_RANGE_UNSHARE);
			return;
		}
	}
#endif
}
