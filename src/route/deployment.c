#include "deployment.h"
#include "cluster.h"
#include "direct.h"
#include "independent.h"
#include "sentinel.h"

#include <stdlib.h>
#include <string.h>

static bool is_address(struct rl_text text)
{
	return rl_text_mentions(text, "://");
}

size_t rl_deployment_split(struct rl_text setting, struct rl_text *texts)
{
	size_t count = 0;

	while (setting.length > 0) {
		struct rl_text word = rl_text_cut(&setting, rl_text_find(setting, ' '));
		bool begins = word.length > 0 && (count == 0 || is_address(word));

		count += begins;
		if (texts && begins) {
			texts[count - 1] = word;
		} else if (texts && word.length > 0) {
			texts[count - 1].length = (size_t)(word.data + word.length - texts[count - 1].data);
		}
	}
	return count;
}

/* A server that is named twice would have two votes. */
static enum rl_status check_different(
	const struct rl_deployment *deployment, struct rl_error *error)
{
	for (size_t i = 1; i < deployment->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (strcmp(deployment->servers[i]->name, deployment->servers[j]->name) == 0) {
				return rl_fail(error, RL_INVALID,
					"The list of servers has %s twice; a majority is one of different servers",
					deployment->servers[i]->name);
			}
		}
	}
	return RL_OK;
}

static enum rl_status read_servers(struct rl_deployment *deployment, const struct rl_text *texts,
	size_t count, const struct rl_address_defaults *defaults, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	if (count > RL_NODES_MAX) {
		return rl_fail(error, RL_INVALID, "The list of servers has %zu of them, more than %d",
			count, RL_NODES_MAX);
	}
	for (size_t i = 0; i < count; i++) {
		status = rl_seed_addresses_are_meant(texts[i])
			? rl_fail(error, RL_INVALID,
				"The server address cannot be read: "
				"sentinel:// and cluster:// stand by themselves, not in a list")
			: rl_address_parse(texts[i], defaults, &deployment->servers[i], error);
		if (status != RL_OK && count > 1) {
			return rl_fail(
				error, status, "Address %zu of %zu: %s", i + 1, count, error->message);
		}
		if (status != RL_OK) {
			return status;
		}
		deployment->count++;
	}
	return check_different(deployment, error);
}

enum rl_status rl_deployment_read(const struct rl_text *texts, size_t count,
	const struct rl_address_defaults *defaults, struct rl_deployment **out, struct rl_error *error)
{
	struct rl_deployment *deployment = calloc(1, sizeof *deployment);
	enum rl_status status;

	if (!deployment) {
		return rl_fail_for_memory(error);
	}
	status = count == 1 && rl_seed_addresses_are_meant(texts[0])
		? rl_seed_addresses_parse(texts[0], defaults, &deployment->addresses, error)
		: read_servers(deployment, texts, count, defaults, error);
	if (status != RL_OK) {
		rl_deployment_free(deployment);
		return status;
	}
	*out = deployment;
	return RL_OK;
}

struct rl_deployment *rl_deployment_of(struct rl_address *address)
{
	struct rl_deployment *deployment = calloc(1, sizeof *deployment);

	if (!deployment) {
		rl_address_free(address);
		return NULL;
	}
	deployment->servers[deployment->count++] = address;
	return deployment;
}

void rl_deployment_free(struct rl_deployment *deployment)
{
	for (size_t i = 0; i < deployment->count; i++) {
		rl_address_free(deployment->servers[i]);
	}
	rl_seed_addresses_free(deployment->addresses);
	free(deployment);
}

static struct rl_server *server_at(struct rl_address *address, struct rl_cache *cache)
{
	return rl_server_cached(address->persistent ? cache : NULL, address);
}

static struct rl_route *route_direct(struct rl_deployment *deployment, struct rl_cache *cache)
{
	rl_time connect_timeout = deployment->servers[0]->connect_timeout,
			timeout = deployment->servers[0]->timeout;
	struct rl_server *server;

	deployment->count = 0; /* the server's now */
	server = server_at(deployment->servers[0], cache);
	return server ? rl_direct_route(server, connect_timeout, timeout) : NULL;
}

static struct rl_route *route_independent(struct rl_deployment *deployment, struct rl_cache *cache)
{
	struct rl_server *servers[RL_NODES_MAX];
	rl_time connect_timeout = 0, timeout = 0;

	for (size_t i = 0; i < deployment->count; i++) {
		connect_timeout = rl_time_later(connect_timeout, deployment->servers[i]->connect_timeout);
		timeout = rl_time_later(timeout, deployment->servers[i]->timeout);
		servers[i] = server_at(deployment->servers[i], cache);
		deployment->servers[i] = NULL; /* the server's now */
	}
	return rl_independent_route(servers, deployment->count, connect_timeout, timeout);
}

static struct rl_route *route_by_list(struct rl_deployment *deployment, struct rl_cache *cache)
{
	struct rl_seed_addresses *addresses = deployment->addresses;

	deployment->addresses = NULL; /* the route's now */
	cache = addresses->login->persistent ? cache : NULL;
	return addresses->master ? rl_sentinel_route(addresses, cache)
							 : rl_cluster_route(addresses, cache);
}

struct rl_route *rl_deployment_route(struct rl_deployment *deployment, struct rl_cache *cache)
{
	struct rl_route *route;

	if (deployment->addresses) {
		route = route_by_list(deployment, cache);
	} else if (deployment->count > 1) {
		route = route_independent(deployment, cache);
	} else {
		route = route_direct(deployment, cache);
	}
	rl_deployment_free(deployment);
	return route;
}
