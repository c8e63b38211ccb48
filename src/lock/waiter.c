#include "waiter.h"
#include "../base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a */
void rl_waiter_hash(char hash[RL_WAITER_HASH], struct rl_text key)
{
	uint64_t number = UINT64_C(0xcbf29ce484222325);
	unsigned char bytes[RL_WAITER_HASH / 2];

	for (size_t i = 0; i < key.length; i++) {
		number = (number ^ (unsigned char)key.data[i]) * UINT64_C(0x100000001b3);
	}
	for (size_t i = 0; i < sizeof bytes; i++) {
		bytes[i] = (unsigned char)(number >> (56 - 8 * i));
	}
	rl_text_put_hex(hash, bytes, sizeof bytes);
}

size_t rl_waiter_put_name(char buffer[RL_WAITER_NAME_SIZE], const struct rl_waiter *waiter)
{
	struct rl_text process = rl_process_client_name();

	return (size_t)snprintf(buffer, RL_WAITER_NAME_SIZE, "%.*s:%.*s:%" PRId64 "%s",
		(int)process.length, process.data, RL_WAITER_HASH, waiter->hash, waiter->since_ms,
		waiter->is_shared ? ":shared" : "");
}

bool rl_waiter_read_name(struct rl_text name, struct rl_waiter *waiter)
{
	struct rl_text rest = name, host, pid, hash, since;

	if (!rl_text_skip(&rest, "rlock:")) {
		return false;
	}
	host = rl_text_cut(&rest, rl_text_find(rest, ':'));
	pid = rl_text_cut(&rest, rl_text_find(rest, ':'));
	hash = rl_text_cut(&rest, rl_text_find(rest, ':'));
	since = rl_text_cut(&rest, rl_text_find(rest, ':'));
	if (pid.length == 0 || hash.length != RL_WAITER_HASH
		|| !rl_number_read(since, INT64_MAX, &waiter->since_ms)) {
		return false;
	}
	waiter->process = (struct rl_text){
		host.data, (size_t)(pid.data - host.data) + pid.length
	};
	memcpy(waiter->hash, hash.data, RL_WAITER_HASH);
	waiter->is_shared = rl_text_equals(rest, "shared");
	return true;
}
