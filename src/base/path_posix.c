#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* getcwd() that allocates */
#endif

#include "path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *rl_path_real(const char *path)
{
	return realpath(path, NULL);
}

static char *process_folder(void)
{
	return getcwd(NULL, 0); /* which allocates it */
}

bool rl_path_from_root(const char *path, char *(*here)(void), char **out)
{
	bool is_whole = path[0] == '/';
	char *folder = is_whole ? NULL : here ? here()
										  : process_folder();
	size_t size = (folder ? strlen(folder) : 0) + 1 + strlen(path) + 1;
	bool is_known = is_whole || (folder ? folder[0] == '/' : errno == ENOMEM);

	*out = is_known && (is_whole || folder) ? malloc(size) : NULL;
	if (*out) {
		snprintf(*out, size, "%s%s%s", folder ? folder : "",
			folder && folder[1] ? "/" : "", path);
	}
	free(folder);
	return is_known;
}
