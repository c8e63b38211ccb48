/*
 * Where to ask for the servers of a deployment that may move:
 *
 *   sentinel://[user:pass@]h1[:26379],h2,h3/master-name[?db=N&sentinel_password=...&tls=1&...]
 *   cluster://[user:pass@]h1[:6379],h2,h3[?tls=1]
 *
 * with the options and the rules of address.h, and with tls=1 those of rediss. User and password
 * are for the servers; sentinels have a password of their own, and speak TLS as the servers do
 * unless sentinel_tls=0.
 */
#ifndef RL_SEED_ADDRESSES_H
#define RL_SEED_ADDRESSES_H

#include "address.h"
#include "../base/text.h"

struct rl_seed_addresses {
	struct rl_address **hosts; /* the servers to ask: the sentinels, or nodes of the cluster */
	size_t count;              /* 1 or more */
	struct rl_address *login;  /* without a host: how to talk to the servers that the hosts name */
	char *master;              /* Sentinel: its name; cluster: NULL */
	char *name;                /* for people: the text without its secrets and options */
	/* different for lists that differ in anything but timeouts; holds passwords */
	char *identity;
};

/* Whether a text is of these forms. */
bool rl_seed_addresses_are_meant(struct rl_text text);
/* Fails as rl_address_parse() does. */
enum rl_status rl_seed_addresses_parse(struct rl_text text,
	const struct rl_address_defaults *defaults, struct rl_seed_addresses **out,
	struct rl_error *error);
/*
 * Whether a host that one of the hosts tells may be a server. Over TLS a server is judged by that
 * name. So what a sentinel tells that was not judged itself (sentinel_tls=0) counts only if the
 * address has the name, too: as a host, or as `sni`, for all.
 */
bool rl_seed_addresses_vouch_for(const struct rl_seed_addresses *addresses, const char *host);
/* A copy that shares nothing with the original. NULL: out of memory. */
struct rl_seed_addresses *rl_seed_addresses_copy(const struct rl_seed_addresses *addresses);
void rl_seed_addresses_free(struct rl_seed_addresses *addresses);

#endif
