#include "replicas.h"
#include "../base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * A server looks now and then whether the time of a WAIT is up. Its answer must come in time, too.
 */
#define WAIT_ENDS_LATE (110 * RL_MILLISECOND)
/*
 * The server does nothing else on a connection where a WAIT is out. What takes back, behind it, a
 * lock that nobody wants any more must not come late: so it is asked for no longer at a time.
 */
#define AT_A_TIME (RL_SECOND / 2)
/* A server's clock may show whole milliseconds. Who answers sooner has made up its mind. */
#define EARLY (2 * RL_MILLISECOND)

static enum rl_status ask(struct rl_route *route, struct rl_exchange *exchange,
	struct rl_rider *rider,
	enum rl_status (*ride)(struct rl_exchange *exchange, struct rl_rider *rider,
		const struct rl_text *words, size_t count, struct rl_error *error),
	struct rl_error *error)
{
	rl_time now = rl_now(), left = exchange->loan.deadline - now;
	rl_time part = left > 2 * WAIT_ENDS_LATE ? left - WAIT_ENDS_LATE : left / 2;
	int64_t left_ms = rl_time_earlier(part, AT_A_TIME) / RL_MILLISECOND;
	char replicas[16], timeout[24];
	struct rl_text words[4];
	size_t count = 0;

	words[count++] = rl_text_of(route->durable ? "WAITAOF" : "WAIT");
	if (route->durable) {
		words[count++] = rl_text_of("1"); /* the server itself */
	}
	snprintf(replicas, sizeof replicas, "%d", route->replicas);
	words[count++] = rl_text_of(replicas);
	/* 0 would be for ever. */
	snprintf(timeout, sizeof timeout, "%" PRId64, left_ms > 0 ? left_ms : 1);
	words[count++] = rl_text_of(timeout);
	rider->more_from = part > AT_A_TIME ? now + AT_A_TIME - EARLY : RL_FOREVER;
	route->requests++;
	return ride(exchange, rider, words, count, error);
}

enum rl_status rl_replicas_ask(struct rl_route *route, struct rl_exchange *exchange,
	struct rl_rider *rider, struct rl_error *error)
{
	return ask(route, exchange, rider, rl_exchange_ride, error);
}

static bool have_it(const struct rl_route *route, const struct rl_rider *rider)
{
	return (!route->durable || rider->numbers[0] >= 1)
		&& rider->numbers[rider->count - 1] >= route->replicas;
}

static size_t answer_size(const struct rl_route *route)
{
	return route->durable ? 2 : 1;
}

bool rl_replicas_ask_on(struct rl_route *route, struct rl_exchange *exchange,
	struct rl_rider *rider, struct rl_error *error)
{
	return rider->matters && rider->status == RL_OK && rider->count == answer_size(route)
		&& !have_it(route, rider) && rl_now() >= rider->more_from
		&& rl_connection_is_usable(exchange->connection)
		&& ask(route, exchange, rider, rl_exchange_ride_on, error) == RL_OK;
}

/* It does not know the command, or has no such file. */
static bool has_no_aof(const struct rl_error *error)
{
	return strstr(error->message, "unknown command")
		|| strstr(error->message, "appendonly is disabled");
}

static enum rl_status no_aof(const char *server, struct rl_error *error)
{
	rl_fail(error, RL_REFUSED,
		"Redis at %s cannot keep durable locks: that takes appendonly yes, and Redis 7.2 or later or "
		"Valkey, which have WAITAOF",
		server);
	memcpy(error->code, "NOAOF", sizeof "NOAOF");
	return RL_REFUSED;
}

/* The code is the one that Redis has for it. */
static enum rl_status too_few_replicas(struct rl_error *error)
{
	memcpy(error->code, "NOREPLICAS", sizeof "NOREPLICAS");
	return RL_REFUSED;
}

static enum rl_status replicas_are_late(
	const struct rl_route *route, const char *server, struct rl_error *error)
{
	rl_fail(error, RL_REFUSED,
		"Redis at %s: too few of %d replicas have said in time that they have it", server,
		route->replicas);
	return too_few_replicas(error);
}

/* A renewal has a third of the lease for it. */
static enum rl_status disk_is_late(const char *server, struct rl_error *error)
{
	rl_fail(error, RL_REFUSED,
		"Redis at %s has not written it to its disk in time; with appendfsync everysec that may take two "
		"seconds, and `timeout` must be longer, as must a third of a lease that is renewed",
		server);
	return too_few_replicas(error);
}

enum rl_status rl_replicas_judge(const struct rl_route *route, const struct rl_exchange *exchange,
	const struct rl_rider *rider, struct rl_error *error)
{
	const char *server = rl_server_address(exchange->server)->name;

	if (rider->status == RL_UNREACHABLE && rl_now() >= exchange->loan.deadline) {
		return route->replicas > 0 ? replicas_are_late(route, server, error)
								   : disk_is_late(server, error);
	}
	if (rider->status != RL_OK) {
		return route->durable && has_no_aof(error) ? no_aof(server, error) : rider->status;
	}
	if (rider->count != answer_size(route)) {
		return rl_fail(
			error, RL_UNREACHABLE, "Redis at %s does not say how many replicas have it", server);
	}
	if (route->durable && rider->numbers[0] < 1) {
		return disk_is_late(server, error);
	}
	if (rider->numbers[rider->count - 1] < route->replicas) {
		rl_fail(error, RL_REFUSED, "Redis at %s: only %" PRId64 " of %d replicas have it", server,
			rider->numbers[rider->count - 1], route->replicas);
		return too_few_replicas(error);
	}
	return RL_OK;
}
