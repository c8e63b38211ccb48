/*
 * Windows has no way to use what is open by a name of its own, and links are for administrators:
 * the path is only made absolute.
 */
#include "bounds.h"
#include "socket.h" /* before windows.h */

#include <windows.h>
#include <stdlib.h>

char *rl_pin_real(const char *path)
{
	DWORD size = GetFullPathNameA(path, 0, NULL, NULL);
	char *real = size > 0 ? malloc(size) : NULL;

	if (real && GetFullPathNameA(path, size, real, NULL) >= size) {
		free(real);
		return NULL;
	}
	return real;
}

bool rl_pin_from_root(const char *path, char **out)
{
	*out = rl_pin_real(path);
	return true;
}

bool rl_pin_find(struct rl_pin *pin, const char *path)
{
	pin->path = pin->real = rl_pin_real(path);
	return pin->real != NULL;
}

void rl_pin_close(struct rl_pin *pin)
{
}
