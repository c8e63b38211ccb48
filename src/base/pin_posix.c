/*
 * Linux opens a path without looking into what it leads to (O_PATH), says where that is, and lets
 * what is open be used by a name of its own, for a socket, too. Elsewhere, and where there is no
 * /proc, the path is only resolved.
 */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* O_PATH */
#endif

#include "bounds.h"
#include "descriptor.h"
#include "path.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Longer than any path that the system tells. */
#define LONGEST (PATH_MAX + 1)

#ifdef O_PATH

/* What is open, and where it is now. NULL: the system does not say. */
static char *whereabouts(const char *name)
{
	char *real = malloc(LONGEST + 1);
	ssize_t length = real ? readlink(name, real, LONGEST) : -1;

	if (length <= 0 || length == LONGEST || real[0] != '/') {
		free(real);
		return NULL;
	}
	real[length] = '\0';
	return real;
}

static void pin(struct rl_pin *pin, const char *path)
{
	pin->fd = rl_descriptor_keep(open(path, O_PATH | O_CLOEXEC));
	if (pin->fd >= 0) {
		snprintf(pin->name, sizeof pin->name, "/proc/self/fd/%d", pin->fd);
		pin->real = whereabouts(pin->name);
		pin->path = pin->name;
	}
}

#else

static void pin(struct rl_pin *pin, const char *path)
{
}

#endif

bool rl_pin_find(struct rl_pin *found, const char *path)
{
	pin(found, path);
	if (!found->real) {
		rl_pin_close(found);
		found->path = found->real = rl_path_real(path);
	}
	return found->real != NULL;
}

void rl_pin_close(struct rl_pin *pin)
{
	if (pin->fd >= 0) {
		close(pin->fd);
		pin->fd = -1;
	}
}
