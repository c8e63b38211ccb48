#include "token.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION        "rlock1:"
#define VERSION_LENGTH (sizeof(VERSION) - 1)
#define DETACHED       "rlock1@" /* as long as the other */
#define HOST_MAX       64
#define RANDOM_BYTES   (RL_RANDOM_HEX / 2)

/* --- making --- */

/* What all tokens of this process begin with: the version, the host and the pid. */
struct head {
	char text[VERSION_LENGTH + HOST_MAX + sizeof(":-9223372036854775808:")];
	size_t length;       /* 0: not made yet */
	uint64_t generation; /* of the process that it names */
};

static RL_THREAD_LOCAL struct head head;

static void make_head(void)
{
	char host[HOST_MAX + 1];

	rl_system_hostname(host, sizeof host);
	for (char *byte = host; *byte; byte++) {
		if (*byte < 0x20 || *byte > 0x7e || *byte == ':') {
			*byte = '_';
		}
	}
	head.length = (size_t)snprintf(head.text, sizeof head.text, VERSION "%s:%ld:", host, rl_system_pid());
	head.generation = rl_system_generation();
}

static struct rl_text own_start(void)
{
	if (head.length == 0 || head.generation != rl_system_generation()) {
		make_head();
	}
	return (struct rl_text){ head.text, head.length };
}

static struct rl_text nobodys_start(void)
{
	static const char start[] = VERSION "::";

	return (struct rl_text){ start, sizeof start - 1 };
}

static void put_hex(char *to, const unsigned char *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 0x0f];
	}
}

struct rl_text rl_token_encode_holder(char hex[RL_HOLDER_HEX], struct rl_text name)
{
	put_hex(hex, (const unsigned char *)name.data, name.length);
	return (struct rl_text){ name.data ? hex : NULL, 2 * name.length };
}

/* Appends and moves on. */
static char *put(char *to, struct rl_text text)
{
	if (text.length > 0) {
		memcpy(to, text.data, text.length);
	}
	return to + text.length;
}

/* With room for RANDOM between them. */
static enum rl_status put_together(struct rl_token *token, struct rl_text head, struct rl_text start, struct rl_text metadata,
	struct rl_error *error)
{
	char *to;

	token->length = head.length + start.length + RL_RANDOM_HEX + (metadata.data ? 1 + metadata.length : 0);
	token->text = malloc(token->length + 1);
	if (!token->text) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	to = put(put(token->text, head), start) + RL_RANDOM_HEX;
	token->metadata_offset = 0;
	if (metadata.data) {
		*to++ = ':';
		token->metadata_offset = (size_t)(to - token->text);
		to = put(to, metadata);
	}
	*to = '\0';
	return RL_OK;
}

static char *random_of(const struct rl_token *token)
{
	size_t end = token->metadata_offset ? token->metadata_offset - 1 : token->length;

	return token->text + end - RL_RANDOM_HEX;
}

enum rl_status rl_token_renew(struct rl_token *token, struct rl_error *error)
{
	unsigned char bytes[RANDOM_BYTES];

	if (!rl_system_random(bytes, sizeof bytes)) {
		return rl_fail(error, RL_MISUSE, "The system has no source of randomness: neither getentropy() nor /dev/urandom works");
	}
	put_hex(random_of(token), bytes, sizeof bytes);
	return RL_OK;
}

static enum rl_status make(struct rl_token *token, struct rl_text head, struct rl_text start, struct rl_text metadata,
	struct rl_error *error)
{
	enum rl_status status = put_together(token, head, start, metadata, error);

	if (status == RL_OK) {
		status = rl_token_renew(token, error);
		if (status != RL_OK) {
			rl_token_free(token);
		}
	}
	return status;
}

enum rl_status rl_token_make(struct rl_token *token, struct rl_text metadata, bool nobody, struct rl_error *error)
{
	return make(token, (struct rl_text){ NULL, 0 }, nobody ? nobodys_start() : own_start(), metadata, error);
}

enum rl_status rl_token_make_detached(struct rl_token *token, struct rl_text holder, struct rl_text metadata,
	struct rl_error *error)
{
	char head[VERSION_LENGTH + RL_HOLDER_HEX];
	struct rl_text start = own_start();
	char *end = put(put(head, (struct rl_text){ DETACHED, VERSION_LENGTH }), holder);

	/* In the place of the version, the ':' behind which belongs to what follows. */
	start.data += VERSION_LENGTH - 1;
	start.length -= VERSION_LENGTH - 1;
	return make(token, (struct rl_text){ head, (size_t)(end - head) }, start, metadata, error);
}

enum rl_status rl_token_copy(struct rl_token *token, struct rl_text value, struct rl_error *error)
{
	const char *metadata = rl_token_read_value(value.data, value.length).metadata;

	token->text = rl_text_copy(value);
	if (!token->text) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	token->length = value.length;
	token->metadata_offset = metadata ? (size_t)(metadata - value.data) : 0;
	return RL_OK;
}

void rl_token_free(struct rl_token *token)
{
	free(token->text);
	token->text = NULL;
}

void rl_token_baton(const struct rl_token *token, char baton[RL_BATON_SIZE])
{
	baton[0] = '~';
	memcpy(baton + 1, random_of(token), RL_RANDOM_HEX);
	baton[1 + RL_RANDOM_HEX] = '\0';
}

/* --- reading --- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!is_digit(text[i]) && (text[i] < 'a' || text[i] > 'f')) {
			return false;
		}
	}
	return true;
}

static bool is_random_hex(const char *text, size_t length)
{
	return length == RL_RANDOM_HEX && is_hex(text, length);
}

/* The part up to the next ':' or the end; moves on behind the ':'. */
static const char *next_part(const char **at, const char *end, size_t *length)
{
	const char *part = *at;
	const char *colon = part < end ? memchr(part, ':', (size_t)(end - part)) : NULL;

	*length = (size_t)((colon ? colon : end) - part);
	*at = colon ? colon + 1 : end;
	return part;
}

/* Reads the version, and the name that follows that of a detached lock's token. */
static bool read_head(struct rl_value *out, const char **at, const char *end)
{
	const char *start = *at;

	if (end - start < (ptrdiff_t)VERSION_LENGTH) {
		return false;
	}
	*at += VERSION_LENGTH;
	if (memcmp(start, VERSION, VERSION_LENGTH) == 0) {
		out->kind = RL_VALUE_TOKEN;
		return true;
	}
	out->kind = RL_VALUE_DETACHED;
	out->holder.data = next_part(at, end, &out->holder.length);
	return memcmp(start, DETACHED, VERSION_LENGTH) == 0 && out->holder.length > 0 && out->holder.length <= RL_HOLDER_HEX
		&& out->holder.length % 2 == 0 && is_hex(out->holder.data, out->holder.length);
}

/* False: not one of our tokens, and `out` is of no use. */
static bool read_token(struct rl_value *out, const char *value, size_t length)
{
	const char *at = value, *end = value + length, *host, *pid, *random;
	size_t host_length, pid_length, random_length;

	if (!read_head(out, &at, end)) {
		return false;
	}
	host = next_part(&at, end, &host_length);
	pid = next_part(&at, end, &pid_length);
	random = next_part(&at, end, &random_length);
	/* Both, or, where nobody owns it, neither. */
	if (host_length > HOST_MAX || (host_length == 0) != (pid_length == 0) || !is_random_hex(random, random_length)) {
		return false;
	}
	if (out->kind == RL_VALUE_DETACHED && host_length == 0) {
		return false;
	}
	for (size_t i = 0; i < pid_length; i++) {
		if (!is_digit(pid[i])) {
			return false;
		}
	}
	out->owner = host;
	out->owner_length = host_length ? (size_t)(pid + pid_length - host) : 0;
	if (random + random_length < end) {
		out->metadata = at;
		out->metadata_length = (size_t)(end - at);
	}
	return true;
}

struct rl_value rl_token_read_value(const char *value, size_t length)
{
	struct rl_value token = { .owner = "" }, out = { .kind = RL_VALUE_FOREIGN, .owner = "" };

	if (read_token(&token, value, length)) {
		return token;
	}
	if (rl_token_baton_fence(value, length) > 0) {
		out.kind = RL_VALUE_BATON;
	} else if (length == 2 + RL_RANDOM_HEX && value[0] == '-' && value[1] == '~' && is_random_hex(value + 2, RL_RANDOM_HEX)) {
		out.kind = RL_VALUE_COOLDOWN;
	}
	return out;
}

int64_t rl_token_baton_fence(const char *baton, size_t length)
{
	size_t at = 1 + RL_RANDOM_HEX + 1;
	int64_t fence = 0;

	if (length <= at || baton[0] != '~' || !is_random_hex(baton + 1, RL_RANDOM_HEX) || baton[at - 1] != ':') {
		return 0;
	}
	for (; at < length; at++) {
		int digit = baton[at] - '0';

		if (!is_digit(baton[at]) || fence > (INT64_MAX - digit) / 10) {
			return 0;
		}
		fence = fence * 10 + digit;
	}
	return fence;
}

bool rl_token_read_turn(const char *value, size_t length, char turn[RL_BATON_SIZE])
{
	if (length != RL_BATON_SIZE || value[0] != '+' || value[1] != '~' || !is_random_hex(value + 2, RL_RANDOM_HEX)) {
		return false;
	}
	memcpy(turn, value + 1, RL_BATON_SIZE - 1);
	turn[RL_BATON_SIZE - 1] = '\0';
	return true;
}

struct rl_text rl_token_text(const struct rl_token *token)
{
	return (struct rl_text){ token->text, token->length };
}

struct rl_text rl_token_metadata(const struct rl_token *token)
{
	size_t offset = token->metadata_offset;

	return offset ? (struct rl_text){ token->text + offset, token->length - offset } : (struct rl_text){ NULL, 0 };
}

bool rl_token_is_detached(const struct rl_token *token)
{
	return memcmp(token->text, DETACHED, VERSION_LENGTH) == 0;
}

struct rl_text rl_token_holder(const struct rl_token *token)
{
	return rl_token_read_value(token->text, token->length).holder;
}
