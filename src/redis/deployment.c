#include "deployment.h"

#include <stdlib.h>

static enum rl_status not_yet(struct rl_error *error, const char *what)
{
	return rl_fail(error, RL_MISUSE, "%s is not supported by this version yet", what);
}

static enum rl_status read_seeds(struct rl_deployment *deployment, struct rl_text text,
	const struct rl_address_defaults *defaults, struct rl_error *error)
{
	enum rl_status status = rl_seeds_parse(text, defaults, &deployment->seeds, error);

	if (status != RL_OK) {
		return status;
	}
	deployment->kind = deployment->seeds->master ? RL_DEPLOYMENT_SENTINEL : RL_DEPLOYMENT_CLUSTER;
	return not_yet(error, deployment->seeds->master ? "Sentinel" : "Redis Cluster");
}

static enum rl_status read_servers(struct rl_deployment *deployment, const struct rl_text *texts, size_t count,
	const struct rl_address_defaults *defaults, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	deployment->servers = calloc(count, sizeof *deployment->servers);
	if (!deployment->servers) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	deployment->kind = count == 1 ? RL_DEPLOYMENT_SINGLE : RL_DEPLOYMENT_MAJORITY;
	for (size_t i = 0; i < count && status == RL_OK; i++) {
		if (rl_seeds_are_meant(texts[i])) {
			return rl_fail(error, RL_INVALID,
				"The server address cannot be read: "
				"sentinel:// and cluster:// stand by themselves, not in a list");
		}
		status = rl_address_parse(texts[i].data, texts[i].length, defaults, &deployment->servers[i], error);
		deployment->count += status == RL_OK;
	}
	return status == RL_OK && count > 1 ? not_yet(error, "More than one server") : status;
}

enum rl_status rl_deployment_read(const struct rl_text *texts, size_t count,
	const struct rl_address_defaults *defaults, struct rl_deployment **out, struct rl_error *error)
{
	struct rl_deployment *deployment = calloc(1, sizeof *deployment);
	enum rl_status status;

	if (!deployment) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	status = count == 1 && rl_seeds_are_meant(texts[0])
		? read_seeds(deployment, texts[0], defaults, error)
		: read_servers(deployment, texts, count, defaults, error);
	if (status != RL_OK) {
		rl_deployment_free(deployment);
		return status;
	}
	*out = deployment;
	return RL_OK;
}

void rl_deployment_free(struct rl_deployment *deployment)
{
	for (size_t i = 0; i < deployment->count; i++) {
		rl_address_free(deployment->servers[i]);
	}
	free(deployment->servers);
	rl_seeds_free(deployment->seeds);
	free(deployment);
}

static struct rl_route *route_single(struct rl_deployment *deployment, struct rl_registry *registry)
{
	struct rl_address *address = deployment->servers[0];
	struct rl_server *server;

	deployment->count = 0; /* the server's now */
	server = address->persistent ? rl_registry_server(registry, address) : rl_server_new(address);
	return server ? rl_route_single(server) : NULL;
}

struct rl_route *rl_deployment_route(struct rl_deployment *deployment, struct rl_registry *registry)
{
	struct rl_route *route = route_single(deployment, registry);

	rl_deployment_free(deployment);
	return route;
}
