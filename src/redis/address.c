#include "address.h"
#include "../base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- identities --- */

static char *put_number(char *to, int64_t number)
{
	to += rl_number_put(to, number);
	*to++ = ' ';
	return to;
}

/* With its length before it, so that no two lists come to the same; -1: there is none. */
static char *put_text(char *to, const char *text)
{
	struct rl_text put = text ? rl_text_of(text) : (struct rl_text){ "", 0 };

	return rl_text_put(put_number(to, text ? (int64_t)put.length : -1), put);
}

/* Whoever makes an RLock or opens a session makes one: no printf(). NULL: out of memory. */
static char *make_identity(
	const int *numbers, size_t number_count, const char *const *texts, size_t text_count)
{
	size_t size = (number_count + text_count) * (RL_NUMBER_SIZE + 1) + 1;
	char *identity, *to;

	for (size_t i = 0; i < text_count; i++) {
		size += texts[i] ? strlen(texts[i]) : 0;
	}
	to = identity = malloc(size);
	if (!identity) {
		return NULL;
	}
	for (size_t i = 0; i < number_count; i++) {
		to = put_number(to, numbers[i]);
	}
	for (size_t i = 0; i < text_count; i++) {
		to = put_text(to, texts[i]);
	}
	*to = '\0';
	return identity;
}

/* --- one address --- */

static char *make_name(const struct rl_address *address)
{
	size_t size = address->path ? 4 * strlen(address->path) + 1
								: strlen(address->host) + sizeof("[]:65535");
	char *name = malloc(size);

	if (name && address->path) {
		rl_text_printable(name, size, rl_text_of(address->path));
	} else if (name) {
		snprintf(name, size, strchr(address->host, ':') ? "[%s]:%d" : "%s:%d", address->host,
			address->port);
	}
	return name;
}

static bool copy_text(char **to, const char *from)
{
	*to = from ? rl_text_copy(rl_text_of(from)) : NULL;
	return !from || *to;
}

/* All that an address owns; the first of them are part of its identity. */
#define TEXTS       12
#define IDENTIFYING 10

static void list_texts(struct rl_address *address, char **texts[TEXTS])
{
	texts[0] = &address->host;
	texts[1] = &address->path;
	texts[2] = &address->user;
	texts[3] = &address->password;
	texts[4] = &address->cafile;
	texts[5] = &address->cert;
	texts[6] = &address->key;
	texts[7] = &address->sni;
	texts[8] = &address->environment;
	texts[9] = &address->confines;
	texts[10] = &address->name;
	texts[11] = &address->identity;
}

bool rl_address_complete(struct rl_address *address)
{
	const int numbers[] = { address->port, address->db, address->tls != NULL, address->verify };
	bool has_name = address->host || address->path;
	const char *identifying[IDENTIFYING];
	char **texts[TEXTS];

	list_texts(address, texts);
	for (size_t i = 0; i < IDENTIFYING; i++) {
		identifying[i] = *texts[i];
	}
	address->name = has_name ? make_name(address) : NULL;
	address->identity = make_identity(
		numbers, sizeof numbers / sizeof *numbers, identifying, IDENTIFYING);
	return address->identity && (address->name || !has_name);
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
		done &= copy_text(texts[i], *texts[i]);
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

	if (!address) {
		return NULL;
	}
	free(address->host);
	free(address->name);
	rl_text_wipe(address->identity);
	address->name = address->identity = NULL;
	address->port = port;
	if (!copy_text(&address->host, host)
		|| (address->tls && !address->sni && !copy_text(&address->sni, sni))
		|| !rl_address_complete(address)) {
		rl_address_free(address);
		return NULL;
	}
	return address;
}

void rl_address_clear(struct rl_address *address)
{
	char **texts[TEXTS];

	list_texts(address, texts);
	for (size_t i = 0; i < TEXTS; i++) {
		rl_text_wipe(*texts[i]);
	}
	rl_tls_context_free(address->tls);
	*address = (struct rl_address){ .host = NULL };
}

void rl_address_free(struct rl_address *address)
{
	if (address) {
		rl_address_clear(address);
		free(address);
	}
}

/* --- several --- */

/* "sentinel://h1:26379,h2:26379/mymaster" */
static char *make_list_name(const struct rl_seed_addresses *addresses, const char *scheme)
{
	const char *master = addresses->master;
	size_t size = strlen(scheme) + (master ? 4 * strlen(master) + 2 : 1);
	char *name, *to;

	for (size_t i = 0; i < addresses->count; i++) {
		size += strlen(addresses->hosts[i]->name) + 1;
	}
	name = malloc(size);
	if (!name) {
		return NULL;
	}
	to = rl_text_put(name, rl_text_of(scheme));
	for (size_t i = 0; i < addresses->count; i++) {
		to = rl_text_put(to, (struct rl_text){ ",", i > 0 });
		to = rl_text_put(to, rl_text_of(addresses->hosts[i]->name));
	}
	*to = '\0';
	if (master) {
		*to++ = '/';
		rl_text_printable(to, size - (size_t)(to - name), rl_text_of(master));
	}
	return name;
}

bool rl_seed_addresses_complete(struct rl_seed_addresses *addresses, const char *scheme)
{
	static const int number = -1; /* as no port is: it is no address's identity */
	const char *texts[2 + RL_SEEDS_MAX] = { addresses->login->identity, addresses->master };

	for (size_t i = 0; i < addresses->count; i++) {
		texts[2 + i] = addresses->hosts[i]->identity;
	}
	addresses->name = make_list_name(addresses, scheme);
	addresses->identity = make_identity(&number, 1, texts, 2 + addresses->count);
	return addresses->name && addresses->identity;
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

struct rl_seed_addresses *rl_seed_addresses_copy(const struct rl_seed_addresses *addresses)
{
	struct rl_seed_addresses *out = calloc(1, sizeof *out);
	bool done;

	if (!out) {
		return NULL;
	}
	out->login = rl_address_copy(addresses->login);
	done = out->login && copy_text(&out->master, addresses->master)
		&& copy_text(&out->name, addresses->name)
		&& copy_text(&out->identity, addresses->identity);
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
		rl_address_free(addresses->login);
		free(addresses->master);
		free(addresses->name);
		rl_text_wipe(addresses->identity);
		free(addresses);
	}
}
