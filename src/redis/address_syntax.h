/*
 * How addresses are written: all that is read or refused, before any I/O.
 *
 *   redis://[[USER]:PASSWORD@]HOST[:6379][/DB][?OPTIONS]        one server
 *   rediss://...                                                the same over TLS
 *   unix:///PATH/OF/A/SOCKET[?OPTIONS]
 *   sentinel://[[USER]:PASSWORD@]HOST[:26379],.../MASTER[?OPTIONS]
 *   cluster://[[USER]:PASSWORD@]HOST[:6379],...[/0][?OPTIONS]
 *
 *   HOST      a name, an IPv4 address, or an IPv6 address in brackets
 *   OPTIONS   NAME=VALUE, '&' between them, none twice
 *
 * Two tables in address_syntax.c have the rest: FORMS, which form has which options, and PARTS, how
 * each part is written.
 *
 * User, password, the master's name, the path of the socket and those of files are percent-decoded:
 * in them '%', ' ', '/', '?' and '&' are written with a '%', and a '+' is a plus. A raw '@', ':' or
 * '#' in a password is understood, but for '@' beside ',' where there may be several hosts: that is
 * a login written before each of them. A user needs a password ("user:@" for one that has none); an
 * empty user counts as none, an empty database as 0. User and password are for the servers;
 * sentinels have a password of their own, and speak TLS as the servers do unless sentinel_tls=0. A
 * build without OpenSSL refuses TLS.
 *
 * RL_INVALID comes with a message that says which part could not be read. It does not repeat any
 * text of the address, except the name of an option where no password can be near: a '@' or a '&'
 * at the wrong place makes a password look like any other part. RL_MISUSE is a form that this build
 * does not speak.
 */
#ifndef RL_ADDRESS_SYNTAX_H
#define RL_ADDRESS_SYNTAX_H

#include "address.h"
#include "../base/text.h"

struct rl_address_defaults {
	rl_time connect_timeout, timeout; /* above 0 */
	bool persistent;
	struct rl_bounds *bounds; /* which outlive the addresses; or NULL */
	char *(*here)(void);      /* as of rl_path_from_root() */
};

/* One server. On success the caller frees the address. */
enum rl_status rl_address_parse(struct rl_text text, const struct rl_address_defaults *defaults,
	struct rl_address **out, struct rl_error *error);

/* Whether a text is of the forms that have several hosts. */
bool rl_seed_addresses_are_meant(struct rl_text text);
enum rl_status rl_seed_addresses_parse(struct rl_text text,
	const struct rl_address_defaults *defaults, struct rl_seed_addresses **out,
	struct rl_error *error);

/* A name, or an IPv4 address. */
bool rl_address_syntax_is_host_name(struct rl_text text);
/* That, or an IPv6 address, without brackets: what a server may tell as a server's host. */
bool rl_address_syntax_is_host(struct rl_text text);

/* --- an address that is written otherwise, and read part by part --- */

enum rl_address_part {
	/* what may be an option, in the order in which messages list them */
	RL_PART_DB,
	RL_PART_USER,
	RL_PART_PASSWORD,
	RL_PART_SENTINEL_PASSWORD,
	RL_PART_TLS,
	RL_PART_SENTINEL_TLS,
	RL_PART_CAFILE,
	RL_PART_CERT,
	RL_PART_KEY,
	RL_PART_SNI,
	RL_PART_VERIFY,
	RL_PART_CONNECT_TIMEOUT,
	RL_PART_TIMEOUT,
	RL_PART_PERSISTENT,
	/* and what is none */
	RL_PART_HOST,
	RL_PART_PATH,
	RL_PART_MASTER,
	RL_PART_COUNT
};

enum rl_address_form {
	RL_FORM_TCP,
	RL_FORM_TLS,
	RL_FORM_UNIX,
	RL_FORM_SENTINEL,
	RL_FORM_CLUSTER,
	RL_FORM_COUNT
};

struct rl_address_reading {
	enum rl_address_form form;
	struct rl_address address;
	struct rl_seed_addresses *seeds;  /* the hosts of a form that has several */
	char *master, *sentinel_password; /* or NULL */
	char *(*here)(void);
	bool tls, sentinel_tls;
	unsigned given;        /* the options that the text has, a bit for each */
	enum rl_status status; /* if not RL_OK: what has failed, as `error` says */
	struct rl_error *error;
};

/* Of one server; `form` is one of those. rl_address_reading_end() follows. */
void rl_address_reading_begin(struct rl_address_reading *reading, enum rl_address_form form,
	const struct rl_address_defaults *defaults, struct rl_error *error);
/* A part that the form has, each once; it is not percent-encoded. False: it has failed. */
bool rl_address_reading_put(
	struct rl_address_reading *reading, enum rl_address_part which, struct rl_text value);
/* As rl_address_parse(). */
enum rl_status rl_address_reading_end(
	struct rl_address_reading *reading, struct rl_address **out);

#endif
