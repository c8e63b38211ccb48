#include "sentinel.h"
#include "topology.h"
#include "../base/number.h"
#include "../redis/refusal.h"

#include <stdlib.h>
#include <string.h>

/* What was found out about a master. */
struct sentinels {
	struct rl_topology base;
	size_t first;             /* the sentinel that answered last, which is asked first */
	struct rl_server *master; /* NULL: none was found yet */
	bool doubted;             /* the sentinels are asked before it is used again */
};

static struct sentinels *sentinels_of(const struct rl_route *route)
{
	return (struct sentinels *)rl_topology_of(route);
}

/* --- what a sentinel says --- */

/* Its answer: host and port as texts. */
static enum rl_status read_address(const struct rl_route *route, const struct rl_server *server,
	const struct rl_reply *reply, void *context, struct rl_error *error)
{
	const struct sentinels *sentinels = sentinels_of(route);
	const struct rl_address *sentinel = rl_server_address(server);
	struct rl_address **place = context;
	const struct rl_reply *part = reply->elements;
	char name[128];
	int64_t port;

	if (reply->type == RL_REPLY_NIL) {
		return rl_fail(error, RL_UNREACHABLE,
			"Sentinel at %s does not know a master of the name \"%s\"", sentinel->name,
			rl_text_printable(name, sizeof name, rl_text_of(sentinels->base.addresses->master)));
	}
	if (reply->type != RL_REPLY_ARRAY || reply->count != 2 || part[0].type != RL_REPLY_STRING
		|| part[1].type != RL_REPLY_STRING || part[0].length == 0
		|| strlen(part[0].text) != part[0].length
		|| !rl_number_read((struct rl_text){ part[1].text, part[1].length }, 65535, &port)
		|| port == 0) {
		return rl_fail(error, RL_UNREACHABLE,
			"Sentinel at %s: the answer is not one that a sentinel gives", sentinel->name);
	}
	*place = rl_address_at(sentinels->base.addresses->login, part[0].text, (int)port, NULL);
	return *place ? RL_OK : rl_fail_for_memory(error);
}

static enum rl_status ask_sentinel(const struct rl_route *route, const struct rl_address *sentinel,
	rl_time deadline, struct rl_address **place, struct rl_error *error)
{
	const struct sentinels *sentinels = sentinels_of(route);
	const struct rl_text words[] = {
		{ "SENTINEL", 8 },
		{ "GET-MASTER-ADDR-BY-NAME", 23 },
		{ sentinels->base.addresses->master, strlen(sentinels->base.addresses->master) },
	};
	struct rl_topology_question question = {
		.words = words, .word_count = 3, .read = read_address, .context = place
	};
	struct rl_address *copy = rl_address_copy(sentinel);
	struct rl_server *server = copy ? rl_server_of_sentinel(copy) : NULL;
	enum rl_status status;

	if (!server) {
		return rl_fail_for_memory(error);
	}
	status = rl_topology_ask(route, server, &question, deadline, error);
	rl_server_unref(server);
	return status;
}

/* --- what the server says that it names --- */

static enum rl_status judge_role(const struct rl_route *route, const struct rl_server *server,
	const struct rl_reply *reply, void *context, struct rl_error *error)
{
	size_t length;
	const char *role = rl_reply_info_field(reply, "role", &length);

	if (role && (length != 6 || memcmp(role, "master", 6) != 0)) {
		return rl_fail(error, RL_UNREACHABLE,
			"Redis at %s is not a master, though Sentinel names it; is a failover under way?",
			rl_server_address(server)->name);
	}
	return RL_OK;
}

static const struct rl_text info_replication[] = { { "INFO", 4 }, { "replication", 11 } };

static const struct rl_topology_question which_role = {
	.words = info_replication,
	.word_count = 2,
	.may_be_refused = true,
	.read = judge_role,
};

/* --- finding it --- */

static bool leads_to(const struct rl_server *server, const struct rl_address *place)
{
	return server && strcmp(rl_server_address(server)->identity, place->identity) == 0;
}

/*
 * Takes the address over. `tried`: the last server that was not the master; sentinels that name it,
 * too, are not believed.
 */
static enum rl_status try_master(const struct rl_route *route, struct rl_address *place,
	rl_time deadline, struct rl_server **tried, struct rl_error *error)
{
	struct sentinels *sentinels = sentinels_of(route);
	struct rl_server *server;
	enum rl_status status;

	if (leads_to(*tried, place)) {
		rl_address_free(place);
		return RL_NO;
	}
	if (leads_to(sentinels->master, place)) {
		rl_address_free(place);
		server = rl_server_ref(sentinels->master);
	} else if (!(server = rl_server_cached(sentinels->base.cache, place))) {
		return rl_fail_for_memory(error);
	}
	status = rl_topology_ask(route, server, &which_role, deadline, error);
	if (status != RL_OK) {
		if (*tried) {
			rl_server_unref(*tried);
		}
		*tried = server;
		return status;
	}
	if (sentinels->master) {
		rl_server_unref(sentinels->master);
	}
	sentinels->master = server;
	sentinels->doubted = false;
	return RL_OK;
}

/*
 * Asks one sentinel after the other until one names a master. The error is that of the last; but a
 * refusal stays, since no other attempt will change it.
 */
static enum rl_status find(const struct rl_route *route, rl_time deadline, struct rl_error *error)
{
	struct sentinels *sentinels = sentinels_of(route);
	size_t count = sentinels->base.addresses->count;
	struct rl_server *tried = NULL;
	struct rl_error last;
	enum rl_status status = RL_UNREACHABLE, failed = RL_UNREACHABLE;

	for (size_t i = 0; i < count && status != RL_OK && status != RL_NO_MEMORY; i++) {
		size_t index = (sentinels->first + i) % count;
		struct rl_address *place = NULL;

		status = ask_sentinel(route, sentinels->base.addresses->hosts[index],
			rl_topology_answer_by(route, deadline), &place, &last);
		if (status == RL_OK) {
			status = try_master(
				route, place, rl_topology_answer_by(route, deadline), &tried, &last);
		}
		if (status == RL_OK) {
			sentinels->first = index;
		} else if (status != RL_NO && failed != RL_REFUSED) {
			failed = status;
			*error = last;
		}
	}
	if (tried) {
		rl_server_unref(tried);
	}
	if (status != RL_OK) {
		/* Another one is asked first the next time, in case this one used up all the time. */
		sentinels->first = (sentinels->first + 1) % count;
	}
	return status == RL_OK || status == RL_NO_MEMORY ? status : failed;
}

static enum rl_status locate(struct rl_route *route, struct rl_text key, rl_time deadline,
	struct rl_server **server, struct rl_error *error)
{
	struct sentinels *sentinels = sentinels_of(route);
	enum rl_status status = sentinels->master && !sentinels->doubted ? RL_OK
																	 : find(route, deadline, error);

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
