/*
 * Addresses as a user may write them: whatever the text, it is parsed or refused, nothing of
 * it is repeated in the refusal, and what was parsed is printable where it is shown.
 */
#include <stdlib.h>
#include <string.h>

#include "redis/address_syntax.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
	if (!condition) {
		abort();
	}
}

static bool is_printable(const char *text)
{
	char buffer[4096];

	return strlen(text) >= sizeof buffer / 4
		|| strcmp(rl_text_printable(buffer, sizeof buffer, rl_text_of(text)), text) == 0;
}

static const struct rl_address_defaults defaults = { RL_SECOND, 2 * RL_SECOND, true, NULL };

static enum rl_status read_one(struct rl_text text, struct rl_error *error)
{
	struct rl_address *address, *again;
	enum rl_status status = rl_address_parse(text, &defaults, &address, error);

	if (status != RL_OK) {
		return status;
	}
	must(address->db >= 0 && address->timeout > 0 && address->connect_timeout > 0);
	must(address->name && address->identity && is_printable(address->name));
	if (!address->path) {
		must(address->host && address->host[0] && address->port >= 1 && address->port <= 65535);
	} else {
		must(!address->host && address->path[0] == '/');
	}
	must(!address->tls || (!address->path && (address->cert || !address->key)));
	must(!address->user || address->password);
	/* The same text is the same server. */
	must(rl_address_parse(text, &defaults, &again, error) == RL_OK);
	must(strcmp(address->identity, again->identity) == 0);
	rl_address_free(again);
	rl_address_free(address);
	return RL_OK;
}

static enum rl_status read_several(struct rl_text text, struct rl_error *error)
{
	struct rl_seed_addresses *seeds, *copy;
	enum rl_status status = rl_seed_addresses_parse(text, &defaults, &seeds, error);

	if (status != RL_OK) {
		return status;
	}
	must(seeds->count > 0 && is_printable(seeds->name) && !seeds->login->host);
	for (size_t i = 0; i < seeds->count; i++) {
		const struct rl_address *host = seeds->hosts[i];

		must(host->host[0] && host->port >= 1 && host->port <= 65535 && is_printable(host->name));
		must(!host->tls || seeds->login->tls);
		must(!host->user || host->password);
	}
	copy = rl_seed_addresses_copy(seeds);
	must(copy && strcmp(copy->identity, seeds->identity) == 0);
	rl_seed_addresses_free(copy);
	rl_seed_addresses_free(seeds);
	return RL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rl_error error;
	/* Not terminated: reading beyond its end is seen. */
	char *copy = malloc(size ? size : 1);
	struct rl_text text = { copy, size };
	enum rl_status status;

	must(copy != NULL);
	memcpy(copy, data, size);
	status = rl_seed_addresses_are_meant(text) ? read_several(text, &error)
											   : read_one(text, &error);
	if (status != RL_OK) {
		must(status == RL_INVALID || status == RL_MISUSE);
		must(error.message[0] && is_printable(error.message));
	}
	free(copy);
	return 0;
}
