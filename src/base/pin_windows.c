/*
 * Windows has no way to use what is open by a name of its own: the path is only resolved.
 */
#include "bounds.h"
#include "path.h"

bool rl_pin_find(struct rl_pin *pin, const char *path)
{
	pin->path = pin->real = rl_path_real(path);
	return pin->real != NULL;
}

void rl_pin_close(struct rl_pin *pin)
{
}
