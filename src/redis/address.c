/*
 * No message repeats any text of an address, save the name of an option where no password can
 * be near: a '@' or a '&' at the wrong place makes a password look like any other part.
 */
#include "address.h"
#include "../base/socket.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PORT    6379
#define HOST_MAX        253
#define PATH_MAX_LENGTH (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)
#define SECONDS_MAX     1000000

/* A part of the text. */
struct span {
	const char *data;
	size_t length;
};

enum option {
	OPTION_CONNECT_TIMEOUT,
	OPTION_TIMEOUT,
	OPTION_PERSISTENT,
	OPTION_COMMON, /* those above belong to all forms, those below to unix:// */
	OPTION_DB = OPTION_COMMON,
	OPTION_USER,
	OPTION_PASSWORD,
	OPTION_COUNT
};

static const char *const option_names[OPTION_COUNT] = {
	"connect_timeout", "timeout", "persistent", "db", "user", "password"
};

static const char *const not_spoken[] = { "rediss://", "sentinel://", "cluster://" };

static enum rl_status invalid(struct rl_error *error, const char *reason)
{
	return rl_fail(error, RL_INVALID, "The server address cannot be read: %s", reason);
}

static enum rl_status no_memory(struct rl_error *error)
{
	return rl_fail(error, RL_NO_MEMORY, "Out of memory");
}

/* --- pieces of text --- */

static bool equals(struct span text, const char *other)
{
	return text.length == strlen(other) && memcmp(text.data, other, text.length) == 0;
}

/* Cuts `start` off. */
static bool skip(struct span *text, const char *start)
{
	size_t length = strlen(start);

	if (text->length < length || memcmp(text->data, start, length) != 0) {
		return false;
	}
	text->data += length;
	text->length -= length;
	return true;
}

static const char *find(struct span text, char wanted)
{
	return text.length ? memchr(text.data, wanted, text.length) : NULL;
}

/* Cuts off what is before `at`, and `at` itself; all if it is NULL. */
static struct span cut(struct span *text, const char *at)
{
	struct span before = { text->data, at ? (size_t)(at - text->data) : text->length };
	size_t used = before.length + (at ? 1 : 0);

	text->data += used;
	text->length -= used;
	return before;
}

static char *copy(struct span text)
{
	char *out = malloc(text.length + 1);

	if (out) {
		memcpy(out, text.data, text.length);
		out[text.length] = '\0';
	}
	return out;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A whole number without a sign, at most `max`. */
static bool read_number(struct span text, int64_t max, int64_t *out)
{
	int64_t number = 0;

	for (size_t i = 0; i < text.length; i++) {
		if (!is_digit(text.data[i])) {
			return false;
		}
		number = number * 10 + (text.data[i] - '0');
		if (number > max) {
			return false;
		}
	}
	*out = number;
	return text.length > 0;
}

/* Seconds as digits with at most one point among or around them; what a nanosecond cannot hold is rounded up. */
static bool read_seconds(struct span text, rl_time *out)
{
	struct span fraction = text;
	struct span whole = cut(&fraction, find(text, '.'));
	rl_time time = 0, unit = RL_SECOND;
	int64_t seconds = 0;
	bool rest = false;

	if (whole.length + fraction.length == 0 || (whole.length && !read_number(whole, SECONDS_MAX, &seconds))) {
		return false;
	}
	for (size_t i = 0; i < fraction.length; i++) {
		if (!is_digit(fraction.data[i])) {
			return false;
		}
		unit /= 10;
		time += (fraction.data[i] - '0') * unit;
		rest = rest || (unit == 0 && fraction.data[i] != '0');
	}
	time += seconds * RL_SECOND + rest;
	*out = time;
	return time > 0 && time <= SECONDS_MAX * RL_SECOND;
}

static int hex_value(char c)
{
	if (is_digit(c)) {
		return c - '0';
	}
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Percent-decodes `text`, which is the `part` of the address. A '+' is a plus. */
static enum rl_status decode(struct span text, const char *part, char **out, struct rl_error *error)
{
	char *to = *out = malloc(text.length + 1);

	if (!to) {
		return no_memory(error);
	}
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] != '%') {
			*to++ = text.data[i];
			continue;
		}
		int high = text.length - i > 2 ? hex_value(text.data[i + 1]) : -1;
		int low = high >= 0 ? hex_value(text.data[i + 2]) : -1;
		if (low < 0) {
			return rl_fail(error, RL_INVALID,
				"The server address cannot be read: a '%%' in the %s is not followed by two hex digits (a plain '%%' is written %%25)", part);
		}
		if (high + low == 0) {
			return rl_fail(error, RL_INVALID, "The server address cannot be read: the %s cannot hold %%00", part);
		}
		*to++ = (char)(high * 16 + low);
		i += 2;
	}
	*to = '\0';
	return RL_OK;
}

/* --- the parts of an address --- */

static enum rl_status parse_db(struct span text, struct rl_address *address, struct rl_error *error)
{
	int64_t db;

	if (!read_number(text, INT_MAX, &db)) {
		return invalid(error, "the database must be a whole number, 0 or more");
	}
	address->db = (int)db;
	return RL_OK;
}

static enum rl_status parse_option(enum option option, struct span value, struct rl_address *address, struct rl_error *error)
{
	switch (option) {
		case OPTION_CONNECT_TIMEOUT:
		case OPTION_TIMEOUT:
			if (!read_seconds(value, option == OPTION_TIMEOUT ? &address->timeout : &address->connect_timeout)) {
				return rl_fail(error, RL_INVALID,
					"The server address cannot be read: "
					"%s must be seconds as in 0.5, more than 0 and at most %d",
					option_names[option], SECONDS_MAX);
			}
			return RL_OK;
		case OPTION_PERSISTENT:
			if (!equals(value, "0") && !equals(value, "1")) {
				return invalid(error, "persistent must be 0 or 1");
			}
			address->persistent = equals(value, "1");
			return RL_OK;
		case OPTION_DB:
			return parse_db(value, address, error);
		case OPTION_USER:
			return decode(value, "user", &address->user, error);
		case OPTION_PASSWORD:
			return decode(value, "password", &address->password, error);
		default:
			return RL_OK;
	}
}

static enum rl_status unknown_option(struct span name, bool secret, const struct rl_address *address, struct rl_error *error)
{
	const char *known = address->kind == RL_ADDRESS_UNIX
		? "unix:// has db, user, password, connect_timeout, timeout, persistent"
		: "redis:// has connect_timeout, timeout, persistent";
	char text[64];

	if (secret) {
		return rl_fail(error, RL_INVALID,
			"The server address cannot be read: an unknown option; %s "
			"(a '&' in a password is written %%26)",
			known);
	}
	return rl_fail(error, RL_INVALID, "The server address cannot be read: unknown option \"%s\"; %s",
		rl_printable(text, sizeof text, name.data, name.length), known);
}

/* `secret`: the address has a password, and what looks like a name may be a part of it. */
static enum rl_status parse_options(struct span text, bool secret, struct rl_address *address, struct rl_error *error)
{
	int count = address->kind == RL_ADDRESS_UNIX ? OPTION_COUNT : OPTION_COMMON;
	bool seen[OPTION_COUNT] = { false };
	bool more = true;

	while (more) {
		const char *ampersand = find(text, '&');
		struct span value = cut(&text, ampersand);
		const char *equal = find(value, '=');
		struct span name = cut(&value, equal);
		enum rl_status status;
		int option = 0;

		more = ampersand != NULL;
		while (option < count && !equals(name, option_names[option])) {
			option++;
		}
		if (option == count) {
			return name.length == 0 ? invalid(error, "an option without a name") : unknown_option(name, secret, address, error);
		}
		if (!equal) {
			return rl_fail(error, RL_INVALID, "The server address cannot be read: the option \"%s\" has no value", option_names[option]);
		}
		if (seen[option]) {
			return rl_fail(error, RL_INVALID, "The server address cannot be read: the option \"%s\" is given twice", option_names[option]);
		}
		seen[option] = true;
		status = parse_option(option, value, address, error);
		if (status != RL_OK) {
			return status;
		}
	}
	return RL_OK;
}

/* A user needs a password, which may be empty then; an empty user is none. */
static enum rl_status check_login(struct rl_address *address, struct rl_error *error)
{
	if (address->user && !address->user[0]) {
		free(address->user);
		address->user = NULL;
	}
	if (address->user && !address->password) {
		return invalid(error, "a user without a password (one that needs none is written \"user:@\", or \"user=...&password=\")");
	}
	if (!address->user && address->password && !address->password[0]) {
		return invalid(error, "the password is empty");
	}
	return RL_OK;
}

static enum rl_status parse_userinfo(struct span text, struct rl_address *address, struct rl_error *error)
{
	const char *colon = find(text, ':');
	struct span user = cut(&text, colon);
	enum rl_status status;

	if (!colon && user.length == 0) {
		return invalid(error, "nothing before the '@'");
	}
	status = decode(user, "user", &address->user, error);
	if (status == RL_OK && colon) {
		status = decode(text, "password", &address->password, error);
	}
	return status;
}

static bool is_host_name(struct span text)
{
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];
		char letter = (char)(c | 0x20);

		if (!(letter >= 'a' && letter <= 'z') && !is_digit(c) && c != '-' && c != '.' && c != '_') {
			return false;
		}
	}
	return text.length > 0 && text.length <= HOST_MAX;
}

/* "host", "host:port", "[::1]" or "[::1]:port" */
static enum rl_status parse_host(struct span text, struct rl_address *address, struct rl_error *error)
{
	bool brackets = skip(&text, "[");
	const char *end = find(text, brackets ? ']' : ':');
	bool port = !brackets && end;
	struct span host = cut(&text, end);
	struct in6_addr unused;
	int64_t number = DEFAULT_PORT;

	if (brackets) {
		if (!end) {
			return invalid(error, "a '[' without a ']'");
		}
		if (text.length > 0 && !(port = skip(&text, ":"))) {
			return invalid(error, "only a port can follow the ']'");
		}
	} else if (find(text, ':')) {
		return invalid(error, "more than one ':' in the host and port (an IPv6 address needs brackets, as in redis://[::1]:6379)");
	}
	if (!brackets && !is_host_name(host)) {
		return invalid(error, host.length == 0 ? "the host is missing" : "the host is not a name or an IP address");
	}
	if (port && (!read_number(text, 65535, &number) || number == 0)) {
		return invalid(error, "the port must be a whole number from 1 to 65535");
	}
	address->port = (int)number;
	address->host = copy(host);
	if (!address->host) {
		return no_memory(error);
	}
	/* Without a NUL before its end: raw control characters were refused. */
	if (brackets && inet_pton(AF_INET6, address->host, &unused) != 1) {
		return invalid(error, "what is in the brackets is not an IPv6 address");
	}
	return RL_OK;
}

static const char *first_of_two(struct span text, char a, char b)
{
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] == a || text.data[i] == b) {
			return text.data + i;
		}
	}
	return NULL;
}

static const char *last(struct span text, char wanted)
{
	for (size_t i = text.length; i > 0; i--) {
		if (text.data[i - 1] == wanted) {
			return text.data + i - 1;
		}
	}
	return NULL;
}

/* What follows redis:// */
static enum rl_status parse_tcp(struct span text, struct rl_address *address, struct rl_error *error)
{
	const char *end = first_of_two(text, '/', '?');
	bool path = end && *end == '/';
	bool query = end && !path;
	struct span server = cut(&text, end);
	const char *at = last(server, '@');
	enum rl_status status = RL_OK;
	struct span db;

	if (find(text, '@')) {
		return invalid(error, "a '@' after the host (in a user or password, '/' is written %2F and '?' %3F)");
	}
	if (at) {
		status = parse_userinfo(cut(&server, at), address, error);
	}
	if (status == RL_OK) {
		status = parse_host(server, address, error);
	}
	if (status == RL_OK && path) {
		end = find(text, '?');
		query = end != NULL;
		db = cut(&text, end);
		status = db.length ? parse_db(db, address, error) : RL_OK;
	}
	if (status == RL_OK && query) {
		status = parse_options(text, at != NULL, address, error);
	}
	return status;
}

static bool mentions(struct span text, const char *word)
{
	for (; text.length > 0; text.data++, text.length--) {
		struct span rest = text;

		if (skip(&rest, word)) {
			return true;
		}
	}
	return false;
}

/* What follows unix:// */
static enum rl_status parse_unix(struct span text, struct rl_address *address, struct rl_error *error)
{
	const char *mark = find(text, '?');
	struct span path = cut(&text, mark);
	enum rl_status status;

	if (path.length == 0 || path.data[0] != '/') {
		return invalid(error, "the path must begin with a '/', as in unix:///path/to/socket");
	}
	status = decode(path, "path", &address->path, error);
	if (status == RL_OK && strlen(address->path) > PATH_MAX_LENGTH) {
		return rl_fail(error, RL_INVALID,
			"The server address cannot be read: "
			"the path is longer than the %d bytes that a socket's path can have",
			(int)PATH_MAX_LENGTH);
	}
	if (status == RL_OK && mark) {
		status = parse_options(text, mentions(text, "pass") || find(text, '@'), address, error);
	}
	return status;
}

/* --- the whole --- */

static char *make_name(const struct rl_address *address)
{
	size_t size = address->kind == RL_ADDRESS_UNIX
		? 4 * strlen(address->path) + 1
		: strlen(address->host) + sizeof("[]:65535");
	char *name = malloc(size);

	if (name && address->kind == RL_ADDRESS_UNIX) {
		rl_printable(name, size, address->path, strlen(address->path));
	} else if (name) {
		snprintf(name, size, strchr(address->host, ':') ? "[%s]:%d" : "%s:%d", address->host, address->port);
	}
	return name;
}

/*
 * Every text has its length before it, so that no two addresses come to the same; -1 if there
 * is none. The timeouts belong to it since who shares a server shares its address.
 */
static char *make_identity(const struct rl_address *address)
{
	const char *texts[] = { address->host, address->path, address->user, address->password };
	size_t size = 4 * 24 + 4 * 24 + 1;
	char *identity, *to;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		size += texts[i] ? strlen(texts[i]) : 0;
	}
	to = identity = malloc(size);
	if (!identity) {
		return NULL;
	}
	to += snprintf(to, size, "%d %d %lld %lld", address->port, address->db,
		(long long)address->connect_timeout, (long long)address->timeout);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		to += snprintf(to, size - (size_t)(to - identity), " %lld:%s",
			texts[i] ? (long long)strlen(texts[i]) : -1, texts[i] ? texts[i] : "");
	}
	return identity;
}

static enum rl_status parse(struct span text, struct rl_address *address, struct rl_error *error)
{
	enum rl_status status;

	for (size_t i = 0; i < text.length; i++) {
		if ((unsigned char)text.data[i] <= 0x20 || text.data[i] == 0x7f) {
			return invalid(error, "a space or control character (a space is written %20)");
		}
	}
	for (size_t i = 0; i < sizeof not_spoken / sizeof not_spoken[0]; i++) {
		if (skip(&text, not_spoken[i])) {
			return rl_fail(error, RL_MISUSE, "A server address %s... is not supported by this version yet", not_spoken[i]);
		}
	}
	if (skip(&text, "redis://")) {
		address->kind = RL_ADDRESS_TCP;
		status = parse_tcp(text, address, error);
	} else if (skip(&text, "unix://")) {
		address->kind = RL_ADDRESS_UNIX;
		status = parse_unix(text, address, error);
	} else {
		return invalid(error, "it must begin with redis:// or unix://");
	}
	return status == RL_OK ? check_login(address, error) : status;
}

enum rl_status rl_address_parse(const char *text, size_t length,
	const struct rl_address_defaults *defaults, struct rl_address **out, struct rl_error *error)
{
	struct rl_address *address = calloc(1, sizeof *address);
	enum rl_status status;

	if (!address) {
		return no_memory(error);
	}
	address->connect_timeout = defaults->connect_timeout;
	address->timeout = defaults->timeout;
	address->persistent = defaults->persistent;
	status = parse((struct span){ text, length }, address, error);
	if (status == RL_OK) {
		address->name = make_name(address);
		address->identity = make_identity(address);
		status = address->name && address->identity ? RL_OK : no_memory(error);
	}
	if (status != RL_OK) {
		rl_address_free(address);
		return status;
	}
	*out = address;
	return RL_OK;
}

/* All that an address owns. */
#define TEXTS 6

static void list_texts(struct rl_address *address, char **texts[TEXTS])
{
	texts[0] = &address->host;
	texts[1] = &address->path;
	texts[2] = &address->user;
	texts[3] = &address->password;
	texts[4] = &address->name;
	texts[5] = &address->identity;
}

struct rl_address *rl_address_copy(const struct rl_address *address)
{
	struct rl_address *out = malloc(sizeof *out);
	char **texts[TEXTS];
	bool complete = true;

	if (!out) {
		return NULL;
	}
	*out = *address;
	list_texts(out, texts);
	for (size_t i = 0; i < TEXTS; i++) {
		if (*texts[i]) {
			*texts[i] = copy((struct span){ *texts[i], strlen(*texts[i]) });
			complete &= *texts[i] != NULL;
		}
	}
	if (!complete) {
		rl_address_free(out);
		return NULL;
	}
	return out;
}

void rl_address_free(struct rl_address *address)
{
	char **texts[TEXTS];

	if (address) {
		list_texts(address, texts);
		for (size_t i = 0; i < TEXTS; i++) {
			free(*texts[i]);
		}
		free(address);
	}
}
