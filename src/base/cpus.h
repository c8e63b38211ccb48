/*
 * Whether this process may use more than one CPU at once, by its affinity and by its cgroups, as
 * containers and services have them.
 */
#ifndef RL_CPUS_H
#define RL_CPUS_H

#include <stdbool.h>

/*
 * As the calling thread may. This reads files: ask once. False also where the system does not say:
 * only Linux does.
 */
bool rl_cpus_are_several(void);
/*
 * Whether one of the cgroups listed in the file `membership`, or of those above them, has less time
 * than two CPUs have. Their folders are below `root`.
 */
bool rl_cpus_are_rationed(const char *membership, const char *root);
/*
 * Whether more threads than there are CPUs run or want to run just now, as the file `loadavg` says.
 * This reads it. False also where the system does not say.
 */
bool rl_cpus_are_crowded(const char *loadavg);

#endif
