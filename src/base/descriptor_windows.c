#include "descriptor.h"

/* Its sockets have no standard numbers, and nothing is printed to their handles. */
void rl_descriptor_part(void)
{
}
