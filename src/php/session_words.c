#include "session_words.h"

#include "SAPI.h"

#include "../lock/shown_name.h"
#include "globals.h"
#include "holder_words.h"

/* As much as there is room for. Returns where it ends. */
static char *put_printable(char *to, const char *end, const char *text, size_t length)
{
	for (size_t i = 0; i < length && to < end; i++) {
		*to++ = text[i] >= 0x20 && text[i] < 0x7f ? text[i] : '?';
	}
	return to;
}

/*
 * The id goes before what is long is cut: a part of it would be too much. Each page makes one: no
 * printf().
 */
static void put(char metadata[PHP_RLOCK_SESSION_METADATA_SIZE], const char *method, const char *uri,
	const char *lock)
{
	char *path = estrndup(uri, strcspn(uri, "?#"));
	size_t length = rl_shown_name_mask(rl_text_of(lock), path, strlen(path));
	char *to = metadata, *end = metadata + PHP_RLOCK_SESSION_METADATA_SIZE - 1;

	if (method) {
		to = put_printable(to, end, method, strlen(method));
		to = put_printable(to, end, " ", 1);
	}
	*put_printable(to, end, path, length) = '\0';
	efree(path);
}

/* PHP-FPM knows the script as request_uri, and what was asked for as an environment variable. */
void php_rlock_session_metadata(
	char metadata[PHP_RLOCK_SESSION_METADATA_SIZE], const char *lock)
{
	const char *method = SG(request_info).request_method, *uri = SG(request_info).request_uri;
	char *asked = method ? sapi_getenv(ZEND_STRL("REQUEST_URI")) : NULL;

	if (!method) {
		uri = SG(request_info).path_translated;
	}
	put(metadata, method, asked ? asked : uri ? uri
											  : "",
		lock);
	if (asked) {
		efree(asked);
	}
}

void php_rlock_session_warn(const char *what, const struct rl_error *error)
{
	php_error_docref(NULL, E_WARNING, "%s: %s", what, error->message);
}

void php_rlock_session_tell_busy(struct rl_owner *owner, const char *lock, bool reads)
{
	char by[PHP_RLOCK_HOLDER_WORDS_SIZE];

	php_rlock_holder_words_ask(by, owner, rl_text_of(lock));
	php_error_docref(NULL, reads ? E_NOTICE : E_WARNING, "The session %s%s",
		reads ? "is busy, and can only be read" : "stayed busy", by);
}

void php_rlock_session_tell_end(struct rl_owner *owner, const char *lock, enum rl_status status,
	bool destroys, const struct rl_error *error)
{
	char by[PHP_RLOCK_HOLDER_WORDS_SIZE];

	if (status != RL_LOST && status != RL_TIMED_OUT) {
		php_rlock_session_warn(destroys ? "The session could not be destroyed"
										: "The session was not written",
			error);
		return;
	}
	php_rlock_holder_words_ask(by, owner, rl_text_of(lock));
	php_error_docref(NULL, E_WARNING, "%s: its lock was lost%s",
		destroys ? "The session was destroyed all the same" : "The session was not written", by);
}

/* To the end, runs of literals, and copies of what came before: a length and a distance each. */
static bool is_lzf(const unsigned char *data, size_t length)
{
	size_t at = 0, made = 0;

	while (at < length) {
		size_t control = data[at++], count = control >> 5, distance;

		if (count == 0) {
			at += control + 1;
			made += control + 1;
			continue;
		}
		count += count == 7 && at < length ? data[at++] : 0;
		distance = at < length ? ((control & 31) << 8 | data[at++]) + 1 : made + 1;
		if (distance > made) {
			return false;
		}
		made += count + 2;
	}
	return at == length;
}

/* Before it there are a sum of one byte, and the length of the text. */
static bool is_lz4(const unsigned char *data, size_t length)
{
	uint32_t whole;

	if (length < 6) {
		return false;
	}
	memcpy(&whole, data + 1, sizeof whole);
	return whole > 0 && whole / 255 <= length && length - 5 <= whole + whole / 255 + 16;
}

bool php_rlock_session_looks_compressed(struct rl_text data)
{
	static const char zstd[] = "\x28\xb5\x2f\xfd";
	const unsigned char *bytes = (const unsigned char *)data.data;

	return (data.length >= 4 && memcmp(data.data, zstd, 4) == 0)
		|| is_lz4(bytes, data.length) || (data.length > 0 && is_lzf(bytes, data.length));
}
