/*
 * Links are for administrators: a path is only made absolute, from the process's folder.
 */
#include "path.h"
#include "socket.h" /* before windows.h */

#include <windows.h>
#include <stdlib.h>

char *rl_path_real(const char *path)
{
	DWORD size = GetFullPathNameA(path, 0, NULL, NULL);
	char *real = size > 0 ? malloc(size) : NULL;

	if (real && GetFullPathNameA(path, size, real, NULL) >= size) {
		free(real);
		return NULL;
	}
	return real;
}

bool rl_path_from_root(const char *path, char *(*here)(void), char **out)
{
	*out = rl_path_real(path);
	return true;
}
