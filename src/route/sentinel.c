#include "sentinel.h"
#include "inquiry.h"
#include "../base/number.h"
#include "../redis/address_syntax.h"
#include "../redis/refusal.h"

#include <stdlib.h>
#include <string.h>

/* What was found out about a master. */
struct sentinels {
	struct rl_topology base;
	size_t first;             /* which is asked first: the one that answered last; modulo count */
	struct rl_server *master; /* NULL: none was found yet */
	bool doubted;             /* the sentinels are asked before it is used again */
};

static struct sentinels *sentinels_of(const struct rl_route *route)
{
	return (struct sentinels *)rl_topology_of(route);
}

static bool leads_to(const struct rl_server *server, const struct rl_address *place)
{
	return server && strcmp(rl_server_address(server)->identity, place->identity) == 0;
}

static void replace(struct rl_server **place, struct rl_server *server)
{
	if (*place) {
		rl_server_unref(*place);
	}
	*place = server;
}

/* --- what the server says that a sentinel names --- */

static enum rl_status ask_role(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	static const struct rl_text words[] = { { "INFO", 4 }, { "replication", 11 } };

	return rl_exchange_write(exchange, words, 2, error);
}

static enum rl_status judge_role(
	struct rl_inquiry *inquiry, const struct rl_reply *reply, struct rl_error *error)
{
	struct sentinels *sentinels = sentinels_of(inquiry->route);
	struct rl_server *server = inquiry->exchange.server;
	size_t length;
	const char *role = rl_reply_info_field(reply, "role", &length);

	if (role && (length != 6 || memcmp(role, "master", 6) != 0)) {
		return rl_fail(error, RL_UNREACHABLE,
			"Redis at %s is not a master, though Sentinel names it; is a failover under way?",
			rl_server_address(server)->name);
	}
	replace(&sentinels->master, rl_server_ref(server));
	sentinels->doubted = false;
	sentinels->first = inquiry->first + inquiry->asked - 1;
	return RL_OK;
}

static const struct rl_inquiry_question which_role = {
	.write = ask_role, .may_be_refused = true, .read = judge_role
};

/* --- what a sentinel says --- */

static enum rl_status ask_name(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	const struct rl_inquiry *inquiry = context;
	const char *master = rl_topology_of(inquiry->route)->addresses->master;
	const struct rl_text words[] = { { "SENTINEL", 8 }, { "GET-MASTER-ADDR-BY-NAME", 23 },
		rl_text_of(master) };

	return rl_exchange_write(exchange, words, 3, error);
}

/* Takes the address over. A sentinel that names the same as another before is not believed. */
static enum rl_status ask_master(
	struct rl_inquiry *inquiry, struct rl_address *place, struct rl_error *error)
{
	const struct sentinels *sentinels = sentinels_of(inquiry->route);
	struct rl_server *server;

	if (leads_to(inquiry->named, place)) {
		rl_address_free(place);
		return RL_NO;
	}
	if (leads_to(sentinels->master, place)) {
		rl_address_free(place);
		server = rl_server_ref(sentinels->master);
	} else if (!(server = rl_server_cached(sentinels->base.cache, place))) {
		return rl_fail_for_memory(error);
	}
	replace(&inquiry->named, server);
	rl_inquiry_ask(inquiry, rl_server_ref(server), &which_role);
	return RL_NO;
}

/* Host and port as texts. A sentinel is believed no more than it is known. */
static enum rl_status read_address(
	struct rl_inquiry *inquiry, const struct rl_reply *reply, struct rl_error *error)
{
	const struct rl_seed_addresses *addresses = rl_topology_of(inquiry->route)->addresses;
	const char *sentinel = rl_server_address(inquiry->exchange.server)->name;
	const struct rl_reply *part = reply->elements;
	struct rl_address *place;
	char name[128];
	int64_t port;

	if (reply->type == RL_REPLY_NIL) {
		return rl_fail(error, RL_UNREACHABLE,
			"Sentinel at %s does not know a master of the name \"%s\"", sentinel,
			rl_text_printable(name, sizeof name, rl_text_of(addresses->master)));
	}
	if (reply->type != RL_REPLY_ARRAY || reply->count != 2 || part[0].type != RL_REPLY_STRING
		|| part[1].type != RL_REPLY_STRING
		|| !rl_address_syntax_is_host((struct rl_text){ part[0].text, part[0].length })
		|| !rl_number_read((struct rl_text){ part[1].text, part[1].length }, 65535, &port)
		|| port == 0) {
		return rl_fail(error, RL_UNREACHABLE,
			"Sentinel at %s: the answer is not one that a sentinel gives", sentinel);
	}
	if (!rl_seed_addresses_vouch_for(addresses, part[0].text)) {
		return rl_fail(error, RL_UNREACHABLE,
			"Sentinel at %s names %s, which nobody vouches for: by sentinel_tls=0 anybody may have said so; "
			"leave that out, or say by sni= which name the certificates of the servers have",
			sentinel, part[0].text);
	}
	place = rl_address_at(addresses->login, part[0].text, (int)port, NULL);
	return place ? ask_master(inquiry, place, error) : rl_fail_for_memory(error);
}

static const struct rl_inquiry_question which_address = { .write = ask_name, .read = read_address };

/* --- finding it --- */

static enum rl_status ask_next(struct rl_inquiry *inquiry, struct rl_error *error)
{
	struct sentinels *sentinels = sentinels_of(inquiry->route);
	const struct rl_seed_addresses *addresses = sentinels->base.addresses;
	struct rl_address *address;
	struct rl_server *sentinel;

	if (inquiry->asked == 0) {
		inquiry->first = sentinels->first;
	} else if (inquiry->asked == addresses->count) {
		/* Another one is asked first the next time, in case this one used up all the time. */
		sentinels->first = inquiry->first + 1;
		return RL_NO;
	}
	address = rl_address_copy(
		addresses->hosts[(inquiry->first + inquiry->asked++) % addresses->count]);
	sentinel = address ? rl_server_of_sentinel(sentinels->base.cache, address) : NULL;
	if (!sentinel) {
		return rl_fail_for_memory(error);
	}
	rl_inquiry_ask(inquiry, sentinel, &which_address);
	return RL_OK;
}

static const struct rl_inquiry_kind for_master = {
	.next = ask_next, .tells_all = true
};

static enum rl_status locate(struct rl_route *route, struct rl_text key, rl_time *deadline,
	struct rl_server **server, struct rl_error *error)
{
	const struct sentinels *sentinels = sentinels_of(route);
	enum rl_status status = !sentinels->master || sentinels->doubted
		? rl_inquiry_run(&for_master, route, deadline, error)
		: RL_OK;

	if (status == RL_OK) {
		*server = sentinels->master;
	}
	return status;
}

static enum rl_lesson doubt(struct sentinels *sentinels, const struct rl_failure *failure)
{
	if (failure->server && failure->server != sentinels->master) {
		return RL_LESSON_AGAIN; /* it was found out meanwhile */
	}
	sentinels->doubted = true;
	return RL_LESSON_LATER;
}

static enum rl_lesson learn(struct rl_route *route, struct rl_text key, struct rl_failure *failure)
{
	if (failure->status == RL_UNREACHABLE) {
		return doubt(sentinels_of(route), failure);
	}
	/* It is no longer the master, or will not be for long. */
	if (rl_refusal_of(failure->error) == RL_REFUSAL_MISPLACED
		|| strcmp(failure->error->code, "NOREPLICAS") == 0) {
		return doubt(sentinels_of(route), failure);
	}
	return RL_LESSON_NONE;
}

/* --- the route --- */

static void end(struct rl_topology *base)
{
	struct sentinels *sentinels = (struct sentinels *)base;

	if (sentinels->master) {
		rl_server_unref(sentinels->master);
	}
}

#define NO_SENTINEL \
 "it is no sentinel: a single server's address begins with redis://, and sentinels are asked at a port of their own"

static const struct rl_advice advice[] = { { "unknown command 'SENTINEL'", NO_SENTINEL },
	{ "unknown command `SENTINEL`", NO_SENTINEL }, /* Redis 6 */
	{ "READONLY",
		"it is a replica, and Sentinel has not named another master in time; is a failover under way?" },
	{ "MOVED", "it is a node of a Redis Cluster, whose address begins with cluster://" },
	{ NULL, NULL } };

static const struct rl_topology_kind kind = {
	.route = {
		.locate = locate,
		.learn = learn,
		.duplicate = rl_topology_duplicate,
		.free = rl_topology_free,
		.advice = advice,
	},
	.size = sizeof(struct sentinels),
	.end = end,
};

struct rl_route *rl_sentinel_route(struct rl_seed_addresses *addresses, struct rl_cache *cache)
{
	return rl_topology_route(&kind, addresses, cache);
}

const struct rl_seed_addresses *rl_sentinel_addresses(const struct rl_route *route)
{
	return route->kind == &kind.route ? rl_topology_of(route)->addresses : NULL;
}
