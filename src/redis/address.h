/*
 * Where a Redis is, and how it is talked to. How that is written is in address_syntax.h.
 */
#ifndef RL_ADDRESS_H
#define RL_ADDRESS_H

#include "tls.h"
#include "../base/bounds.h"

struct rl_address {
	char *path;                 /* of a unix socket; NULL: TCP, with: */
	char *host;                 /* name or IP literal without brackets */
	int port;                   /* 1 to 65535 */
	char *user;                 /* or NULL */
	char *password;             /* or NULL; never in a message */
	int db;                     /* 0 or more */
	struct rl_tls_context *tls; /* TCP over TLS; else NULL. With it: */
	char *cafile;               /* the authorities to trust, or NULL: the system's */
	/* our own certificate, or NULL; the key is in `cert` if that alone is given */
	char *cert, *key;
	char *sni;   /* the server's name in its certificate, or NULL: the host */
	bool verify; /* its certificate */
	/* For the calls of whoever gave this address; others may share its server. */
	rl_time connect_timeout, timeout;
	bool persistent;
	struct rl_bounds *bounds; /* of the paths, whenever they are used; NULL: anywhere */
	char *environment;        /* when it was read (environment.h) */
	char *confines;           /* the bounds' folders then; NULL: it has no path */
	/* for people: "host:port", "[::1]:6379" or the path, printable, no secrets */
	char *name;
	/*
	 * What makes it another server or login, with the password, and by what else it is found: a
	 * pool's key. The timeouts are left out: they are the caller's, and the server is the same
	 * whatever they are.
	 */
	char *identity;
};

/* Why a path cannot be used. Which of the two it is would tell what is outside. */
#define RL_OUT_OF_BOUNDS "it is not there, or open_basedir does not allow it"

/* Makes the name, unless it is of no server, and the identity. False: out of memory. */
bool rl_address_complete(struct rl_address *address);
/* A copy that shares nothing with the original. NULL: out of memory. */
struct rl_address *rl_address_copy(const struct rl_address *address);
/*
 * The address of another server, with the login and the options of `like`. `sni`: the name by which
 * it is known, for TLS, unless `like` says one for all; or NULL. NULL: out of memory.
 */
struct rl_address *rl_address_at(
	const struct rl_address *like, const char *host, int port, const char *sni);
/* Frees what it owns, of which nothing stays in memory. All of it is zero then. */
void rl_address_clear(struct rl_address *address);
/* The same, and itself. NULL is fine. */
void rl_address_free(struct rl_address *address);

#define RL_SEEDS_MAX 64

/* Where to ask for the servers of a deployment that may move: Sentinel's, or a cluster. */
struct rl_seed_addresses {
	/* the servers to ask: the sentinels, or nodes of the cluster */
	struct rl_address *hosts[RL_SEEDS_MAX];
	size_t count;             /* 1 or more */
	struct rl_address *login; /* without a host: how to talk to the servers that the hosts name */
	char *master;             /* Sentinel: its name; cluster: NULL */
	char *name;               /* for people: the text without its secrets and options */
	/* different for lists that differ in anything but timeouts; holds passwords */
	char *identity;
};

/* Makes the name, which begins with `scheme`, and the identity. False: out of memory. */
bool rl_seed_addresses_complete(struct rl_seed_addresses *addresses, const char *scheme);
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
