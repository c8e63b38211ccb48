#include "random.h"
#include "socket.h" /* before windows.h */

#include <windows.h>
#include <bcrypt.h>

/* Made in the process itself from a seed of the system's, so there is no call to save. */
bool rl_random_fill(void *buffer, size_t size)
{
	return size <= ULONG_MAX
		&& BCRYPT_SUCCESS(
			BCryptGenRandom(NULL, buffer, (ULONG)size, BCRYPT_USE_SYSTEM_PREFERRED_RNG));
}
