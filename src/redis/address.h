/*
 * Where a Redis is: the address forms of the README, parsed and validated before any I/O.
 *
 *   redis://[[user]:pass@]host[:6379][/db][?opts]
 *   rediss://...[?cafile=...&cert=...&key=...&sni=...&verify=1]
 *   unix:///path/to/sock[?db=N&user=...&password=...]
 *   options: connect_timeout, timeout (float seconds), persistent (0 or 1)
 *
 * User, password, the path of the socket and those of files are percent-decoded: in them '%', ' ',
 * '/', '?' and '&' are written with a '%', and a '+' is a plus. A raw '@', ':' or '#' in a password
 * is understood. A user needs a password ("user:@" for one that has none); an empty user counts as
 * none, an empty database as 0. Unknown options are refused, and so are options given twice.
 *
 * Addresses of several servers are in seed_addresses.h. A build without OpenSSL refuses TLS.
 */
#ifndef RL_ADDRESS_H
#define RL_ADDRESS_H

#include "tls.h"
#include "../base/bounds.h"

enum rl_address_kind {
	RL_ADDRESS_TCP,
	RL_ADDRESS_UNIX
};

struct rl_address {
	enum rl_address_kind kind;
	char *host;                 /* TCP: name or IP literal without brackets */
	int port;                   /* TCP: 1 to 65535 */
	char *path;                 /* unix: the socket */
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
	 * pool's key.
	 */
	char *identity;
};

/* Why a path cannot be used. Which of the two it is would tell what is outside. */
#define RL_OUT_OF_BOUNDS "it is not there, or open_basedir does not allow it"

struct rl_address_defaults {
	rl_time connect_timeout, timeout;
	bool persistent;
	struct rl_bounds *bounds; /* which outlive the addresses; or NULL */
};

/*
 * On success the caller frees the address. RL_INVALID with a message that says which part could not
 * be read; it does not repeat that part, which may be a piece of a password. RL_MISUSE for a form
 * that this build does not speak. The timeouts in `defaults` are above 0.
 */
enum rl_status rl_address_parse(struct rl_text text, const struct rl_address_defaults *defaults,
	struct rl_address **out, struct rl_error *error);
/* Of what it held, nothing stays in memory. */
void rl_address_free(struct rl_address *address);
/* A copy that shares nothing with the original. NULL: out of memory. */
struct rl_address *rl_address_copy(const struct rl_address *address);

/*
 * The address of another server, with the login and the options of `like`. `sni`: the name by which
 * it is known, for TLS, unless `like` says one for all; or NULL. NULL: out of memory.
 */
struct rl_address *rl_address_at(
	const struct rl_address *like, const char *host, int port, const char *sni);

/* For seed_addresses.c, which builds addresses from their parts. */

/* The address is one over TLS, by its options so far. RL_MISUSE: this build has none. */
enum rl_status rl_address_begin_tls(struct rl_address *address, struct rl_error *error);
/* After its options were read: RL_INVALID if they do not fit together. */
enum rl_status rl_address_check_tls(const struct rl_address *address, struct rl_error *error);

/* RL_OK: it is known within which folders its paths must be; there may be none. */
enum rl_status rl_address_confine(struct rl_address *address, struct rl_error *error);
/* An address with nothing but the defaults. NULL: out of memory. */
struct rl_address *rl_address_new(
	const struct rl_address_defaults *defaults, struct rl_error *error);
/* Copies a string; NULL stays NULL. False: out of memory. */
bool rl_address_copy_text(char **to, const char *from);
/* An address's `name` and `identity`, made from the rest of it. NULL: out of memory. */
char *rl_address_make_name(const struct rl_address *address);
char *rl_address_make_identity(const struct rl_address *address);

#endif
