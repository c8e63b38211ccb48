/*
 * No message repeats any text of an address, except the name of an option where no password can
 * be near: a '@' or a '&' at the wrong place makes a password look like any other part.
 */
#include "address_syntax.h"
#include "../base/bounds.h"
#include "../base/number.h"
#include "../base/socket.h"

#include <limits.h>
#include <stdlib.h>

#define HOST_MAX 253
static const char *const option_names[RL_OPTION_COUNT] = {
	"connect_timeout", "timeout", "persistent", "db", "user", "password", "sentinel_password",
	"cafile", "cert", "key", "sni", "verify", "tls", "sentinel_tls"
};

enum rl_status rl_address_syntax_invalid(struct rl_error *error, const char *reason)
{
	return rl_fail(error, RL_INVALID, "The server address cannot be read: %s", reason);
}

enum rl_status rl_address_syntax_check_characters(struct rl_text text, struct rl_error *error)
{
	for (size_t i = 0; i < text.length; i++) {
		if ((unsigned char)text.data[i] <= 0x20 || text.data[i] == 0x7f) {
			return rl_address_syntax_invalid(
				error, "a space or control character (a space is written %20)");
		}
	}
	return RL_OK;
}

static int hex_value(char c)
{
	if (rl_number_is_digit(c)) {
		return c - '0';
	}
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

enum rl_status rl_address_syntax_decode(
	struct rl_text text, const char *part, char **out, struct rl_error *error)
{
	char *to = *out = calloc(1, text.length + 1); /* terminated, also if it ends halfway */

	if (!to) {
		return rl_fail_for_memory(error);
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
				"The server address cannot be read: a '%%' in the %s is not followed by two hex digits (a plain '%%' is written %%25)",
				part);
		}
		if (high + low == 0) {
			return rl_fail(error, RL_INVALID,
				"The server address cannot be read: the %s cannot hold %%00", part);
		}
		*to++ = (char)(high * 16 + low);
		i += 2;
	}
	return RL_OK;
}

enum rl_status rl_address_syntax_db(
	struct rl_text text, struct rl_address *address, struct rl_error *error)
{
	int64_t db;

	if (!rl_number_read(text, INT_MAX, &db)) {
		return rl_address_syntax_invalid(error, "the database must be a whole number, 0 or more");
	}
	address->db = (int)db;
	return RL_OK;
}

static enum rl_status parse_flag(
	enum rl_option option, struct rl_text value, bool *flag, struct rl_error *error)
{
	if (!rl_text_equals(value, "0") && !rl_text_equals(value, "1")) {
		return rl_fail(error, RL_INVALID, "The server address cannot be read: %s must be 0 or 1",
			option_names[option]);
	}
	*flag = rl_text_equals(value, "1");
	return RL_OK;
}

/* What a relative path leads to depends on when it is used, so it counts from where it was read. */
static enum rl_status parse_file(
	enum rl_option option, struct rl_text value, char **file, struct rl_error *error)
{
	char *named = NULL;
	enum rl_status status;

	if (value.length == 0) {
		return rl_fail(error, RL_INVALID, "The server address cannot be read: %s names no file",
			option_names[option]);
	}
	status = rl_address_syntax_decode(value, "name of a file", &named, error);
	if (status == RL_OK && !rl_pin_from_root(named, file)) {
		status = rl_fail(error, RL_INVALID,
			"The server address cannot be read: the path of %s does not begin at the root, and the current folder is not known",
			option_names[option]);
	} else if (status == RL_OK && !*file) {
		status = rl_fail_for_memory(error);
	}
	free(named);
	return status;
}

/* OpenSSL reads a dot at the start as any name below. */
bool rl_address_syntax_is_host_name(struct rl_text text)
{
	if (text.length == 0 || text.length > HOST_MAX || text.data[0] == '.') {
		return false;
	}
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];
		char letter = (char)(c | 0x20);

		if (!(letter >= 'a' && letter <= 'z') && !rl_number_is_digit(c) && c != '-' && c != '.'
			&& c != '_') {
			return false;
		}
	}
	return true;
}

/* A scope, as in fe80::1%eth0, is a name of the system's. */
bool rl_address_syntax_is_host(struct rl_text text)
{
	char address[INET6_ADDRSTRLEN];
	struct rl_text scope = text;
	const char *mark = rl_text_find(text, '%');
	struct in6_addr unused;

	if (!mark && rl_address_syntax_is_host_name(text)) {
		return true;
	}
	text = rl_text_cut(&scope, mark);
	if (text.length >= sizeof address || (mark && !rl_address_syntax_is_host_name(scope))) {
		return false;
	}
	*rl_text_put(address, text) = '\0';
	return inet_pton(AF_INET6, address, &unused) == 1;
}

static enum rl_status parse_sni(
	struct rl_text value, struct rl_address *address, struct rl_error *error)
{
	if (!rl_address_syntax_is_host_name(value)) {
		return rl_address_syntax_invalid(
			error, "sni must be the name, or the IPv4 address, in the server's certificate");
	}
	address->sni = rl_text_copy(value);
	return address->sni ? RL_OK : rl_fail_for_memory(error);
}

static enum rl_status parse_option(struct rl_address_reading *reading, enum rl_option option,
	struct rl_text value, struct rl_error *error)
{
	struct rl_address *address = reading->address;

	switch (option) {
		case RL_OPTION_CONNECT_TIMEOUT:
		case RL_OPTION_TIMEOUT:
			if (!rl_number_read_seconds(value,
					option == RL_OPTION_TIMEOUT ? &address->timeout : &address->connect_timeout)) {
				return rl_fail(error, RL_INVALID,
					"The server address cannot be read: "
					"%s must be seconds (not milliseconds) as in 0.5, more than 0 and at most %d",
					option_names[option], RL_NUMBER_TIMEOUT_MAX_S);
			}
			return RL_OK;
		case RL_OPTION_PERSISTENT:
			return parse_flag(option, value, &address->persistent, error);
		case RL_OPTION_DB:
			return rl_address_syntax_db(value, address, error);
		case RL_OPTION_USER:
			return rl_address_syntax_decode(value, "user", &address->user, error);
		case RL_OPTION_PASSWORD:
			return rl_address_syntax_decode(value, "password", &address->password, error);
		case RL_OPTION_SENTINEL_PASSWORD:
			return rl_address_syntax_decode(
				value, "sentinel_password", &reading->sentinel_password, error);
		case RL_OPTION_CAFILE:
			return parse_file(option, value, &address->cafile, error);
		case RL_OPTION_CERT:
			return parse_file(option, value, &address->cert, error);
		case RL_OPTION_KEY:
			return parse_file(option, value, &address->key, error);
		case RL_OPTION_SNI:
			return parse_sni(value, address, error);
		case RL_OPTION_VERIFY:
			return parse_flag(option, value, &address->verify, error);
		case RL_OPTION_TLS:
			return parse_flag(option, value, &reading->tls, error);
		case RL_OPTION_SENTINEL_TLS:
			return parse_flag(option, value, &reading->sentinel_tls, error);
		default:
			return RL_OK;
	}
}

/* Where that is written which other clients have as an option of this name; NULL: nowhere. */
static const char *place_of(const struct rl_address_form *form, struct rl_text name)
{
	if (rl_text_equals(name, "db") || rl_text_equals(name, "database")) {
		return form->db;
	}
	if (form->options & RL_HAS(USER)) {
		return NULL;
	}
	return rl_text_equals(name, "user") || rl_text_equals(name, "username")
			|| rl_text_equals(name, "password") || rl_text_equals(name, "auth")
		? "user and password are written before the host: user:password@host"
		: NULL;
}

static enum rl_status unknown_option(const struct rl_address_reading *reading, struct rl_text name,
	bool secret, struct rl_error *error)
{
	const char *place = place_of(reading->form, name);
	char text[64];

	if (place) {
		return rl_address_syntax_invalid(error, place);
	}
	if (secret) {
		return rl_fail(error, RL_INVALID,
			"The server address cannot be read: an unknown option; %s has %s "
			"(a '&' in a password is written %%26)",
			reading->form->scheme, reading->form->has);
	}
	return rl_fail(error, RL_INVALID,
		"The server address cannot be read: unknown option \"%s\"; %s has %s",
		rl_text_printable(text, sizeof text, name), reading->form->scheme, reading->form->has);
}

static int find_option(const struct rl_address_form *form, struct rl_text name)
{
	int option = 0;

	while (option < RL_OPTION_COUNT
		&& !(form->options & (1U << option) && rl_text_equals(name, option_names[option]))) {
		option++;
	}
	return option;
}

enum rl_status rl_address_syntax_options(
	struct rl_address_reading *reading, struct rl_text text, bool secret, struct rl_error *error)
{
	bool more = true;

	while (more) {
		const char *ampersand = rl_text_find(text, '&');
		struct rl_text value = rl_text_cut(&text, ampersand);
		const char *equal = rl_text_find(value, '=');
		struct rl_text name = rl_text_cut(&value, equal);
		int option = find_option(reading->form, name);
		enum rl_status status;

		more = ampersand != NULL;
		if (option == RL_OPTION_COUNT) {
			return name.length == 0 ? rl_address_syntax_invalid(error, "an option without a name")
									: unknown_option(reading, name, secret, error);
		}
		if (!equal) {
			return rl_fail(error, RL_INVALID,
				"The server address cannot be read: the option \"%s\" has no value",
				option_names[option]);
		}
		if (reading->given & (1U << option)) {
			return rl_fail(error, RL_INVALID,
				"The server address cannot be read: the option \"%s\" is given twice",
				option_names[option]);
		}
		reading->given |= 1U << option;
		status = parse_option(reading, option, value, error);
		if (status != RL_OK) {
			return status;
		}
	}
	return RL_OK;
}

enum rl_status rl_address_syntax_check_login(struct rl_address *address, struct rl_error *error)
{
	if (address->user && !address->user[0]) {
		free(address->user);
		address->user = NULL;
	}
	if (address->user && !address->password) {
		return rl_address_syntax_invalid(error,
			"a user without a password (one that needs none is written \"user:@\", or \"user=...&password=\")");
	}
	if (!address->user && address->password && !address->password[0]) {
		return rl_address_syntax_invalid(error, "the password is empty");
	}
	return RL_OK;
}

static enum rl_status parse_userinfo(
	struct rl_text text, struct rl_address *address, struct rl_error *error)
{
	const char *colon = rl_text_find(text, ':');
	struct rl_text user = rl_text_cut(&text, colon);
	enum rl_status status;

	if (!colon && user.length == 0) {
		return rl_address_syntax_invalid(error, "nothing before the '@'");
	}
	status = rl_address_syntax_decode(user, "user", &address->user, error);
	if (status == RL_OK && colon) {
		status = rl_address_syntax_decode(text, "password", &address->password, error);
	}
	return status;
}

/* Of a link-local address: %eth0, or %25eth0 as in RFC 6874. False: it cannot be one. */
static bool read_zone(char *zone)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
								  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

	if (strncmp(zone, "%25", 3) == 0 && zone[3]) {
		memmove(zone + 1, zone + 3, strlen(zone + 3) + 1);
	}
	return zone[1] && zone[1 + strspn(zone + 1, allowed)] == '\0';
}

static bool read_ip6(char *host)
{
	struct in6_addr unused;
	char *zone = strchr(host, '%');
	bool is_one;

	if (zone && !read_zone(zone)) {
		return false;
	}
	if (zone) {
		*zone = '\0';
	}
	is_one = inet_pton(AF_INET6, host, &unused) == 1;
	if (zone) {
		*zone = '%';
	}
	return is_one;
}

enum rl_status rl_address_syntax_host(
	struct rl_text text, int default_port, struct rl_address *address, struct rl_error *error)
{
	bool brackets = rl_text_skip(&text, "[");
	const char *end = rl_text_find(text, brackets ? ']' : ':');
	bool port = !brackets && end;
	struct rl_text host = rl_text_cut(&text, end);
	int64_t number = default_port;

	if (brackets) {
		if (!end) {
			return rl_address_syntax_invalid(error, "a '[' without a ']'");
		}
		if (text.length > 0 && !(port = rl_text_skip(&text, ":"))) {
			return rl_address_syntax_invalid(error, "only a port can follow the ']'");
		}
	} else if (rl_text_find(text, ':')) {
		return rl_address_syntax_invalid(error,
			"more than one ':' in the host and port (an IPv6 address needs brackets, as in redis://[::1]:6379)");
	}
	if (!brackets && !rl_address_syntax_is_host_name(host)) {
		return rl_address_syntax_invalid(error,
			host.length == 0 ? "the host is missing" : "the host is not a name or an IP address");
	}
	if (port && (!rl_number_read(text, 65535, &number) || number == 0)) {
		return rl_address_syntax_invalid(error, "the port must be a whole number from 1 to 65535");
	}
	address->port = (int)number;
	address->host = rl_text_copy(host);
	if (!address->host) {
		return rl_fail_for_memory(error);
	}
	/* Without a NUL before its end: raw control characters were refused. */
	if (brackets && !read_ip6(address->host)) {
		return rl_address_syntax_invalid(error, "what is in the brackets is not an IPv6 address");
	}
	return RL_OK;
}

enum rl_status rl_address_syntax_split(struct rl_text text, struct rl_address_parts *parts,
	struct rl_address *address, struct rl_error *error)
{
	const char *end = rl_text_first_of(text, '/', '?'), *at;

	*parts = (struct rl_address_parts){
		.has_path = end && *end == '/', .has_query = end && *end == '?'
	};
	parts->hosts = rl_text_cut(&text, end);
	if (rl_text_find(text, '@')) {
		return rl_address_syntax_invalid(error,
			"a '@' after the host (in a user or password '/' is written %2F, '?' %3F, '#' %23 and '@' %40)");
	}
	if (parts->has_path) {
		end = rl_text_find(text, '?');
		parts->has_query = end != NULL;
		parts->path = rl_text_cut(&text, end);
	}
	parts->query = text;
	at = rl_text_last(parts->hosts, '@');
	parts->has_user = at != NULL;
	return at ? parse_userinfo(rl_text_cut(&parts->hosts, at), address, error) : RL_OK;
}
