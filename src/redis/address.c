#include "address.h"
#include "address_syntax.h"
#include "environment.h"
#include "../base/number.h"
#include "../base/socket.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_LENGTH (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)

#define DB_PLACE "the database is written behind the host, as in redis://host/1"

static const struct rl_address_form tcp_form = {
	"redis://", RL_HAS_COMMON, "connect_timeout, timeout, persistent", DB_PLACE
};
static const struct rl_address_form tls_form = {
	"rediss://", RL_HAS_COMMON | RL_HAS_TLS,
	"cafile, cert, key, sni, verify, connect_timeout, timeout, persistent", DB_PLACE
};
static const struct rl_address_form unix_form = {
	"unix://", RL_HAS_COMMON | RL_HAS(DB) | RL_HAS(USER) | RL_HAS(PASSWORD),
	"db, user, password, connect_timeout, timeout, persistent", NULL
};

static const char socket_hint[] = "a socket's path is written unix:///path/to/socket";

/* What follows redis:// or rediss:// */
static enum rl_status parse_tcp(struct rl_text text, const struct rl_address_form *form,
	struct rl_address *address, struct rl_error *error)
{
	struct rl_address_reading reading = { .form = form, .address = address };
	struct rl_address_parts parts;
	enum rl_status status = rl_address_syntax_split(text, &parts, address, error);

	if (status == RL_OK && rl_text_find(parts.hosts, ',')) {
		return rl_fail(error, RL_INVALID,
			"The server address cannot be read: "
			"%s is one server; several are written sentinel://a,b/master, cluster://a,b, "
			"or, for a majority of independent ones, as an array of addresses",
			form->scheme);
	}
	if (status == RL_OK && parts.hosts.length == 0 && rl_text_mentions(parts.path, ".sock")) {
		return rl_address_syntax_invalid(error, socket_hint);
	}
	if (status == RL_OK) {
		status = rl_address_syntax_host(parts.hosts, RL_DEFAULT_PORT, address, error);
	}
	if (status == RL_OK && parts.path.length) {
		status = rl_address_syntax_db(parts.path, address, error);
	}
	if (status == RL_OK && parts.has_query) {
		status = rl_address_syntax_options(&reading, parts.query, parts.has_user, error);
	}
	return status;
}

enum rl_status rl_address_begin_tls(struct rl_address *address, struct rl_error *error)
{
	if (!rl_tls_supported()) {
		return rl_fail(error, RL_MISUSE,
			"A server address with rediss:// or tls=1 needs TLS, which this rlock was built without: "
			"install OpenSSL's development package (libssl-dev, openssl-devel) and build rlock again");
	}
	address->tls = rl_tls_context_new();
	return address->tls ? RL_OK : rl_fail_for_memory(error);
}

enum rl_status rl_address_check_tls(const struct rl_address *address, struct rl_error *error)
{
	if (address->key && !address->cert) {
		return rl_address_syntax_invalid(
			error, "a key without a cert, the file with the certificate that it belongs to");
	}
	return RL_OK;
}

/* What follows rediss:// */
static enum rl_status parse_tls(
	struct rl_text text, struct rl_address *address, struct rl_error *error)
{
	enum rl_status status = rl_address_begin_tls(address, error);

	if (status == RL_OK) {
		address->verify = true;
		status = parse_tcp(text, &tls_form, address, error);
	}
	return status == RL_OK ? rl_address_check_tls(address, error) : status;
}

/* What follows unix:// */
static enum rl_status parse_unix(
	struct rl_text text, struct rl_address *address, struct rl_error *error)
{
	struct rl_address_reading reading = { .form = &unix_form, .address = address };
	const char *mark = rl_text_find(text, '?');
	struct rl_text path = rl_text_cut(&text, mark);
	enum rl_status status;

	if (path.length == 0 || path.data[0] != '/') {
		return rl_address_syntax_invalid(
			error, "the path must begin with a '/', as in unix:///path/to/socket");
	}
	status = rl_address_syntax_decode(path, "path", &address->path, error);
	if (status == RL_OK && strlen(address->path) > PATH_MAX_LENGTH) {
		return rl_fail(error, RL_INVALID,
			"The server address cannot be read: "
			"the path is longer than the %d bytes that a socket's path can have",
			(int)PATH_MAX_LENGTH);
	}
	if (status == RL_OK && mark) {
		status = rl_address_syntax_options(
			&reading, text, rl_text_mentions(text, "pass") || rl_text_find(text, '@'), error);
	}
	return status;
}

/* --- names --- */

char *rl_address_make_name(const struct rl_address *address)
{
	size_t size = address->kind == RL_ADDRESS_UNIX
		? 4 * strlen(address->path) + 1
		: strlen(address->host) + sizeof("[]:65535");
	char *name = malloc(size);

	if (name && address->kind == RL_ADDRESS_UNIX) {
		rl_text_printable(name, size, rl_text_of(address->path));
	} else if (name) {
		snprintf(name, size, strchr(address->host, ':') ? "[%s]:%d" : "%s:%d", address->host,
			address->port);
	}
	return name;
}

static char *put_number(char *to, int64_t number)
{
	to += rl_number_put(to, number);
	*to++ = ' ';
	return to;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* With its length before it, so that no two addresses come to the same; -1: there is none. */
static char *put_text(char *to, const char *text)
{
	struct rl_text put = text ? rl_text_of(text) : (struct rl_text){ "", 0 };

	return rl_text_put(put_number(to, text ? (int64_t)put.length : -1), put);
}

/*
 * Whoever makes an RLock or opens a session makes one: no printf(). The timeouts are left out: they
 * are the caller's, and the server is the same whatever they are.
 */
char *rl_address_make_identity(const struct rl_address *address)
{
	const int numbers[] = { address->port, address->db, address->tls != NULL, address->verify };
	const char *texts[] = { address->host, address->path, address->user, address->password,
		address->cafile, address->cert, address->key, address->sni, address->environment,
		address->confines };
	size_t size = (COUNT(numbers) + COUNT(texts)) * (RL_NUMBER_SIZE + 1) + 1;
	char *identity, *to;

	for (size_t i = 0; i < COUNT(texts); i++) {
		size += texts[i] ? strlen(texts[i]) : 0;
	}
	to = identity = malloc(size);
	if (!identity) {
		return NULL;
	}
	for (size_t i = 0; i < COUNT(numbers); i++) {
		to = put_number(to, numbers[i]);
	}
	for (size_t i = 0; i < COUNT(texts); i++) {
		to = put_text(to, texts[i]);
	}
	*to = '\0';
	return identity;
}

/* What other clients write, and how it is written here. */
static const char *reason_no_form(struct rl_text text)
{
	bool is_bare = !rl_text_mentions(text, "://");

	if (rl_text_skip(&text, "tcp://")) {
		return "tcp:// is written redis:// here";
	}
	if (rl_text_skip(&text, "tls://") || rl_text_skip(&text, "ssl://")) {
		return "tls:// and ssl:// are written rediss:// here";
	}
	if (rl_text_skip(&text, "/") || rl_text_skip(&text, "unix:")
		|| (is_bare && rl_text_mentions(text, ".sock"))) {
		return socket_hint;
	}
	if (text.length > 0 && is_bare) {
		return "a host alone, or with its port, is written redis://host:6379";
	}
	return "it must begin with redis://, rediss:// or unix://, or by itself with sentinel:// or cluster://";
}

static enum rl_status parse(struct rl_text text, struct rl_address *address, struct rl_error *error)
{
	enum rl_status status = rl_address_syntax_check_characters(text, error);

	if (status != RL_OK) {
		return status;
	}
	if (rl_text_skip(&text, "redis://")) {
		address->kind = RL_ADDRESS_TCP;
		status = parse_tcp(text, &tcp_form, address, error);
	} else if (rl_text_skip(&text, "rediss://")) {
		address->kind = RL_ADDRESS_TCP;
		status = parse_tls(text, address, error);
	} else if (rl_text_skip(&text, "unix://")) {
		address->kind = RL_ADDRESS_UNIX;
		status = parse_unix(text, address, error);
	} else {
		return rl_address_syntax_invalid(error, reason_no_form(text));
	}
	return status == RL_OK ? rl_address_syntax_check_login(address, error) : status;
}

struct rl_address *rl_address_new(
	const struct rl_address_defaults *defaults, struct rl_error *error)
{
	struct rl_address *address = calloc(1, sizeof *address);

	if (!address) {
		rl_fail_for_memory(error);
		return NULL;
	}
	address->connect_timeout = defaults->connect_timeout;
	address->timeout = defaults->timeout;
	address->persistent = defaults->persistent;
	address->bounds = defaults->bounds;
	address->environment = rl_environment_note();
	if (!address->environment) {
		rl_fail_for_memory(error);
		free(address);
		return NULL;
	}
	return address;
}

enum rl_status rl_address_confine(struct rl_address *address, struct rl_error *error)
{
	bool has_path = address->path || address->cafile || address->cert;

	if (has_path && address->bounds) {
		address->confines = rl_bounds_folders(address->bounds);
	}
	return !has_path || !address->bounds || address->confines ? RL_OK : rl_fail_for_memory(error);
}

static enum rl_status complete(struct rl_address *address, struct rl_error *error)
{
	address->name = rl_address_make_name(address);
	address->identity = rl_address_make_identity(address);
	return address->name && address->identity ? RL_OK : rl_fail_for_memory(error);
}

enum rl_status rl_address_parse(struct rl_text text, const struct rl_address_defaults *defaults,
	struct rl_address **out, struct rl_error *error)
{
	struct rl_address *address = rl_address_new(defaults, error);
	enum rl_status status;

	if (!address) {
		return RL_NO_MEMORY;
	}
	status = parse(text, address, error);
	if (status == RL_OK) {
		status = rl_address_confine(address, error);
	}
	if (status == RL_OK) {
		status = complete(address, error);
	}
	if (status != RL_OK) {
		rl_address_free(address);
		return status;
	}
	*out = address;
	return RL_OK;
}

bool rl_address_copy_text(char **to, const char *from)
{
	*to = from ? rl_text_copy(rl_text_of(from)) : NULL;
	return !from || *to;
}

/* All that an address owns. */
#define TEXTS 12

static void list_texts(struct rl_address *address, char **texts[TEXTS])
{
	texts[0] = &address->host;
	texts[1] = &address->path;
	texts[2] = &address->user;
	texts[3] = &address->password;
	texts[4] = &address->name;
	texts[5] = &address->identity;
	texts[6] = &address->cafile;
	texts[7] = &address->cert;
	texts[8] = &address->key;
	texts[9] = &address->sni;
	texts[10] = &address->environment;
	texts[11] = &address->confines;
}

struct rl_address *rl_address_copy(const struct rl_address *address)
{
	struct rl_address *out = malloc(sizeof *out);
	char **texts[TEXTS];
	bool done = true;

	if (!out) {
		return NULL;
	}
	*out = *address;
	if (address->tls) {
		out->tls = rl_tls_context_new();
		done = out->tls != NULL;
	}
	list_texts(out, texts);
	for (size_t i = 0; i < TEXTS; i++) {
		done &= rl_address_copy_text(texts[i], *texts[i]);
	}
	if (!done) {
		rl_address_free(out);
		return NULL;
	}
	return out;
}

struct rl_address *rl_address_at(
	const struct rl_address *like, const char *host, int port, const char *sni)
{
	struct rl_address *address = rl_address_copy(like);
	struct rl_error ignored;

	if (!address) {
		return NULL;
	}
	free(address->host);
	free(address->name);
	rl_text_wipe(address->identity);
	address->name = address->identity = NULL;
	address->port = port;
	if (!rl_address_copy_text(&address->host, host)
		|| (address->tls && !address->sni && !rl_address_copy_text(&address->sni, sni))
		|| complete(address, &ignored) != RL_OK) {
		rl_address_free(address);
		return NULL;
	}
	return address;
}

void rl_address_free(struct rl_address *address)
{
	char **texts[TEXTS];

	if (address) {
		list_texts(address, texts);
		for (size_t i = 0; i < TEXTS; i++) {
			rl_text_wipe(*texts[i]);
		}
		rl_tls_context_free(address->tls);
		free(address);
	}
}
