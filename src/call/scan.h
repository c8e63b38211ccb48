/*
 * A route's keys, found by SCAN in steps of a hundred, so that no server is blocked: on one
 * server, on all masters of a cluster, or on a majority of independent nodes, since what a majority
 * has is on one of any majority.
 *
 *   rl_scan_new()
 *   rl_scan_next()    until it is RL_NO
 *   rl_scan_free()
 *
 * Between the steps no connection is on loan. A key that was there from the first step to the last
 * is found, perhaps several times: the servers may repeat keys, and one that was cut off or
 * replaced is asked anew. In a cluster a key can be missed if its slot moves meanwhile.
 */
#ifndef RL_SCAN_H
#define RL_SCAN_H

#include "../route/route.h"

struct rl_scan;

/* Copies the pattern, which is a glob for whole keys, as MATCH reads it. NULL: out of memory. */
struct rl_scan *rl_scan_new(struct rl_route *route, struct rl_text pattern);
void rl_scan_free(struct rl_scan *scan);

/*
 * One request, within the route's timeout, which independent nodes that fail have between them.
 * RL_OK: `found` was told of some keys, which are valid during the call, or of none. RL_NO: all
 * have been found. Otherwise it failed, and so does the next step: RL_UNREACHABLE, RL_REFUSED, or
 * RL_NO_MEMORY, also because `found` returned false.
 */
enum rl_status rl_scan_next(struct rl_scan *scan, bool (*found)(void *context, struct rl_text key),
	void *context, struct rl_error *error);

#endif
