/*
 * WAIT: whether the replicas have what was written before on a connection; or WAITAOF: whether it
 * is in the append-only files of the server, and of the replicas. It rides behind the command that
 * writes.
 */
#ifndef RL_REPLICAS_H
#define RL_REPLICAS_H

#include "../redis/exchange.h"
#include "../route/route.h"

/*
 * Adds the question to an exchange, for a route that wants replicas or durability. Its answer must
 * come by the exchange's deadline, if it matters: if something was done that they should have.
 */
enum rl_status rl_replicas_ask(struct rl_route *route, struct rl_exchange *exchange,
	struct rl_rider *rider, struct rl_error *error);
/*
 * When its answer was heard, which was RL_OK for the exchange. True: it said that too few have it,
 * though there is more time; so it was asked once more, and the exchange goes on.
 */
bool rl_replicas_ask_on(struct rl_route *route, struct rl_exchange *exchange,
	struct rl_rider *rider, struct rl_error *error);
/*
 * What the answer means, if it matters. RL_OK: enough of them have it. RL_REFUSED: too few do
 * (NOREPLICAS), or the server itself has not; it cannot tell (NOAOF), or refused to.
 * RL_UNREACHABLE: nobody knows.
 */
enum rl_status rl_replicas_judge(const struct rl_route *route, const struct rl_exchange *exchange,
	const struct rl_rider *rider, struct rl_error *error);

#endif
