/*
 * Addresses as a user may write them: whatever the text, it is parsed or refused, nothing of
 * it is repeated in the refusal, and what was parsed is printable where it is shown.
 */
#include <stdlib.h>
#include <string.h>

#include "redis/address.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rl_address_defaults defaults = { RL_SECOND, 2 * RL_SECOND, true, NULL };
	struct rl_address *address, *again;
	struct rl_error error;
	/* Not terminated: reading beyond its end is seen. */
	char *text = malloc(size ? size : 1);
	enum rl_status status;

	must(text != NULL);
	memcpy(text, data, size);
	status = rl_address_parse((struct rl_text){ text, size }, &defaults, &address, &error);
	if (status == RL_OK) {
		must(address->db >= 0 && address->timeout > 0 && address->connect_timeout > 0);
		must(address->name && address->identity && is_printable(address->name));
		if (address->kind == RL_ADDRESS_TCP) {
			must(address->host && address->host[0] && address->port >= 1 && address->port <= 65535);
		} else {
			must(address->path && address->path[0] == '/');
		}
		must(
			!address->tls || (address->kind == RL_ADDRESS_TCP && (address->cert || !address->key)));
		must(!address->user || address->password);
		/* The same text is the same server. */
		must(rl_address_parse((struct rl_text){ text, size }, &defaults, &again, &error) == RL_OK);
		must(strcmp(address->identity, again->identity) == 0);
		rl_address_free(again);
		rl_address_free(address);
	} else {
		must(status == RL_INVALID || status == RL_MISUSE);
		must(error.message[0] && is_printable(error.message));
	}
	free(text);
	return 0;
}
