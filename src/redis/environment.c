#include "environment.h"
#include "../base/bounds.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variables[] = {
	/* glibc's, by which it finds names */
	"HOSTALIASES", "RESOLV_HOST_CONF",
	/* OpenSSL's */
	"SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE",
	/* glibc's again: no paths */
	"LOCALDOMAIN", "RES_OPTIONS", "RESOLV_MULTI", "RESOLV_REORDER", "RESOLV_ADD_TRIM_DOMAINS",
	"RESOLV_OVERRIDE_TRIM_DOMAINS"
};

#define COUNT (sizeof variables / sizeof variables[0])
#define PATHS 5 /* are the first */

/* "0=/etc/aliases", with the value's length before it. Returns how much that is. */
static size_t put(char *to, size_t size, size_t variable, const char *value)
{
	return (size_t)snprintf(to, size, "%zu=%zu:%s", variable, strlen(value), value);
}

/* One that does not begin at the root; SSL_CERT_DIR may have several. */
static bool has_relative_path(const char *value)
{
	const char *more = strchr(value, ':');

	return value[0] != '/' || (more && has_relative_path(more + 1));
}

/*
 * Puts into `*folder` the one from which a path among them counts, "" if none does, which the
 * caller frees. False: out of memory.
 */
static bool find_folder(const char *const *values, char **folder)
{
	bool matters = false;

	for (size_t i = 0; i < PATHS; i++) {
		matters = matters || (values[i] && has_relative_path(values[i]));
	}
	if (!matters || !rl_pin_from_root(".", folder)) {
		*folder = calloc(1, 1);
	}
	return *folder != NULL;
}

char *rl_environment_note(void)
{
	const char *values[COUNT];
	char *folder, *noted;
	size_t size = 1, length = 0;

	for (size_t i = 0; i < COUNT; i++) {
		values[i] = getenv(variables[i]);
		size += values[i] ? put(NULL, 0, i, values[i]) : 0;
	}
	if (!find_folder(values, &folder)) {
		return NULL;
	}
	size += strlen(folder);
	noted = malloc(size);
	for (size_t i = 0; noted && i < COUNT; i++) {
		length += values[i] ? put(noted + length, size - length, i, values[i]) : 0;
	}
	if (noted) {
		strcpy(noted + length, folder);
	}
	free(folder);
	return noted;
}

bool rl_environment_is(const char *noted)
{
	char *now = rl_environment_note();
	bool is_same = now && strcmp(now, noted) == 0;

	free(now);
	return is_same;
}
