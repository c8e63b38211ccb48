/*
 * Where a Redis is: the address forms of the README, parsed and validated before any I/O.
 *
 *   redis://[[user]:pass@]host[:6379][/db][?opts]
 *   rediss://...[?cafile=...&cert=...&key=...&sni=...&verify=1]
 *   unix:///path/to/sock[?db=N&user=...&password=...]
 *   options: connect_timeout, timeout (float seconds), persistent (0 or 1)
 *
 * User, password and the paths of the socket and of files are percent-decoded: '%', ' ', and in them '/', '?' and
 * '&' are written with a '%'; a '+' is a plus. A raw '@', ':' or '#' in a password is understood. A
 * user goes with a password ("user:@" for one that needs none), an empty user is none. An empty
 * database is 0. An option that is unknown or given twice is refused.
 *
 * What names more than one server is in address_list.h. rediss is refused by a build without OpenSSL.
 */
#ifndef RL_ADDRESS_H
#define RL_ADDRESS_H

#include "tls.h"

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
	struct rl_tls_context *tls; /* rediss, TCP over TLS; else NULL. With it: */
	char *cafile;               /* whom to trust, or NULL: whom the system does */
	char *cert, *key;           /* our own, or NULL; the key is in `cert` if that alone is given */
	char *sni;                  /* the server's name in its certificate, or NULL: the host */
	bool verify;                /* its certificate */
	/* Of calls by whoever gave this address: others may share its server. */
	rl_time connect_timeout, timeout;
	bool persistent;
	char *name;     /* for people: "host:port", "[::1]:6379" or the path, printable, no secrets */
	char *identity; /* what makes it another server or login, with the password: a pool's key */
};

struct rl_address_defaults {
	rl_time connect_timeout, timeout;
	bool persistent;
};

/*
 * RL_INVALID with a message that says which part could not be read, without repeating it: it
 * may be of a password. RL_MISUSE for a form that this build does not speak. On success the caller
 * frees it. In `defaults` are timeouts above 0.
 */
enum rl_status rl_address_parse(struct rl_text text, const struct rl_address_defaults *defaults,
	struct rl_address **out, struct rl_error *error);
void rl_address_free(struct rl_address *address);
/* Shares nothing with the one it is made from. NULL: out of memory. */
struct rl_address *rl_address_copy(const struct rl_address *address);

/* Another server that is talked to in the same way. NULL: out of memory. */
struct rl_address *rl_address_at(const struct rl_address *like, const char *host, int port);

/* For address_list.c, which makes addresses of parts. */

/* With the defaults alone. NULL: out of memory. */
struct rl_address *rl_address_new(const struct rl_address_defaults *defaults, struct rl_error *error);
/* NULL stays NULL. False: out of memory. */
bool rl_address_copy_text(char **to, const char *from);
/* NULL: out of memory. */
char *rl_address_make_name(const struct rl_address *address);
char *rl_address_make_identity(const struct rl_address *address);

#endif
