/*
 * WAIT: whether the replicas have what was written before on a connection.
 *
 *   rl_replicas_ask()      queued behind the call, and sent along with it
 *   ...                    the call's own answer is read
 *   rl_replicas_hear()     or, where the call did nothing that replicas should have, rl_replicas_leave()
 */
#ifndef RL_REPLICAS_H
#define RL_REPLICAS_H

#include "../route/route.h"

/*
 * Where the route wants replicas: queues the question whether they have what was written before,
 * and reads its answer, which leaves the last reply as it is. RL_OK: enough of them do.
 * RL_REFUSED as NOREPLICAS, or as the server refused to say.
 */
enum rl_status rl_replicas_ask(struct rl_route *route, struct rl_connection *connection, rl_time deadline,
	struct rl_error *error);
enum rl_status rl_replicas_hear(const struct rl_route *route, struct rl_connection *connection, rl_time deadline,
	struct rl_error *error);
/*
 * Where nothing was done that replicas should have: reads the answer that was asked for if it is there, or comes in a
 * moment. Otherwise the connection may not be used any more, since the server answers nothing else before it. The last
 * reply stays.
 */
void rl_replicas_leave(struct rl_connection *connection);

#endif
