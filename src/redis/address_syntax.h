/*
 * What all forms of addresses have in common in how they are written, for the files that read one:
 * address.c and seed_addresses.c.
 */
#ifndef RL_ADDRESS_SYNTAX_H
#define RL_ADDRESS_SYNTAX_H

#include "address.h"
#include "../base/text.h"

#define RL_DEFAULT_PORT 6379

enum rl_option {
	RL_OPTION_CONNECT_TIMEOUT,
	RL_OPTION_TIMEOUT,
	RL_OPTION_PERSISTENT,
	RL_OPTION_DB,
	RL_OPTION_USER,
	RL_OPTION_PASSWORD,
	RL_OPTION_SENTINEL_PASSWORD,
	RL_OPTION_CAFILE,
	RL_OPTION_CERT,
	RL_OPTION_KEY,
	RL_OPTION_SNI,
	RL_OPTION_VERIFY,
	RL_OPTION_TLS,
	RL_OPTION_SENTINEL_TLS,
	RL_OPTION_COUNT
};

#define RL_HAS(option) (1U << RL_OPTION_##option)
#define RL_HAS_COMMON  (RL_HAS(CONNECT_TIMEOUT) | RL_HAS(TIMEOUT) | RL_HAS(PERSISTENT))
/* How TLS is spoken. */
#define RL_HAS_TLS (RL_HAS(CAFILE) | RL_HAS(CERT) | RL_HAS(KEY) | RL_HAS(SNI) | RL_HAS(VERIFY))

struct rl_address_form {
	const char *scheme;
	unsigned options;
	const char *has; /* the same for people */
	const char *db;  /* if the database is no option: where it is written */
};

/* An address being read: its form, and where what was read goes. */
struct rl_address_reading {
	const struct rl_address_form *form;
	struct rl_address *address;
	char *sentinel_password; /* or NULL */
	bool tls, sentinel_tls;
	unsigned given; /* the options that the address has, as RL_HAS() */
};

/* [[user]:pass@]HOSTS[/PATH][?QUERY] */
struct rl_address_parts {
	struct rl_text hosts, path, query;
	bool has_user, has_path, has_query;
};

enum rl_status rl_address_syntax_invalid(struct rl_error *error, const char *reason);
/* A name, or an IPv4 address. */
bool rl_address_syntax_is_host_name(struct rl_text text);
/* That, or an IPv6 address, without brackets: what a server may tell as a server's host. */
bool rl_address_syntax_is_host(struct rl_text text);
/* RL_INVALID if there is a space or a control character in it. */
enum rl_status rl_address_syntax_check_characters(struct rl_text text, struct rl_error *error);
/* Percent-decodes `text`, which is the `part` of the address. A '+' is a plus. */
enum rl_status rl_address_syntax_decode(
	struct rl_text text, const char *part, char **out, struct rl_error *error);

/* Splits what follows the scheme. Reads the user and the password into `address`. */
enum rl_status rl_address_syntax_split(struct rl_text text, struct rl_address_parts *parts,
	struct rl_address *address, struct rl_error *error);
/* A database's number. */
enum rl_status rl_address_syntax_db(
	struct rl_text text, struct rl_address *address, struct rl_error *error);
/* "host", "host:port", "[::1]" or "[::1]:port" */
enum rl_status rl_address_syntax_host(
	struct rl_text text, int default_port, struct rl_address *address, struct rl_error *error);
/*
 * `secret`: the address has a password, so that what looks like an option's name may be a piece of
 * it.
 */
enum rl_status rl_address_syntax_options(
	struct rl_address_reading *reading, struct rl_text text, bool secret, struct rl_error *error);
/* A user needs a password, which may then be empty. An empty user is dropped. */
enum rl_status rl_address_syntax_check_login(struct rl_address *address, struct rl_error *error);

#endif
