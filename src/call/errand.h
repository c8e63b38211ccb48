/*
 * Requests that follow one another, where the answer to one decides what is asked next: acquiring a
 * lock may take an acquire, an enter, and before them the release of an earlier, unanswered one.
 *
 * An errand runs one request or one broadcast at a time, and whoever begins that says what is to be
 * done when it is over: a function, which begins the next, or says what all of it has come to. So
 * each such function is one transition, and none of them waits. Like all machines it is stepped
 * from outside:
 *
 *   rl_errand_begin()
 *   status = ...             a function that begins something, as by rl_errand_call()
 *   rl_errand_run()          or rl_errand_go_on() for as long as it is RL_NO
 *   rl_errand_end()
 */
#ifndef RL_ERRAND_H
#define RL_ERRAND_H

#include "broadcast.h"

/*
 * What the request or the broadcast has come to; of a request that was answered, errand->request
 * has the reply. RL_NO: something else was begun, and the errand goes on.
 */
typedef enum rl_status rl_errand_then(
	void *context, enum rl_status status, struct rl_error *error);

struct rl_errand {
	struct rl_route *route;
	void *context; /* of the functions */
	/* its own */
	rl_errand_then *then;
	enum {
		RL_ERRAND_RESTS,
		RL_ERRAND_CALLS,
		RL_ERRAND_BROADCASTS
	} runs;
	struct rl_request request;      /* the last call, until the next begins */
	struct rl_broadcast *broadcast; /* the caller's */
	bool has_request;
	rl_time deadline; /* where that of the last one has moved to; 0: there was none */
};

void rl_errand_begin(struct rl_errand *errand, struct rl_route *route, void *context);
/*
 * Begins a call, which is the caller's and stays until it is over. Returns RL_NO. Where the
 * deadline of the one before has moved, so has that of those behind it.
 */
enum rl_status rl_errand_call(
	struct rl_errand *errand, struct rl_call *call, rl_time deadline, rl_errand_then *then);
/* Begins a broadcast, which is the caller's. RL_NO, or RL_NO_MEMORY. */
enum rl_status rl_errand_broadcast(struct rl_errand *errand, struct rl_broadcast *broadcast,
	rl_time deadline, rl_errand_then *then, struct rl_error *error);
/*
 * Goes on as far as that can be done without waiting. RL_NO: it is under way. Otherwise what it has
 * come to, as the last of its functions said. `error` is the same for all steps.
 */
enum rl_status rl_errand_go_on(
	struct rl_errand *errand, struct rl_polls *polls, struct rl_error *error);
/* Waits for what that has added, in the way that is fastest where it is an answer. */
RL_MUST_USE enum rl_wanted rl_errand_wait(
	struct rl_errand *errand, struct rl_polls *polls, struct rl_error *error);
/*
 * Steps it to its end. `status` is that of the function that began it. RL_INTERRUPTED: nobody wants
 * that any more, and it is still under way.
 */
enum rl_status rl_errand_run(
	struct rl_errand *errand, enum rl_status status, struct rl_error *error);
/*
 * Whether the last call was answered on a connection that is still its own; then another exchange
 * may follow there (rl_exchange_follow).
 */
struct rl_exchange *rl_errand_exchange(struct rl_errand *errand);
/* Gives back what it has, whether it is over or not: what is out then has no answer. */
void rl_errand_end(struct rl_errand *errand);

#endif
