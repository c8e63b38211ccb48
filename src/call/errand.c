#include "errand.h"

void rl_errand_begin(struct rl_errand *errand, struct rl_route *route, void *context)
{
	errand->route = route;
	errand->context = context;
	errand->runs = RL_ERRAND_RESTS;
	errand->has_request = false;
	errand->deadline = 0;
}

static void end_request(struct rl_errand *errand)
{
	if (errand->has_request) {
		rl_request_end(&errand->request);
		errand->has_request = false;
	}
}

/* Ends what goes before, whose deadline may have moved. */
static rl_time follow(struct rl_errand *errand, rl_time deadline)
{
	if (errand->has_request) {
		errand->deadline = rl_request_deadline(&errand->request);
		end_request(errand);
	}
	return rl_time_later(deadline, errand->deadline);
}

enum rl_status rl_errand_call(
	struct rl_errand *errand, struct rl_call *call, rl_time deadline, rl_errand_then *then)
{
	rl_request_begin(&errand->request, errand->route, call, follow(errand, deadline));
	errand->has_request = true;
	errand->runs = RL_ERRAND_CALLS;
	errand->then = then;
	return RL_NO;
}

enum rl_status rl_errand_broadcast(struct rl_errand *errand, struct rl_broadcast *broadcast,
	rl_time deadline, rl_errand_then *then, struct rl_error *error)
{
	enum rl_status status;

	status = rl_broadcast_begin(broadcast, follow(errand, deadline), error);
	if (status != RL_OK) {
		return status;
	}
	errand->broadcast = broadcast;
	errand->runs = RL_ERRAND_BROADCASTS;
	errand->then = then;
	return RL_NO;
}

/* What runs is over. */
static enum rl_status over(
	struct rl_errand *errand, enum rl_status status, struct rl_error *error)
{
	if (errand->runs == RL_ERRAND_BROADCASTS) {
		errand->deadline = errand->broadcast->deadline;
		rl_broadcast_end(errand->broadcast);
	}
	errand->runs = RL_ERRAND_RESTS;
	return errand->then(errand->context, status, error);
}

enum rl_status rl_errand_go_on(
	struct rl_errand *errand, struct rl_polls *polls, struct rl_error *error)
{
	enum rl_status status;

	do {
		status = errand->runs == RL_ERRAND_CALLS
			? rl_request_go_on(&errand->request, polls, error)
			: rl_broadcast_go_on(errand->broadcast, NULL, polls, error);
		if (status == RL_NO) {
			return RL_NO;
		}
		status = over(errand, status, error);
	} while (status == RL_NO);
	return status;
}

enum rl_wanted rl_errand_wait(
	struct rl_errand *errand, struct rl_polls *polls, struct rl_error *error)
{
	return errand->runs == RL_ERRAND_CALLS ? rl_request_wait(&errand->request, polls, error)
										   : rl_polls_wait(polls);
}

enum rl_status rl_errand_run(
	struct rl_errand *errand, enum rl_status status, struct rl_error *error)
{
	while (status == RL_NO) {
		status = errand->runs == RL_ERRAND_CALLS
			? rl_request_run(&errand->request, error)
			: rl_broadcast_finish(errand->broadcast, error);
		if (status == RL_INTERRUPTED) {
			break;
		}
		status = over(errand, status, error);
	}
	return status;
}

struct rl_exchange *rl_errand_exchange(struct rl_errand *errand)
{
	bool is_there = errand->has_request && errand->request.has_exchange
		&& errand->request.exchange.connection;

	return is_there ? &errand->request.exchange : NULL;
}

void rl_errand_end(struct rl_errand *errand)
{
	if (errand->runs == RL_ERRAND_BROADCASTS) {
		rl_broadcast_end(errand->broadcast);
	}
	end_request(errand);
	errand->runs = RL_ERRAND_RESTS;
	errand->deadline = 0;
}
