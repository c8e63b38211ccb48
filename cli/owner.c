#include "owner.h"

#include <stdlib.h>

#include "../src/base/socket.h"
#include "../src/route/deployment.h"
#include "tell.h"

static struct rl_cache cache;

static enum rl_status read_servers(
	const char *servers, struct rl_deployment **out, struct rl_error *error)
{
	static const struct rl_address_defaults defaults = {
		.connect_timeout = RL_SECOND,
		.timeout = RL_SECOND,
		.persistent = true,
	};
	size_t count = rl_deployment_split(rl_text_of(servers), NULL);
	struct rl_text *texts;
	enum rl_status status;

	if (count == 0) {
		return rl_fail(error, RL_INVALID, "The address of the server is empty");
	}
	texts = calloc(count, sizeof *texts);
	if (!texts) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	rl_deployment_split(rl_text_of(servers), texts);
	status = rl_deployment_read(texts, count, &defaults, out, error);
	free(texts);
	return status;
}

enum cli_status cli_owner_open(const struct cli_options *options, struct rl_wait_hook hook,
	const struct rl_renewal_terms *terms, struct rl_owner **out)
{
	struct rl_deployment *deployment;
	struct rl_route *route;
	struct rl_error error;
	enum rl_status status;

	if (!rl_system_start() || !rl_socket_start()) {
		rl_fail(&error, RL_MISUSE, "The system refuses a clock, or to tell of a fork()");
		return cli_owner_failed(options, RL_MISUSE, &error);
	}
	status = read_servers(options->servers, &deployment, &error);
	if (status != RL_OK) {
		return cli_owner_failed(options, status, &error);
	}
	route = rl_deployment_route(deployment, &cache);
	*out = route ? rl_owner_new(route, options->prefix, hook, terms) : NULL;
	if (!*out) {
		rl_fail(&error, RL_NO_MEMORY, "Out of memory");
		return cli_owner_failed(options, RL_NO_MEMORY, &error);
	}
	return CLI_OK;
}

void cli_owner_free(struct rl_owner *owner)
{
	struct rl_release_summary ignored;

	rl_owner_end_all(&owner, 1, rl_now(), &ignored);
	rl_owner_free(owner);
}

void cli_owner_close(struct rl_owner *owner, rl_time began)
{
	struct rl_release_summary ignored;

	rl_owner_end_all(&owner, 1, began, &ignored);
	rl_owner_free(owner);
	rl_renewal_stop();
	rl_cache_clear(&cache);
}

enum cli_status cli_owner_failed(const struct cli_options *options, enum rl_status failure,
	const struct rl_error *error)
{
	cli_tell(options, CLI_ERROR, "error", "%s", error->message);
	return failure == RL_INVALID ? CLI_USAGE : CLI_UNAVAILABLE;
}
