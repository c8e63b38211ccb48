#include "cluster.h"
#include "inquiry.h"
#include "slot.h"
#include "../base/number.h"
#include "../redis/address_syntax.h"
#include "../redis/refusal.h"

#include <stdlib.h>
#include <string.h>

/* Redis Cluster is made for up to 1000 nodes. A map with more than this is not believed. */
#define MAX_NODES 1024
/* Enough for a map where every slot is a range of its own, with a few replicas each. */
#define MAX_REPLY_NODES (RL_SLOTS * 24)
/* The time between two maps at least: after failures, and after news of one slot only. */
#define FAILURE_PAUSE (100 * RL_MILLISECOND)
#define NEWS_PAUSE    RL_SECOND

/* Nodes prefer to be reached by names, and one of them has none. */
#define ANNOUNCE_NAMES \
 "where cluster-preferred-endpoint-type is hostname, set cluster-announce-hostname on each node"

struct map {
	struct rl_server **nodes;
	size_t count;
	uint16_t owner[RL_SLOTS]; /* index + 1; 0: none */
	bool nameless;            /* a node is shown as "?" */
	rl_time asked_at;         /* when it was asked for; 0: it is none yet */
};

/* Where a node says that it is. */
struct endpoint {
	const char *host;
	int port;
	const char *name; /* by which its certificate is judged; NULL: its host, or whatever is known */
};

/* What was found out about a cluster. */
struct cluster {
	struct rl_topology base;
	struct rl_server **hosts; /* the addresses as servers */
	struct map *map;
	size_t next;      /* the server to ask for the next map: nodes first, then addresses */
	rl_time asked_at; /* when a map was last asked for, answered or not; 0: never */
	rl_time stale_at; /* when another map is due; RL_FOREVER: it is not */
};

static struct cluster *cluster_of(const struct rl_route *route)
{
	return (struct cluster *)rl_topology_of(route);
}

/* --- maps --- */

static void free_map(struct map *map)
{
	for (size_t i = 0; i < map->count; i++) {
		rl_server_unref(map->nodes[i]);
	}
	free(map->nodes);
	free(map);
}

static bool is_at(const struct rl_server *server, const struct endpoint *at)
{
	const struct rl_address *address = rl_server_address(server);

	return address->port == at->port && strcmp(address->host, at->host) == 0
		&& (!at->name || (address->sni && strcmp(address->sni, at->name) == 0));
}

static size_t find_node(struct rl_server *const *servers, size_t count, const struct endpoint *at)
{
	size_t i = 0;

	while (i < count && !is_at(servers[i], at)) {
		i++;
	}
	return i;
}

/*
 * The server there, with a reference: one that we have already, so that its connections stay,
 * or a new one. NULL: out of memory.
 */
static struct rl_server *server_at(const struct cluster *cluster, const struct endpoint *at)
{
	struct rl_address *address;
	size_t i = find_node(cluster->map->nodes, cluster->map->count, at);

	if (i < cluster->map->count) {
		return rl_server_ref(cluster->map->nodes[i]);
	}
	i = find_node(cluster->hosts, cluster->base.addresses->count, at);
	if (i < cluster->base.addresses->count) {
		return rl_server_ref(cluster->hosts[i]);
	}
	address = rl_address_at(cluster->base.addresses->login, at->host, at->port, at->name);
	return address ? rl_server_cached(cluster->base.cache, address) : NULL;
}

/*
 * The index of the node there, which is added if it is not there. MAX_NODES: no room, or out
 * of memory.
 */
static size_t node_at(const struct cluster *cluster, struct map *map, const struct endpoint *at)
{
	size_t i = find_node(map->nodes, map->count, at);
	struct rl_server **nodes;

	if (i < map->count || i == MAX_NODES) {
		return i;
	}
	nodes = realloc(map->nodes, (i + 1) * sizeof *nodes);
	if (!nodes) {
		return MAX_NODES;
	}
	map->nodes = nodes;
	nodes[i] = server_at(cluster, at);
	if (!nodes[i]) {
		return MAX_NODES;
	}
	map->count++;
	return i;
}

/* --- asking for a map: CLUSTER SLOTS --- */

/*
 * The name that a node has announced, where another endpoint is preferred: [host, port, id,
 * ["hostname", name, ...]]. It counts over TLS alone, and not if the address says one name for all.
 */
static const char *read_name(const struct cluster *cluster, const struct rl_reply *node)
{
	const struct rl_address *login = cluster->base.addresses->login;
	const struct rl_reply *facts = &node->elements[3];

	if (!login->tls || login->sni || node->count < 4 || facts->type != RL_REPLY_ARRAY) {
		return NULL;
	}
	for (size_t i = 0; i + 1 < facts->count; i += 2) {
		const struct rl_reply *fact = &facts->elements[i], *value = &facts->elements[i + 1];

		if (fact->type == RL_REPLY_STRING && strcmp(fact->text, "hostname") == 0
			&& value->type == RL_REPLY_STRING
			&& rl_address_syntax_is_host_name((struct rl_text){ value->text, value->length })) {
			return value->text;
		}
	}
	return NULL;
}

/*
 * [first, last, [host, port, ...], replicas...]. False: the answer is not of this form. A range
 * whose owner has no address has no owner.
 */
static bool read_range(const struct cluster *cluster, struct map *map,
	const struct rl_address *asked, const struct rl_reply *range)
{
	const struct rl_reply *part = range->elements, *node;
	struct endpoint at;
	size_t index;

	if (range->type != RL_REPLY_ARRAY || range->count < 3 || part[0].type != RL_REPLY_INTEGER
		|| part[1].type != RL_REPLY_INTEGER || part[0].integer < 0
		|| part[0].integer > part[1].integer || part[1].integer >= RL_SLOTS
		|| part[2].type != RL_REPLY_ARRAY || part[2].count < 2) {
		return false;
	}
	node = part[2].elements;
	if ((node[0].type != RL_REPLY_STRING && node[0].type != RL_REPLY_NIL)
		|| node[1].type != RL_REPLY_INTEGER || node[1].integer > 65535) {
		return false;
	}
	/* A node that does not know its own name means the one by which it was asked. */
	if (node[1].integer <= 0) {
		return true;
	}
	at = (struct endpoint){
		.host = node[0].type == RL_REPLY_STRING && node[0].length ? node[0].text : asked->host,
		.port = (int)node[1].integer,
		.name = read_name(cluster, &part[2]),
	};
	if (strcmp(at.host, "?") == 0) {
		map->nameless = true;
		return true;
	}
	if (!rl_address_syntax_is_host(rl_text_of(at.host))
		|| (at.host == node[0].text && strlen(at.host) != node[0].length)) {
		return false;
	}
	index = node_at(cluster, map, &at);
	for (int64_t slot = part[0].integer; index < MAX_NODES && slot <= part[1].integer; slot++) {
		map->owner[slot] = (uint16_t)(index + 1);
	}
	return index < MAX_NODES;
}

/*
 * NULL: the answer is not a map, or a map without any slot. Of one that is nameless, no node may be
 * known.
 */
static struct map *read_map(
	const struct cluster *cluster, const struct rl_address *asked, const struct rl_reply *reply)
{
	struct map *map = calloc(1, sizeof *map);
	bool done = map && reply->type == RL_REPLY_ARRAY;

	for (size_t i = 0; done && i < reply->count; i++) {
		done = read_range(cluster, map, asked, &reply->elements[i]);
	}
	if (map && (!done || (map->count == 0 && !map->nameless))) {
		free_map(map);
		map = NULL;
	}
	return map;
}

static enum rl_status ask_map(
	void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error)
{
	static const struct rl_text words[] = { { "CLUSTER", 7 }, { "SLOTS", 5 } };

	return rl_exchange_write(exchange, words, 2, error);
}

/* The map counts from when it was asked for: what changed meanwhile may not be in it. */
static enum rl_status replace_map(
	struct rl_inquiry *inquiry, const struct rl_reply *reply, struct rl_error *error)
{
	struct cluster *cluster = cluster_of(inquiry->route);
	const struct rl_address *asked = rl_server_address(inquiry->exchange.server);
	struct map *map = read_map(cluster, asked, reply);

	if (!map) {
		return rl_fail(error, RL_UNREACHABLE,
			"Redis at %s: the answer is not the map of a cluster that has slots", asked->name);
	}
	if (map->count == 0) {
		free_map(map);
		return rl_fail(error, RL_UNREACHABLE,
			"Redis at %s: it shows no node's address, only \"?\"; " ANNOUNCE_NAMES, asked->name);
	}
	free_map(cluster->map);
	cluster->map = map;
	cluster->asked_at = map->asked_at = inquiry->exchange.sent_at;
	cluster->stale_at = RL_FOREVER;
	return RL_OK;
}

static const struct rl_inquiry_question which_slots = {
	.write = ask_map, .reply_nodes = MAX_REPLY_NODES, .read = replace_map
};

static struct rl_server *candidate(const struct cluster *cluster, size_t i)
{
	return i < cluster->map->count ? cluster->map->nodes[i]
								   : cluster->hosts[i - cluster->map->count];
}

static enum rl_status ask_next(struct rl_inquiry *inquiry, struct rl_error *error)
{
	struct cluster *cluster = cluster_of(inquiry->route);
	size_t count = cluster->map->count + cluster->base.addresses->count;
	struct rl_server *server;

	if (inquiry->asked == 0) {
		inquiry->first = cluster->next;
	} else if (inquiry->asked >= count) {
		return RL_NO;
	}
	server = candidate(cluster, (inquiry->first + inquiry->asked++) % count);
	cluster->next = inquiry->first + inquiry->asked;
	rl_inquiry_ask(inquiry, rl_server_ref(server), &which_slots);
	return RL_OK;
}

static const struct rl_inquiry_kind for_map = { .next = ask_next };

static enum rl_status refresh(
	struct rl_route *route, rl_time *deadline, struct rl_error *error)
{
	struct cluster *cluster = cluster_of(route);
	enum rl_status status = rl_inquiry_run(&for_map, route, deadline, error);

	if (status != RL_OK && status != RL_INTERRUPTED) {
		cluster->asked_at = rl_now();
		cluster->stale_at = cluster->asked_at + FAILURE_PAUSE;
	}
	return status;
}

/* --- the route --- */

static void doubt(struct cluster *cluster, rl_time pause)
{
	rl_time due = cluster->asked_at ? cluster->asked_at + pause : 0;

	cluster->stale_at = rl_time_earlier(cluster->stale_at, due);
}

static enum rl_status locate(struct rl_route *route, struct rl_text key, rl_time *deadline,
	struct rl_server **server, struct rl_error *error)
{
	struct cluster *cluster = cluster_of(route);
	uint16_t slot = rl_slot(key);
	rl_time now = rl_now();
	/* Without time for an answer, asking would only break the connection that the caller needs. */
	bool is_hurried = now >= *deadline && cluster->map->owner[slot];
	/* Without a map, this reports why it could not be fetched. */
	bool is_due = now >= cluster->stale_at || cluster->map->count == 0;
	enum rl_status status = RL_OK;
	uint16_t owner;

	if (is_due && !is_hurried) {
		status = refresh(route, deadline, error);
	}
	if (status == RL_INTERRUPTED) {
		return status;
	}
	owner = cluster->map->owner[slot];
	if (owner) {
		*server = cluster->map->nodes[owner - 1];
		return RL_OK; /* if there was no new map, the old one may still be right */
	}
	if (status != RL_OK) {
		return status;
	}
	doubt(cluster, FAILURE_PAUSE);
	rl_fail(error, RL_REFUSED, "Redis at %s: no node has slot %d%s", route->name, slot,
		cluster->map->nameless ? ", or one that is shown as ?:" : "");
	memcpy(error->code, "CLUSTERDOWN", sizeof "CLUSTERDOWN");
	return RL_REFUSED;
}

/* By a map that is new: on a node that an old one lacks there are keys, too. */
static enum rl_status list(struct rl_route *route, rl_time deadline, struct rl_server_list *servers,
	struct rl_error *error)
{
	struct cluster *cluster = cluster_of(route);
	rl_time now = rl_now(), asked_at = cluster->map->asked_at;
	bool is_new = asked_at && now < asked_at + NEWS_PAUSE && now < cluster->stale_at;
	enum rl_status status = is_new ? RL_OK : refresh(route, &deadline, error);

	for (size_t i = 0; status == RL_OK && i < cluster->map->count; i++) {
		if (!rl_server_list_add(servers, cluster->map->nodes[i])) {
			status = rl_fail_for_memory(error);
		}
	}
	return status;
}

static bool apart(const struct rl_route *route, struct rl_text one, struct rl_text other)
{
	const uint16_t *owner = cluster_of(route)->map->owner;

	return owner[rl_slot(one)] != owner[rl_slot(other)];
}

/* "MOVED 3999 127.0.0.1:6381", or ASK. The host may be empty: that of the node that says so. */
static bool read_address(
	const struct rl_failure *failure, const char *word, char host[256], int *port)
{
	struct rl_text text = { failure->words, failure->words ? strlen(failure->words) : 0 };
	struct rl_text named, port_text;
	int64_t number;

	if (!failure->words || !failure->server || !rl_text_skip(&text, word)
		|| !rl_text_skip(&text, " ")) {
		return false;
	}
	rl_text_cut(&text, rl_text_find(text, ' ')); /* the slot */
	port_text = text;
	if (!rl_text_last(text, ':')) {
		return false;
	}
	named = rl_text_cut(&port_text, rl_text_last(text, ':'));
	if (!rl_number_read(port_text, 65535, &number) || number == 0 || named.length >= 256) {
		return false;
	}
	if (named.length == 0) {
		named = rl_text_of(rl_server_address(failure->server)->host);
	}
	if (named.length >= 256 || !rl_address_syntax_is_host(named)) {
		return false;
	}
	memcpy(host, named.data, named.length);
	host[named.length] = '\0';
	*port = (int)number;
	return true;
}

static enum rl_lesson learn_moved(
	struct cluster *cluster, struct rl_text key, const struct rl_failure *failure)
{
	char host[256];
	struct endpoint at = { .host = host };
	size_t index = MAX_NODES;

	if (read_address(failure, "MOVED", host, &at.port)) {
		index = node_at(cluster, cluster->map, &at);
	}
	if (index == MAX_NODES) {
		doubt(cluster, FAILURE_PAUSE);
		return RL_LESSON_LATER;
	}
	cluster->map->owner[rl_slot(key)] = (uint16_t)(index + 1);
	doubt(cluster, NEWS_PAUSE); /* where one slot moves, others do */
	return RL_LESSON_AGAIN;
}

static enum rl_lesson learn_ask(struct cluster *cluster, struct rl_failure *failure)
{
	char host[256];
	struct endpoint at = { .host = host };

	failure->elsewhere = read_address(failure, "ASK", host, &at.port)
		? server_at(cluster, &at)
		: NULL;
	return failure->elsewhere ? RL_LESSON_ONCE : RL_LESSON_LATER;
}

static enum rl_lesson learn(struct rl_route *route, struct rl_text key, struct rl_failure *failure)
{
	struct cluster *cluster = cluster_of(route);

	if (failure->status == RL_UNREACHABLE) {
		doubt(cluster, FAILURE_PAUSE);
		return RL_LESSON_LATER;
	}
	if (strcmp(failure->error->code, "MOVED") == 0) {
		return learn_moved(cluster, key, failure);
	}
	if (strcmp(failure->error->code, "ASK") == 0) {
		return learn_ask(cluster, failure);
	}
	if (rl_refusal_of(failure->error) == RL_REFUSAL_MISPLACED
		|| strcmp(failure->error->code, "CLUSTERDOWN") == 0) {
		doubt(cluster, FAILURE_PAUSE);
		return RL_LESSON_LATER;
	}
	return RL_LESSON_NONE;
}

static void end(struct rl_topology *base)
{
	struct cluster *cluster = (struct cluster *)base;

	for (size_t i = 0; cluster->hosts && i < cluster->base.addresses->count && cluster->hosts[i];
		 i++) {
		rl_server_unref(cluster->hosts[i]);
	}
	free(cluster->hosts);
	if (cluster->map) {
		free_map(cluster->map);
	}
}

static bool begin(struct rl_topology *base)
{
	struct cluster *cluster = (struct cluster *)base;
	bool done;

	cluster->hosts = calloc(cluster->base.addresses->count, sizeof *cluster->hosts);
	cluster->map = calloc(1, sizeof *cluster->map);
	done = cluster->hosts && cluster->map;
	for (size_t i = 0; done && i < cluster->base.addresses->count; i++) {
		struct rl_address *address = rl_address_copy(cluster->base.addresses->hosts[i]);

		cluster->hosts[i] = address ? rl_server_cached(cluster->base.cache, address) : NULL;
		done = cluster->hosts[i] != NULL;
	}
	return done;
}

#define SLOT_MOVES \
 "its slot is just being moved; if it stays so, the move was left halfway: redis-cli --cluster fix ends it"
#define NODES_DISAGREE \
 "the nodes do not agree who has the slot: redis-cli --cluster check says more"

static const struct rl_advice advice[] = {
	{ "cluster support disabled", "it is a single server, whose address begins with redis://" },
	{ "TRYAGAIN", SLOT_MOVES }, { "non local key", SLOT_MOVES },
	{ " ?:", "that node has no name: " ANNOUNCE_NAMES }, { "MOVED", NODES_DISAGREE },
	{ "ASK", NODES_DISAGREE },
	{ "CLUSTERDOWN", "redis-cli --cluster check says which nodes or slots are missing" },
	{ NULL, NULL }
};

static const struct rl_topology_kind kind = {
	.route = {
		.locate = locate,
		.apart = apart,
		.list = list,
		.learn = learn,
		.duplicate = rl_topology_duplicate,
		.free = rl_topology_free,
		.advice = advice,
	},
	.size = sizeof(struct cluster),
	.begin = begin,
	.end = end,
};

struct rl_route *rl_cluster_route(struct rl_seed_addresses *addresses, struct rl_cache *cache)
{
	return rl_topology_route(&kind, addresses, cache);
}
