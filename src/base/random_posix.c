#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* getentropy */
#endif

#include "random.h"
#include "descriptor.h"
#include "system.h"

#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
# include <sys/random.h> /* getentropy */
#endif

#define POOL_SIZE 256 /* the most that getentropy() gives at once */

/* Random bytes in stock, since every lock needs some and a system call costs more than they do. */
struct pool {
	unsigned char bytes[POOL_SIZE];
	size_t left;         /* unused, at the end of `bytes` */
	uint64_t generation; /* a child must not repeat its parent's */
};

static RL_THREAD_LOCAL struct pool pool;

static bool pool_fill(void)
{
	pool.left = 0;
	/* The device is for kernels and sandboxes without the system call. */
	if (getentropy(pool.bytes, POOL_SIZE) != 0
		&& rl_descriptor_read_file("/dev/urandom", pool.bytes, POOL_SIZE) != POOL_SIZE) {
		return false;
	}
	pool.left = POOL_SIZE;
	pool.generation = rl_system_generation();
	return true;
}

bool rl_random_fill(void *buffer, size_t size)
{
	unsigned char *out = buffer;

	while (size > 0) {
		unsigned char *from;
		size_t take;

		if ((pool.left == 0 || pool.generation != rl_system_generation()) && !pool_fill()) {
			return false;
		}
		take = size < pool.left ? size : pool.left;
		from = pool.bytes + POOL_SIZE - pool.left;
		memcpy(out, from, take);
		memset(from, 0, take);
		pool.left -= take;
		out += take;
		size -= take;
	}
	return true;
}
