#include "environment.h"
#include "../base/number.h"
#include "../base/path.h"

#include <stddef.h>
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

/* "0=12:/etc/aliases", with the value's length before it. Returns where it ends. */
static char *put(char *to, size_t variable, struct rl_text value)
{
	to += rl_number_put(to, (int64_t)variable);
	*to++ = '=';
	to += rl_number_put(to, (int64_t)value.length);
	*to++ = ':';
	return rl_text_put(to, value);
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
	if (!matters || !rl_path_from_root(".", NULL, folder)) {
		*folder = calloc(1, 1);
	}
	return *folder != NULL;
}

char *rl_environment_note(void)
{
	const char *values[COUNT];
	char *folder, *noted, *to;
	size_t size = 1;

	for (size_t i = 0; i < COUNT; i++) {
		values[i] = getenv(variables[i]);
		size += values[i] ? 2 * RL_NUMBER_SIZE + 2 + strlen(values[i]) : 0;
	}
	if (!find_folder(values, &folder)) {
		return NULL;
	}
	to = noted = malloc(size + strlen(folder));
	for (size_t i = 0; noted && i < COUNT; i++) {
		to = values[i] ? put(to, i, rl_text_of(values[i])) : to;
	}
	if (noted) {
		strcpy(to, folder);
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
