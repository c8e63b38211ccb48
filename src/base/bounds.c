#include "bounds.h"
#include "path.h"
#include "text.h"
#include "thread.h"

#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
# define SEPARATOR ';'
# define SLASH     '\\'
#else
# define SEPARATOR ':'
# define SLASH     '/'
#endif

static rl_mutex mutex = RL_MUTEX_INIT; /* of the folders of all */

static void lock(void)
{
	rl_thread_lock(&mutex);
}

static void unlock(void)
{
	rl_thread_unlock(&mutex);
}

bool rl_bounds_set(struct rl_bounds *bounds, const char *folders)
{
	static bool minds_forks;
	char *copy = folders ? rl_text_copy(rl_text_of(folders)) : NULL, *old;

	if ((folders && !copy) || !rl_system_at_fork(&minds_forks, lock, unlock, unlock)) {
		free(copy);
		return false;
	}
	lock();
	old = bounds->folders;
	bounds->folders = copy;
	unlock();
	free(old);
	return true;
}

char *rl_bounds_folders(struct rl_bounds *bounds)
{
	char *folders;

	if (bounds->ask && bounds->owner == rl_thread_id() && !bounds->ask(bounds)) {
		return NULL;
	}
	lock();
	folders = rl_text_copy(rl_text_of(bounds->folders ? bounds->folders : ""));
	unlock();
	return folders;
}

void rl_bounds_clear(struct rl_bounds *bounds)
{
	free(bounds->folders);
	*bounds = (struct rl_bounds){ .ask = NULL };
}

static bool is_in(const char *real, const char *folder)
{
	size_t length = strlen(folder);

	while (length > 0 && folder[length - 1] == SLASH) {
		length--;
	}
	return strncmp(real, folder, length) == 0 && (real[length] == SLASH || real[length] == '\0');
}

static bool is_in_one(const char *real, char *folders)
{
	bool found = false;

	for (char *folder = folders, *end; folder && !found; folder = end) {
		char *without_links;

		end = strchr(folder, SEPARATOR);
		if (end) {
			*end++ = '\0';
		}
		without_links = *folder ? rl_path_real(folder) : NULL;
		found = without_links && is_in(real, without_links);
		free(without_links);
	}
	return found;
}

bool rl_pin_begin(struct rl_pin *pin, struct rl_bounds *bounds, const char *path)
{
	char *folders = bounds ? rl_bounds_folders(bounds) : NULL;
	bool allowed;

	*pin = (struct rl_pin){ .path = path, .fd = -1 };
	if (!bounds) {
		return true;
	}
	allowed = folders
		&& (!folders[0] || (rl_pin_find(pin, path) && is_in_one(pin->real, folders)));
	free(folders);
	return allowed;
}

void rl_pin_end(struct rl_pin *pin)
{
	rl_pin_close(pin);
	free(pin->real);
	pin->real = NULL;
}
