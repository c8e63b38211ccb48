/*
 * Where a Redis is: the address forms of the README, parsed and validated before any I/O.
 *
 *   redis://[[user]:pass@]host[:6379][/db][?opts]
 *   unix:///path/to/sock[?db=N&user=...&password=...]
 *   options: connect_timeout, timeout (float seconds), persistent (0 or 1)
 *
 * User, password and path are percent-decoded. A form that this build does not speak yet
 * (rediss, sentinel, cluster) parses as "unsupported" and is refused by name.
 */
#ifndef RL_ADDRESS_H
#define RL_ADDRESS_H

#include "../base/error.h"

enum rl_address_kind { RL_ADDRESS_TCP, RL_ADDRESS_UNIX };

struct rl_address {
	enum rl_address_kind kind;
	char *host;           /* TCP: name or IP literal without brackets */
	int port;             /* TCP: 1 to 65535 */
	char *path;           /* unix: the socket */
	char *user;           /* or NULL */
	char *password;       /* or NULL; never in a message */
	int db;               /* 0 or more */
	rl_time connect_timeout, timeout;
	bool persistent;
	char *name;           /* for people: "host:port", "[::1]:6379" or the path, printable, no secrets */
	char *identity;       /* everything that makes a connection different (with the password): a pool's key */
};

struct rl_address_defaults {
	rl_time connect_timeout, timeout;
	bool persistent;
};

/*
 * RL_INVALID with a message that says what could not be read (and never the password);
 * RL_MISUSE for a form that is valid but not spoken yet. On success the caller frees it.
 */
enum rl_status rl_address_parse(const char *text, size_t length,
	const struct rl_address_defaults *defaults, struct rl_address **out, struct rl_error *error);
void rl_address_free(struct rl_address *address);

#endif
