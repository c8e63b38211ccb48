#include "seed_addresses.h"
#include "address_syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTINEL_PORT 26379
#define HOSTS_MAX     64

static const struct rl_address_form sentinel_form = {
	"sentinel://",
	RL_HAS_COMMON | RL_HAS(DB) | RL_HAS(SENTINEL_PASSWORD) | RL_HAS(TLS) | RL_HAS(SENTINEL_TLS)
		| RL_HAS_TLS,
	"db, sentinel_password, tls, sentinel_tls, cafile, cert, key, sni, verify, connect_timeout, timeout, persistent",
	NULL
};
#define CLUSTER_DB "a cluster has database 0 alone"

static const struct rl_address_form cluster_form = {
	"cluster://", RL_HAS_COMMON | RL_HAS(TLS) | RL_HAS_TLS,
	"tls, cafile, cert, key, sni, verify, connect_timeout, timeout, persistent", CLUSTER_DB
};

static enum rl_status add_host(struct rl_seed_addresses *addresses, struct rl_text host,
	int default_port, struct rl_error *error)
{
	struct rl_address *address = calloc(1, sizeof *address);
	enum rl_status status;

	if (!address) {
		return rl_fail_for_memory(error);
	}
	addresses->hosts[addresses->count++] = address;
	address->kind = RL_ADDRESS_TCP;
	status = rl_address_syntax_host(host, default_port, address, error);
	if (status == RL_OK) {
		address->name = rl_address_make_name(address);
		status = address->name ? RL_OK : rl_fail_for_memory(error);
	}
	return status;
}

static enum rl_status parse_hosts(struct rl_seed_addresses *addresses, struct rl_text text,
	int default_port, struct rl_error *error)
{
	enum rl_status status;
	const char *comma;

	addresses->hosts = calloc(HOSTS_MAX, sizeof *addresses->hosts);
	if (!addresses->hosts) {
		return rl_fail_for_memory(error);
	}
	do {
		if (addresses->count == HOSTS_MAX) {
			return rl_fail(error, RL_INVALID,
				"The server address cannot be read: more than %d hosts", HOSTS_MAX);
		}
		comma = rl_text_find(text, ',');
		status = add_host(addresses, rl_text_cut(&text, comma), default_port, error);
	} while (status == RL_OK && comma);
	return status;
}

/* The options as far as they are those of the servers. */
static enum rl_status parse_options(
	struct rl_address_reading *reading, struct rl_text text, bool secret, struct rl_error *error)
{
	struct rl_address *login = reading->address;
	enum rl_status status;

	login->verify = true;
	status = rl_address_syntax_options(reading, text, secret, error);
	if (status != RL_OK) {
		return status;
	}
	if (!reading->tls) {
		login->verify = false;
		return reading->given & (RL_HAS_TLS | RL_HAS(SENTINEL_TLS)) ? rl_address_syntax_invalid(
				   error, "cafile, cert, key, sni, verify and sentinel_tls need tls=1")
																	: RL_OK;
	}
	status = rl_address_begin_tls(login, error);
	if (status == RL_OK) {
		status = rl_address_check_tls(login, error);
	}
	return status == RL_OK ? rl_address_confine(login, error) : status;
}

static bool copy_tls(struct rl_address *to, const struct rl_address *from)
{
	to->tls = rl_tls_context_new();
	to->verify = from->verify;
	to->bounds = from->bounds;
	return to->tls && rl_address_copy_text(&to->confines, from->confines)
		&& rl_address_copy_text(&to->cafile, from->cafile)
		&& rl_address_copy_text(&to->cert, from->cert) && rl_address_copy_text(&to->key, from->key)
		&& rl_address_copy_text(&to->sni, from->sni);
}

/* How the hosts are talked to: as the servers, with another login or none. */
static enum rl_status complete_hosts(struct rl_seed_addresses *addresses, const char *user,
	const char *password, bool tls, struct rl_error *error)
{
	for (size_t i = 0; i < addresses->count; i++) {
		struct rl_address *host = addresses->hosts[i];

		host->connect_timeout = addresses->login->connect_timeout;
		host->timeout = addresses->login->timeout;
		host->persistent = addresses->login->persistent;
		if (!rl_address_copy_text(&host->environment, addresses->login->environment)
			|| !rl_address_copy_text(&host->user, user)
			|| !rl_address_copy_text(&host->password, password)
			|| (tls && !copy_tls(host, addresses->login))) {
			return rl_fail_for_memory(error);
		}
		host->identity = rl_address_make_identity(host);
		if (!host->identity) {
			return rl_fail_for_memory(error);
		}
	}
	return RL_OK;
}

static enum rl_status parse_sentinels(struct rl_address_reading *reading,
	struct rl_seed_addresses *addresses, struct rl_text text, struct rl_error *error)
{
	struct rl_address_parts parts;
	enum rl_status status = rl_address_syntax_split(text, &parts, addresses->login, error);

	if (status == RL_OK) {
		status = rl_address_syntax_check_login(addresses->login, error);
	}
	if (status == RL_OK) {
		status = parse_hosts(addresses, parts.hosts, SENTINEL_PORT, error);
	}
	if (status == RL_OK && parts.path.length == 0) {
		return rl_address_syntax_invalid(
			error, "the master's name is missing, as in sentinel://host/mymaster");
	}
	if (status == RL_OK && rl_text_find(parts.path, '/')) {
		return rl_address_syntax_invalid(error,
			"a '/' behind the master's name; the database is written sentinel://host/mymaster?db=1");
	}
	if (status == RL_OK) {
		status = rl_address_syntax_decode(parts.path, "master's name", &addresses->master, error);
	}
	if (status == RL_OK && parts.has_query) {
		status = parse_options(
			reading, parts.query, parts.has_user || rl_text_mentions(parts.query, "pass"), error);
	}
	if (status == RL_OK && reading->sentinel_password && !reading->sentinel_password[0]) {
		return rl_address_syntax_invalid(error, "the sentinel_password is empty");
	}
	return status == RL_OK ? complete_hosts(addresses, NULL, reading->sentinel_password,
			   addresses->login->tls && reading->sentinel_tls, error)
						   : status;
}

static enum rl_status parse_nodes(struct rl_address_reading *reading,
	struct rl_seed_addresses *addresses, struct rl_text text, struct rl_error *error)
{
	struct rl_address_parts parts;
	enum rl_status status = rl_address_syntax_split(text, &parts, addresses->login, error);

	if (status == RL_OK) {
		status = rl_address_syntax_check_login(addresses->login, error);
	}
	if (status == RL_OK) {
		status = parse_hosts(addresses, parts.hosts, RL_DEFAULT_PORT, error);
	}
	if (status == RL_OK && parts.path.length && !rl_text_equals(parts.path, "0")) {
		return rl_address_syntax_invalid(error, CLUSTER_DB);
	}
	if (status == RL_OK && parts.has_query) {
		status = parse_options(reading, parts.query, parts.has_user, error);
	}
	return status == RL_OK ? complete_hosts(addresses, addresses->login->user,
			   addresses->login->password, addresses->login->tls != NULL, error)
						   : status;
}

/* "sentinel://h1:26379,h2:26379/mymaster" */
static char *make_name(const struct rl_seed_addresses *addresses)
{
	const char *scheme = addresses->master ? sentinel_form.scheme : cluster_form.scheme;
	size_t size = strlen(scheme) + (addresses->master ? 4 * strlen(addresses->master) + 2 : 1),
		   length;
	char *name;

	for (size_t i = 0; i < addresses->count; i++) {
		size += strlen(addresses->hosts[i]->name) + 1;
	}
	name = malloc(size);
	if (!name) {
		return NULL;
	}
	length = (size_t)snprintf(name, size, "%s", scheme);
	for (size_t i = 0; i < addresses->count; i++) {
		length += (size_t)snprintf(
			name + length, size - length, "%s%s", i ? "," : "", addresses->hosts[i]->name);
	}
	if (addresses->master) {
		name[length++] = '/';
		rl_text_printable(name + length, size - length, rl_text_of(addresses->master));
	}
	return name;
}

/* As rl_address_make_identity(): whatever makes a difference. */
static char *make_identity(const struct rl_seed_addresses *addresses)
{
	const char *parts[2 + HOSTS_MAX] = { addresses->login->identity, addresses->master };
	size_t count = 2, size = 1, length;
	char *identity;

	for (size_t i = 0; i < addresses->count; i++) {
		parts[count++] = addresses->hosts[i]->identity;
	}
	for (size_t i = 0; i < count; i++) {
		size += 24 + (parts[i] ? strlen(parts[i]) : 0);
	}
	identity = malloc(size);
	length = 0;
	for (size_t i = 0; identity && i < count; i++) {
		length += (size_t)snprintf(identity + length, size - length, "%c%lld:%s", i ? ',' : 'd',
			parts[i] ? (long long)strlen(parts[i]) : -1, parts[i] ? parts[i] : "");
	}
	return identity;
}

static enum rl_status complete(struct rl_seed_addresses *addresses, struct rl_error *error)
{
	addresses->login->identity = rl_address_make_identity(addresses->login);
	if (!addresses->login->identity) {
		return rl_fail_for_memory(error);
	}
	addresses->name = make_name(addresses);
	addresses->identity = make_identity(addresses);
	return addresses->name && addresses->identity ? RL_OK : rl_fail_for_memory(error);
}

static enum rl_status parse(
	struct rl_seed_addresses *addresses, struct rl_text text, struct rl_error *error)
{
	struct rl_address_reading reading = {
		.form = &sentinel_form, .address = addresses->login, .sentinel_tls = true
	};
	enum rl_status status = rl_address_syntax_check_characters(text, error);

	if (status == RL_OK && rl_text_skip(&text, sentinel_form.scheme)) {
		status = parse_sentinels(&reading, addresses, text, error);
	} else if (status == RL_OK) {
		reading.form = &cluster_form;
		rl_text_skip(&text, cluster_form.scheme);
		status = parse_nodes(&reading, addresses, text, error);
	}
	rl_text_wipe(reading.sentinel_password);
	return status == RL_OK ? complete(addresses, error) : status;
}

bool rl_seed_addresses_vouch_for(const struct rl_seed_addresses *addresses, const char *host)
{
	const struct rl_address *login = addresses->login;
	size_t i = 0;

	if (!login->tls || !login->verify || login->sni || addresses->hosts[0]->tls) {
		return true;
	}
	while (i < addresses->count && strcmp(addresses->hosts[i]->host, host) != 0) {
		i++;
	}
	return i < addresses->count;
}

bool rl_seed_addresses_are_meant(struct rl_text text)
{
	return rl_text_skip(&text, sentinel_form.scheme) || rl_text_skip(&text, cluster_form.scheme);
}

enum rl_status rl_seed_addresses_parse(struct rl_text text,
	const struct rl_address_defaults *defaults, struct rl_seed_addresses **out,
	struct rl_error *error)
{
	struct rl_seed_addresses *addresses = calloc(1, sizeof *addresses);
	enum rl_status status;

	if (!addresses) {
		return rl_fail_for_memory(error);
	}
	addresses->login = rl_address_new(defaults, error);
	status = addresses->login ? parse(addresses, text, error) : RL_NO_MEMORY;
	if (status != RL_OK) {
		rl_seed_addresses_free(addresses);
		return status;
	}
	*out = addresses;
	return RL_OK;
}

struct rl_seed_addresses *rl_seed_addresses_copy(const struct rl_seed_addresses *addresses)
{
	struct rl_seed_addresses *out = calloc(1, sizeof *out);
	bool done;

	if (!out) {
		return NULL;
	}
	out->login = rl_address_copy(addresses->login);
	out->hosts = calloc(addresses->count, sizeof *out->hosts);
	done = out->login && out->hosts && rl_address_copy_text(&out->master, addresses->master)
		&& rl_address_copy_text(&out->name, addresses->name)
		&& rl_address_copy_text(&out->identity, addresses->identity);
	while (done && out->count < addresses->count) {
		out->hosts[out->count] = rl_address_copy(addresses->hosts[out->count]);
		done = out->hosts[out->count++] != NULL;
	}
	if (!done) {
		rl_seed_addresses_free(out);
		return NULL;
	}
	return out;
}

void rl_seed_addresses_free(struct rl_seed_addresses *addresses)
{
	if (addresses) {
		for (size_t i = 0; i < addresses->count; i++) {
			rl_address_free(addresses->hosts[i]);
		}
		free(addresses->hosts);
		rl_address_free(addresses->login);
		free(addresses->master);
		free(addresses->name);
		rl_text_wipe(addresses->identity);
		free(addresses);
	}
}
