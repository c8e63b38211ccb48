#include "environment.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variables[] = {
	/* glibc's, by which it finds names */
	"HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "RESOLV_HOST_CONF", "RESOLV_MULTI",
	"RESOLV_REORDER", "RESOLV_ADD_TRIM_DOMAINS", "RESOLV_OVERRIDE_TRIM_DOMAINS",
	/* OpenSSL's */
	"SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE"
};

#define COUNT (sizeof variables / sizeof variables[0])

/* "0=/etc/aliases", with the value's length before it. Returns how much that is. */
static size_t put(char *to, size_t size, size_t variable, const char *value)
{
	return (size_t)snprintf(to, size, "%zu=%zu:%s", variable, strlen(value), value);
}

char *rl_environment_note(void)
{
	const char *values[COUNT];
	size_t size = 1, length = 0;
	char *noted;

	for (size_t i = 0; i < COUNT; i++) {
		values[i] = getenv(variables[i]);
		size += values[i] ? put(NULL, 0, i, values[i]) : 0;
	}
	noted = malloc(size);
	if (!noted) {
		return NULL;
	}
	noted[0] = '\0';
	for (size_t i = 0; i < COUNT; i++) {
		length += values[i] ? put(noted + length, size - length, i, values[i]) : 0;
	}
	return noted;
}

bool rl_environment_is(const char *noted)
{
	char *now = rl_environment_note();
	bool is_same = now && strcmp(now, noted) == 0;

	free(now);
	return is_same;
}
