#include "replicas.h"
#include "../base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * A server looks now and then whether the time of a WAIT is up. Its answer must come in time, too.
 */
#define WAIT_ENDS_LATE (110 * RL_MILLISECOND)

enum rl_status rl_replicas_ask(struct rl_route *route, struct rl_exchange *exchange,
	struct rl_rider *rider, struct rl_error *error)
{
	rl_time left = exchange->loan.deadline - rl_now();
	int64_t left_ms = (left > 2 * WAIT_ENDS_LATE ? left - WAIT_ENDS_LATE : left / 2)
		/ RL_MILLISECOND;
	char replicas[16], timeout[24];
	struct rl_text words[3] = { { "WAIT", 4 }, { replicas, 0 }, { timeout, 0 } };

	words[1].length = (size_t)snprintf(replicas, sizeof replicas, "%d", route->replicas);
	/* 0 would be for ever. */
	words[2].length = (size_t)snprintf(
		timeout, sizeof timeout, "%" PRId64, left_ms > 0 ? left_ms : 1);
	route->requests++;
	return rl_exchange_ride(exchange, rider, words, 3, error);
}

/* The code is the one that Redis has for it. */
static enum rl_status too_few_replicas(struct rl_error *error)
{
	memcpy(error->code, "NOREPLICAS", sizeof "NOREPLICAS");
	return RL_REFUSED;
}

enum rl_status rl_replicas_judge(const struct rl_route *route, const struct rl_exchange *exchange,
	const struct rl_rider *rider, struct rl_error *error)
{
	const char *server = rl_server_address(exchange->server)->name;

	if (rider->status == RL_UNREACHABLE && rl_now() >= exchange->loan.deadline) {
		rl_fail(error, RL_REFUSED,
			"Redis at %s: too few of %d replicas have said in time that they have it", server,
			route->replicas);
		return too_few_replicas(error);
	}
	if (rider->status != RL_OK) {
		return rider->status;
	}
	if (!rider->is_number) {
		return rl_fail(
			error, RL_UNREACHABLE, "Redis at %s does not say how many replicas have it", server);
	}
	if (rider->number < route->replicas) {
		rl_fail(error, RL_REFUSED, "Redis at %s: only %" PRId64 " of %d replicas have it", server,
			rider->number, route->replicas);
		return too_few_replicas(error);
	}
	return RL_OK;
}
