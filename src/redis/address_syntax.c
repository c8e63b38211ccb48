#include "address_syntax.h"
#include "environment.h"
#include "../base/number.h"
#include "../base/path.h"
#include "../base/socket.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Whatever reads something returns false where that has failed, and why is in the reading. */
static bool fail(struct rl_address_reading *reading, enum rl_status status)
{
	reading->status = status;
	return false;
}

#define REFUSE(reading, ...) \
 fail(reading, \
	 rl_fail((reading)->error, RL_INVALID, "The server address cannot be read: " __VA_ARGS__))

static bool is_there(struct rl_address_reading *reading, const void *allocated)
{
	return allocated || fail(reading, rl_fail_for_memory(reading->error));
}

/* --- the forms --- */

#define HAS(part) (1U << RL_PART_##part)
#define COMMON    (HAS(CONNECT_TIMEOUT) | HAS(TIMEOUT) | HAS(PERSISTENT))
/* How TLS is spoken. */
#define HOW_TLS (HAS(CAFILE) | HAS(CERT) | HAS(KEY) | HAS(SNI) | HAS(VERIFY))

#define DB_PLACE   "the database is written behind the host, as in redis://host/1"
#define CLUSTER_DB "a cluster has database 0 alone"

static const struct form {
	const char *scheme;
	int port; /* where none is given; 0: there are no hosts */
	bool has_several, is_tls;
	enum rl_address_part path; /* what that is */
	unsigned options;
	const char *db; /* where that is written, if it is no option */
} FORMS[RL_FORM_COUNT] = {
	[RL_FORM_TCP] = { "redis://", 6379, false, false, RL_PART_DB, COMMON, DB_PLACE },
	[RL_FORM_TLS] = { "rediss://", 6379, false, true, RL_PART_DB, COMMON | HOW_TLS, DB_PLACE },
	[RL_FORM_UNIX] = { "unix://", 0, false, false, RL_PART_PATH,
		COMMON | HAS(DB) | HAS(USER) | HAS(PASSWORD), NULL },
	[RL_FORM_SENTINEL] = { "sentinel://", 26379, true, false, RL_PART_MASTER,
		COMMON | HOW_TLS | HAS(DB) | HAS(SENTINEL_PASSWORD) | HAS(TLS) | HAS(SENTINEL_TLS), NULL },
	[RL_FORM_CLUSTER] = { "cluster://", 6379, true, false, RL_PART_DB, COMMON | HOW_TLS | HAS(TLS),
		CLUSTER_DB },
};

static const struct form *form_of(const struct rl_address_reading *reading)
{
	return &FORMS[reading->form];
}

/* RL_FORM_COUNT: it is none of those that have several hosts, or of the others. */
static enum rl_address_form find_form(struct rl_text *text, bool has_several)
{
	enum rl_address_form form = 0;

	while (form < RL_FORM_COUNT
		&& (FORMS[form].has_several != has_several || !rl_text_skip(text, FORMS[form].scheme))) {
		form++;
	}
	return form;
}

static const char socket_hint[] = "a socket's path is written unix:///path/to/socket";

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

/* --- hosts --- */

#define HOST_MAX 253
#define OF_NAMES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"

/* OpenSSL reads a dot at the start as any name below. */
bool rl_address_syntax_is_host_name(struct rl_text text)
{
	return text.length > 0 && text.length <= HOST_MAX && text.data[0] != '.'
		&& rl_text_consists_of(text, OF_NAMES);
}

/* A zone, as in fe80::1%eth0, is a name of the system's. */
static bool is_ip6(struct rl_text text)
{
	const char *mark = rl_text_find(text, '%');
	struct rl_text number = rl_text_cut(&text, mark);
	char address[INET6_ADDRSTRLEN];
	struct in6_addr unused;

	if (number.length >= sizeof address || rl_text_find(number, '\0')
		|| (mark && (text.length == 0 || !rl_text_consists_of(text, OF_NAMES "~")))) {
		return false;
	}
	*rl_text_put(address, number) = '\0';
	return inet_pton(AF_INET6, address, &unused) == 1;
}

bool rl_address_syntax_is_host(struct rl_text text)
{
	return rl_address_syntax_is_host_name(text) || is_ip6(text);
}

/* What is in brackets. In an address, RFC 6874 writes the mark of a zone as %25. */
static bool read_ip6(char *host)
{
	char *mark = strstr(host, "%25");

	if (mark && mark == strchr(host, '%') && mark[3]) {
		memmove(mark + 1, mark + 3, strlen(mark + 3) + 1);
	}
	return is_ip6(rl_text_of(host));
}

/* "host", "host:port", "[::1]" or "[::1]:port" */
static bool read_host(
	struct rl_address_reading *reading, struct rl_text text, struct rl_address *address)
{
	bool brackets = rl_text_skip(&text, "[");
	const char *end = rl_text_find(text, brackets ? ']' : ':');
	bool port = !brackets && end;
	struct rl_text host = rl_text_cut(&text, end);
	int64_t number = form_of(reading)->port;

	if (brackets && !end) {
		return REFUSE(reading, "a '[' without a ']'");
	}
	if (brackets && text.length > 0 && !(port = rl_text_skip(&text, ":"))) {
		return REFUSE(reading, "only a port can follow the ']'");
	}
	if (!brackets && rl_text_find(text, ':')) {
		return REFUSE(reading,
			"more than one ':' in the host and port (an IPv6 address needs brackets, as in redis://[::1]:6379)");
	}
	if (!brackets && host.length == 0) {
		return REFUSE(reading, "the host is missing");
	}
	if (!brackets && !rl_address_syntax_is_host_name(host)) {
		return REFUSE(reading, "the host is not a name or an IP address");
	}
	if (port && (!rl_number_read(text, 65535, &number) || number == 0)) {
		return REFUSE(reading, "the port must be a whole number from 1 to 65535");
	}
	address->port = (int)number;
	address->host = rl_text_copy(host);
	if (!is_there(reading, address->host)) {
		return false;
	}
	/* Without a NUL before its end: raw control characters were refused. */
	return !brackets || read_ip6(address->host)
		|| REFUSE(reading, "what is in the brackets is not an IPv6 address");
}

static bool add_host(struct rl_address_reading *reading, struct rl_text text)
{
	struct rl_seed_addresses *seeds = reading->seeds;
	struct rl_address **host = &seeds->hosts[seeds->count];

	if (seeds->count == RL_SEEDS_MAX) {
		return REFUSE(reading, "more than %d hosts", RL_SEEDS_MAX);
	}
	seeds->count++;
	*host = calloc(1, sizeof **host);
	return is_there(reading, *host) && read_host(reading, text, *host);
}

/* --- the parts --- */

enum kind {
	A_NUMBER,
	A_TEXT, /* percent-encoded in an address, as a file is */
	A_FLAG,
	A_FILE,
	A_NAME,
	A_TIME,
	A_HOST
};

#define READING(member) offsetof(struct rl_address_reading, member)
#define ADDRESS(member) READING(address.member)

static const struct part {
	const char *name; /* an option's, or for people */
	enum kind kind;
	size_t offset; /* where it goes in a reading */
} PARTS[RL_PART_COUNT] = {
	[RL_PART_DB] = { "db", A_NUMBER, ADDRESS(db) },
	[RL_PART_USER] = { "user", A_TEXT, ADDRESS(user) },
	[RL_PART_PASSWORD] = { "password", A_TEXT, ADDRESS(password) },
	[RL_PART_SENTINEL_PASSWORD] = { "sentinel_password", A_TEXT, READING(sentinel_password) },
	[RL_PART_TLS] = { "tls", A_FLAG, READING(tls) },
	[RL_PART_SENTINEL_TLS] = { "sentinel_tls", A_FLAG, READING(sentinel_tls) },
	[RL_PART_CAFILE] = { "cafile", A_FILE, ADDRESS(cafile) },
	[RL_PART_CERT] = { "cert", A_FILE, ADDRESS(cert) },
	[RL_PART_KEY] = { "key", A_FILE, ADDRESS(key) },
	[RL_PART_SNI] = { "sni", A_NAME, ADDRESS(sni) },
	[RL_PART_VERIFY] = { "verify", A_FLAG, ADDRESS(verify) },
	[RL_PART_CONNECT_TIMEOUT] = { "connect_timeout", A_TIME, ADDRESS(connect_timeout) },
	[RL_PART_TIMEOUT] = { "timeout", A_TIME, ADDRESS(timeout) },
	[RL_PART_PERSISTENT] = { "persistent", A_FLAG, ADDRESS(persistent) },
	[RL_PART_HOST] = { "host", A_HOST, ADDRESS(host) },
	[RL_PART_PATH] = { "path", A_TEXT, ADDRESS(path) },
	[RL_PART_MASTER] = { "master's name", A_TEXT, READING(master) },
};

static bool put_text(struct rl_address_reading *reading, const struct part *part,
	struct rl_text value, char **to)
{
	if (rl_text_find(value, '\0')) {
		return REFUSE(reading, "the %s cannot hold %%00", part->name);
	}
	*to = rl_text_copy(value);
	return is_there(reading, *to);
}

/* What a relative path leads to depends on when it is used, so it counts from where it was read. */
static bool put_file(struct rl_address_reading *reading, const struct part *part,
	struct rl_text value, char **to)
{
	char *named = NULL;
	bool done;

	if (value.length == 0) {
		return REFUSE(reading, "%s names no file", part->name);
	}
	done = put_text(reading, part, value, &named);
	if (done && !rl_path_from_root(named, reading->here, to)) {
		done = REFUSE(reading,
			"the path of %s does not begin at the root, and the current folder is not known",
			part->name);
	}
	free(named);
	return done && is_there(reading, *to);
}

bool rl_address_reading_put(
	struct rl_address_reading *reading, enum rl_address_part which, struct rl_text value)
{
	const struct part *part = &PARTS[which];
	void *to = (char *)reading + part->offset;
	int64_t number;

	switch (part->kind) {
		case A_NUMBER:
			if (!rl_number_read(value, INT_MAX, &number)) {
				return REFUSE(reading, "the database must be a whole number, 0 or more");
			}
			*(int *)to = (int)number;
			return true;
		case A_FLAG:
			*(bool *)to = rl_text_equals(value, "1");
			return *(bool *)to || rl_text_equals(value, "0")
				|| REFUSE(reading, "%s must be 0 or 1", part->name);
		case A_TIME:
			return (rl_number_read_seconds(value, RL_NUMBER_TIMEOUT_MAX_S, to)
					   && *(rl_time *)to > 0)
				|| REFUSE(reading,
					"%s must be seconds (not milliseconds) as in 0.5, more than 0 and at most %d",
					part->name, RL_NUMBER_TIMEOUT_MAX_S);
		case A_NAME:
			return rl_address_syntax_is_host_name(value)
				? put_text(reading, part, value, to)
				: REFUSE(reading,
					"%s must be the name, or the IPv4 address, in the server's certificate",
					part->name);
		case A_FILE:
			return put_file(reading, part, value, to);
		case A_HOST:
			return reading->seeds ? add_host(reading, value)
								  : read_host(reading, value, &reading->address);
		default:
			return put_text(reading, part, value, to);
	}
}

/* Into a buffer of its length. False: a '%' is not followed by two hex digits. */
static bool decode(struct rl_text text, char *buffer, size_t *length)
{
	char *to = buffer;

	for (size_t i = 0; i < text.length; i++) {
		int high = text.length - i > 2 ? rl_number_hex(text.data[i + 1]) : -1;
		int low = high >= 0 ? rl_number_hex(text.data[i + 2]) : -1;

		if (text.data[i] != '%') {
			*to++ = text.data[i];
		} else if (low < 0) {
			return false;
		} else {
			*to++ = (char)(high * 16 + low);
			i += 2;
		}
	}
	*length = (size_t)(to - buffer);
	return true;
}

/* As it is written in an address. */
static bool put_written(
	struct rl_address_reading *reading, enum rl_address_part which, struct rl_text value)
{
	const struct part *part = &PARTS[which];
	struct rl_text decoded;
	char *buffer;
	bool done;

	if ((part->kind != A_TEXT && part->kind != A_FILE) || !rl_text_find(value, '%')) {
		return rl_address_reading_put(reading, which, value);
	}
	decoded.data = buffer = malloc(value.length + 1);
	if (!is_there(reading, buffer)) {
		return false;
	}
	done = decode(value, buffer, &decoded.length)
		? rl_address_reading_put(reading, which, decoded)
		: REFUSE(reading,
			"a '%%' in the %s is not followed by two hex digits (a plain '%%' is written %%25)",
			part->name);
	rl_system_wipe(buffer, value.length);
	free(buffer);
	return done;
}

/* --- options --- */

#define NAMES_SIZE 160

/* The options that a form has, for people. */
static const char *list_options(const struct form *form, char names[NAMES_SIZE])
{
	char *to = names;

	for (size_t i = 0; i < RL_PART_COUNT; i++) {
		if (form->options & 1U << i) {
			to = rl_text_put(to, rl_text_of(to == names ? "" : ", "));
			to = rl_text_put(to, rl_text_of(PARTS[i].name));
		}
	}
	*to = '\0';
	return names;
}

/* Where that is written which other clients have as an option of this name; NULL: nowhere. */
static const char *place_of(const struct form *form, struct rl_text name)
{
	if (rl_text_equals(name, "db") || rl_text_equals(name, "database")) {
		return form->db;
	}
	return !(form->options & HAS(USER))
			&& (rl_text_equals(name, "user") || rl_text_equals(name, "username")
				|| rl_text_equals(name, "password") || rl_text_equals(name, "auth"))
		? "user and password are written before the host: user:password@host, or :password@host"
		: NULL;
}

/* `secret`: there is a password, so that what looks like an option's name may be a piece of it. */
static bool refuse_option(struct rl_address_reading *reading, struct rl_text name, bool secret)
{
	const struct form *form = form_of(reading);
	const char *place = place_of(form, name);
	char names[NAMES_SIZE], text[64];

	if (name.length == 0) {
		return REFUSE(reading, "an option without a name");
	}
	if (place) {
		return REFUSE(reading, "%s", place);
	}
	if (secret) {
		return REFUSE(reading,
			"an unknown option; %s has %s (a '&' in a password is written %%26)", form->scheme,
			list_options(form, names));
	}
	return REFUSE(reading, "unknown option \"%s\"; %s has %s",
		rl_text_printable(text, sizeof text, name), form->scheme, list_options(form, names));
}

static enum rl_address_part find_option(const struct form *form, struct rl_text name)
{
	enum rl_address_part which = 0;

	while (which < RL_PART_COUNT
		&& !(form->options & 1U << which && rl_text_equals(name, PARTS[which].name))) {
		which++;
	}
	return which;
}

static bool read_option(struct rl_address_reading *reading, struct rl_text value, bool secret)
{
	const char *equal = rl_text_find(value, '=');
	struct rl_text name = rl_text_cut(&value, equal);
	enum rl_address_part which = find_option(form_of(reading), name);

	if (which == RL_PART_COUNT) {
		return refuse_option(reading, name, secret);
	}
	if (!equal) {
		return REFUSE(reading, "the option \"%s\" has no value", PARTS[which].name);
	}
	if (reading->given & 1U << which) {
		return REFUSE(reading, "the option \"%s\" is given twice", PARTS[which].name);
	}
	reading->given |= 1U << which;
	return put_written(reading, which, value);
}

/* --- from the first to the last --- */

/* [[USER]:PASSWORD@][HOSTS][/PATH][?QUERY]; without data: there is none. */
struct pieces {
	struct rl_text login, hosts, path, query;
};

static bool split(
	struct rl_address_reading *reading, struct rl_text text, struct pieces *pieces)
{
	bool has_hosts = form_of(reading)->port > 0;
	const char *end = rl_text_first_of(text, '/', '?'), *at;

	*pieces = (struct pieces){ .hosts = rl_text_cut(&text, end) };
	if (has_hosts && rl_text_find(text, '@')) {
		return REFUSE(reading,
			"a '@' after the host (in a user or password '/' is written %%2F, '?' %%3F, '#' %%23 and '@' %%40)");
	}
	if (end && *end == '/') {
		end = rl_text_find(text, '?');
		pieces->path = rl_text_cut(&text, end);
	}
	if (end) {
		pieces->query = text;
	}
	if (has_hosts && (at = rl_text_last(pieces->hosts, '@'))) {
		pieces->login = rl_text_cut(&pieces->hosts, at);
	}
	if (form_of(reading)->has_several && rl_text_find(pieces->login, '@')
		&& rl_text_find(pieces->login, ',')) {
		return REFUSE(reading,
			"user and password are written once, before the first host (in them '@' is written %%40)");
	}
	return true;
}

static bool read_hosts(struct rl_address_reading *reading, const struct pieces *pieces)
{
	const struct form *form = form_of(reading);
	struct rl_text text = pieces->hosts;
	const char *comma;
	bool done;

	if (!form->has_several && rl_text_find(text, ',')) {
		return REFUSE(reading,
			"%s is one server; several are written sentinel://a,b/master, cluster://a,b, "
			"or, for a majority of independent ones, as an array of addresses",
			form->scheme);
	}
	if (!form->has_several && text.length == 0 && rl_text_mentions(pieces->path, ".sock")) {
		return REFUSE(reading, "%s", socket_hint);
	}
	do {
		comma = rl_text_find(text, ',');
		done = rl_address_reading_put(reading, RL_PART_HOST, rl_text_cut(&text, comma));
	} while (done && comma);
	return done;
}

static bool read_login(struct rl_address_reading *reading, struct rl_text text)
{
	const char *colon = rl_text_find(text, ':');
	struct rl_text user = rl_text_cut(&text, colon);

	if (!colon && user.length == 0) {
		return REFUSE(reading, "nothing before the '@'");
	}
	return put_written(reading, RL_PART_USER, user)
		&& (!colon || put_written(reading, RL_PART_PASSWORD, text));
}

static bool read_path(struct rl_address_reading *reading, struct rl_text path)
{
	enum rl_address_part which = form_of(reading)->path;

	if (which == RL_PART_DB && path.length == 0) {
		return true;
	}
	if (reading->form == RL_FORM_CLUSTER && !rl_text_equals(path, "0")) {
		return REFUSE(reading, CLUSTER_DB);
	}
	if (which == RL_PART_MASTER && path.length == 0) {
		return REFUSE(reading, "the master's name is missing, as in sentinel://host/mymaster");
	}
	if (which == RL_PART_MASTER && rl_text_find(path, '/')) {
		return REFUSE(reading,
			"a '/' behind the master's name; the database is written sentinel://host/mymaster?db=1");
	}
	return put_written(reading, which, path);
}

/* The path of a socket begins with that '/'. */
static bool read_socket(struct rl_address_reading *reading, const struct pieces *pieces)
{
	struct rl_text path = { pieces->hosts.data, pieces->path.length + 1 };

	return pieces->path.data == path.data + 1
		? read_path(reading, path)
		: REFUSE(reading, "the path must begin with a '/', as in unix:///path/to/socket");
}

static bool read_options(struct rl_address_reading *reading, const struct pieces *pieces)
{
	struct rl_text text = pieces->query;
	bool secret = pieces->login.data || rl_text_mentions(text, "pass") || rl_text_find(text, '@');
	bool more = text.data != NULL, done = true;

	while (done && more) {
		const char *ampersand = rl_text_find(text, '&');

		more = ampersand != NULL;
		done = read_option(reading, rl_text_cut(&text, ampersand), secret);
	}
	return done;
}

static bool check_characters(struct rl_address_reading *reading, struct rl_text text)
{
	for (size_t i = 0; i < text.length; i++) {
		if ((unsigned char)text.data[i] <= 0x20 || text.data[i] == 0x7f) {
			return REFUSE(reading, "a space or control character (a space is written %%20)");
		}
	}
	return true;
}

/* What follows the scheme. */
static bool read_pieces(struct rl_address_reading *reading, struct rl_text text)
{
	struct pieces pieces;

	if (!split(reading, text, &pieces)) {
		return false;
	}
	if (!form_of(reading)->port) {
		return read_socket(reading, &pieces) && read_options(reading, &pieces);
	}
	return read_hosts(reading, &pieces)
		&& (!pieces.login.data || read_login(reading, pieces.login))
		&& read_path(reading, pieces.path) && read_options(reading, &pieces);
}

static void read_text(struct rl_address_reading *reading, struct rl_text text, bool has_several,
	const struct rl_address_defaults *defaults, struct rl_error *error)
{
	enum rl_address_form form = find_form(&text, has_several);
	bool has_form = form < RL_FORM_COUNT;

	rl_address_reading_begin(reading, has_form ? form : RL_FORM_TCP, defaults, error);
	if (reading->status != RL_OK || !check_characters(reading, text)) {
		return;
	}
	if (has_form) {
		read_pieces(reading, text);
	} else {
		REFUSE(reading, "%s", reason_no_form(text));
	}
}

/* --- the whole --- */

#define PATH_MAX_LENGTH (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)

void rl_address_reading_begin(struct rl_address_reading *reading, enum rl_address_form form,
	const struct rl_address_defaults *defaults, struct rl_error *error)
{
	*reading = (struct rl_address_reading){
		.form = form,
		.address = { .verify = true,
			.connect_timeout = defaults->connect_timeout,
			.timeout = defaults->timeout,
			.persistent = defaults->persistent,
			.bounds = defaults->bounds,
			.environment = rl_environment_note() },
		.here = defaults->here,
		.tls = FORMS[form].is_tls,
		.sentinel_tls = true,
		.error = error,
	};
	if (is_there(reading, reading->address.environment) && FORMS[form].has_several) {
		reading->seeds = calloc(1, sizeof *reading->seeds);
		is_there(reading, reading->seeds);
	}
}

/* Whether the parts fit together. An empty user is dropped. */
static bool check(struct rl_address_reading *reading)
{
	struct rl_address *address = &reading->address;

	if (address->user && !address->user[0]) {
		free(address->user);
		address->user = NULL;
	}
	if (address->user && !address->password) {
		return REFUSE(reading,
			"a user without a password (a password alone is written \":password@\", a user that needs none \"user:@\", or \"user=...&password=\")");
	}
	if (!address->user && address->password && !address->password[0]) {
		return REFUSE(reading, "the password is empty");
	}
	if (reading->sentinel_password && !reading->sentinel_password[0]) {
		return REFUSE(reading, "the sentinel_password is empty");
	}
	if (address->path && strlen(address->path) > PATH_MAX_LENGTH) {
		return REFUSE(reading, "the path is longer than the %d bytes that a socket's path can have",
			(int)PATH_MAX_LENGTH);
	}
	if (!reading->tls && reading->given & (HOW_TLS | HAS(SENTINEL_TLS))) {
		return REFUSE(reading, "cafile, cert, key, sni, verify and sentinel_tls need tls=1");
	}
	return !address->key || address->cert
		|| REFUSE(
			reading, "a key without a cert, the file with the certificate that it belongs to");
}

static bool begin_tls(struct rl_address_reading *reading)
{
	if (!rl_tls_supported()) {
		return fail(reading,
			rl_fail(reading->error, RL_MISUSE,
				"A server address with rediss:// or tls=1 needs TLS, which this rlock was built without: "
				"install OpenSSL's development package (libssl-dev, openssl-devel) and build rlock again"));
	}
	reading->address.tls = rl_tls_context_new();
	return is_there(reading, reading->address.tls);
}

/* Takes what was read out of the reading. NULL: it has failed. */
static struct rl_address *finish(struct rl_address_reading *reading)
{
	struct rl_address *address = &reading->address, *out = NULL;
	bool is_confined = address->bounds && (address->path || address->cafile || address->cert);

	address->verify &= reading->tls;
	if (reading->status != RL_OK || !check(reading) || (reading->tls && !begin_tls(reading))) {
		return NULL;
	}
	if ((!is_confined || (address->confines = rl_bounds_folders(address->bounds)))
		&& rl_address_complete(address)) {
		out = malloc(sizeof *out);
	}
	if (is_there(reading, out)) {
		*out = *address;
		*address = (struct rl_address){ .host = NULL };
	}
	return out;
}

static enum rl_status end(struct rl_address_reading *reading)
{
	rl_address_clear(&reading->address);
	rl_seed_addresses_free(reading->seeds);
	free(reading->master);
	rl_text_wipe(reading->sentinel_password);
	return reading->status;
}

enum rl_status rl_address_reading_end(struct rl_address_reading *reading, struct rl_address **out)
{
	struct rl_address *address = finish(reading);

	if (address) {
		*out = address;
	}
	return end(reading);
}

enum rl_status rl_address_parse(struct rl_text text, const struct rl_address_defaults *defaults,
	struct rl_address **out, struct rl_error *error)
{
	struct rl_address_reading reading;

	read_text(&reading, text, false, defaults, error);
	return rl_address_reading_end(&reading, out);
}

/* --- several hosts --- */

bool rl_seed_addresses_are_meant(struct rl_text text)
{
	return find_form(&text, true) < RL_FORM_COUNT;
}

/* As the servers are talked to; but sentinels have a login of their own, and TLS perhaps. */
static struct rl_address like_hosts(const struct rl_address_reading *reading)
{
	struct rl_address like = *reading->seeds->login;

	if (reading->form == RL_FORM_SENTINEL) {
		like.user = NULL;
		like.password = reading->sentinel_password;
		like.db = 0;
	}
	if (!reading->sentinel_tls) {
		like.tls = NULL;
		like.verify = false;
		like.cafile = like.cert = like.key = like.sni = like.confines = NULL;
	}
	return like;
}

static bool finish_seeds(struct rl_address_reading *reading)
{
	struct rl_seed_addresses *seeds = reading->seeds;
	struct rl_address like;

	seeds->login = finish(reading);
	if (!seeds->login) {
		return false;
	}
	like = like_hosts(reading);
	for (size_t i = 0; i < seeds->count; i++) {
		struct rl_address *host = seeds->hosts[i];

		seeds->hosts[i] = rl_address_at(&like, host->host, host->port, NULL);
		rl_address_free(host);
		if (!is_there(reading, seeds->hosts[i])) {
			return false;
		}
	}
	seeds->master = reading->master;
	reading->master = NULL;
	return rl_seed_addresses_complete(seeds, form_of(reading)->scheme)
		|| fail(reading, rl_fail_for_memory(reading->error));
}

enum rl_status rl_seed_addresses_parse(struct rl_text text,
	const struct rl_address_defaults *defaults, struct rl_seed_addresses **out,
	struct rl_error *error)
{
	struct rl_address_reading reading;

	read_text(&reading, text, true, defaults, error);
	if (reading.status == RL_OK && finish_seeds(&reading)) {
		*out = reading.seeds;
		reading.seeds = NULL;
	}
	return end(&reading);
}
