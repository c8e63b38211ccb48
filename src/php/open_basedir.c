#include "open_basedir.h"

#include "php.h"
#include "zend_smart_str.h"

#include "../base/thread.h"
#include "globals.h"

static void add_current_folder(smart_str *folders)
{
	char *here = emalloc(MAXPATHLEN); /* too much for a fiber's stack */

	if (VCWD_GETCWD(here, MAXPATHLEN)) {
		smart_str_appends(folders, here);
		smart_str_appendc(folders, PHP_DIR_SEPARATOR);
	}
	efree(here);
}

static void add_folder(smart_str *folders, const char *folder, size_t length)
{
	if (folders->s) {
		smart_str_appendc(folders, DEFAULT_DIR_SEPARATOR);
	}
	if (!IS_ABSOLUTE_PATH(folder, length)) {
		add_current_folder(folders);
	}
	smart_str_appendl(folders, folder, length);
}

/* What is relative is so to where the script is now, as PHP takes it. */
static void add_folders(smart_str *folders, const char *setting)
{
	while (*setting) {
		const char separator[] = { DEFAULT_DIR_SEPARATOR, '\0' };
		size_t length = strcspn(setting, separator);

		if (length > 0) {
			add_folder(folders, setting, length);
		}
		setting += length + (setting[length] != '\0');
	}
	smart_str_0(folders);
}

static bool ask(struct rl_bounds *bounds)
{
	const char *setting = PG(open_basedir);
	smart_str folders = { .s = NULL };
	bool done = true;

	if (setting && *setting) {
		add_folders(&folders, setting);
		/* nothing but separators allows nothing */
		setting = folders.s ? ZSTR_VAL(folders.s) : setting;
		if (!bounds->folders || strcmp(bounds->folders, setting) != 0) {
			done = rl_bounds_set(bounds, setting);
		}
	} else if (bounds->folders) {
		done = rl_bounds_set(bounds, NULL);
	}
	smart_str_free(&folders);
	return done;
}

struct rl_bounds *php_rlock_bounds(void)
{
	struct rl_bounds *bounds = &RLOCK_G(bounds);

	if (!bounds->ask) {
		bounds->ask = ask;
		bounds->owner = rl_thread_id();
	}
	return bounds;
}

void php_rlock_open_basedir_tell(void)
{
	ask(&RLOCK_G(bounds));
}
