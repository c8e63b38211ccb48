/*
 * WAIT: whether the replicas have what was written before on a connection.
 *
 *   rl_replicas_ask()      queued behind the call, and sent along with it
 *   ...                    the call's own answer is read
 *   rl_replicas_hear()
 */
#ifndef RL_REPLICAS_H
#define RL_REPLICAS_H

#include "../route/route.h"

/*
 * For routes that want replicas. The first queues the question whether they have what was written
 * before. The second reads the answer, and the call's own reply stays valid. RL_OK: enough of them
 * have it, or nothing was done that they should have (`matters`). RL_REFUSED: too few do
 * (NOREPLICAS), or the server refused to say.
 *
 * An answer that does not matter is read if it comes within a moment; otherwise the connection is
 * not usable any more, since the server answers nothing else before it.
 */
enum rl_status rl_replicas_ask(struct rl_route *route, struct rl_connection *connection,
	rl_time deadline, struct rl_error *error);
enum rl_status rl_replicas_hear(const struct rl_route *route, struct rl_connection *connection,
	bool matters, rl_time deadline, struct rl_error *error);

#endif
