#include "token.h"
#include "../base/process_name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION        "rlock1:"
#define VERSION_LENGTH (sizeof(VERSION) - 1)
#define RANDOM_BYTES   (RL_RANDOM_HEX / 2)

/* --- making --- */

/* Appends and moves on. */
static char *put(char *to, struct rl_text text)
{
	memcpy(to, text.data, text.length);
	return to + text.length;
}

/* Who has it, in front of the random part: the version, and HOST:PID of this process, or of nobody. */
static struct rl_text owner_part(bool nobody)
{
	return nobody ? (struct rl_text){ ":", 1 } : rl_process_name();
}

static bool put_random_hex(char *to)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[RANDOM_BYTES];

	if (!rl_system_random(bytes, sizeof bytes)) {
		return false;
	}
	for (size_t i = 0; i < sizeof bytes; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 0x0f];
	}
	return true;
}

enum rl_status rl_token_make(struct rl_token *token, struct rl_text metadata, bool nobody, struct rl_error *error)
{
	struct rl_text owner = owner_part(nobody);
	char *to;

	token->length = VERSION_LENGTH + owner.length + 1 + RL_RANDOM_HEX + (metadata.data ? 1 + metadata.length : 0);
	token->text = malloc(token->length + 1);
	if (!token->text) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	to = put(put(token->text, (struct rl_text){ VERSION, VERSION_LENGTH }), owner);
	*to++ = ':';
	if (!put_random_hex(to)) {
		rl_token_free(token);
		return rl_fail(error, RL_MISUSE, "The system has no source of randomness: neither getentropy() nor /dev/urandom works");
	}
	to += RL_RANDOM_HEX;
	token->metadata_offset = 0;
	if (metadata.data) {
		*to++ = ':';
		token->metadata_offset = (size_t)(to - token->text);
		to = put(to, metadata);
	}
	*to = '\0';
	return RL_OK;
}

void rl_token_free(struct rl_token *token)
{
	free(token->text);
	token->text = NULL;
}

void rl_token_baton(const struct rl_token *token, char baton[RL_BATON_SIZE])
{
	size_t end = token->metadata_offset ? token->metadata_offset - 1 : token->length;

	baton[0] = '~';
	memcpy(baton + 1, token->text + end - RL_RANDOM_HEX, RL_RANDOM_HEX);
	baton[1 + RL_RANDOM_HEX] = '\0';
}

/* --- reading --- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_random_hex(const char *text, size_t length)
{
	if (length != RL_RANDOM_HEX) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		if (!is_digit(text[i]) && (text[i] < 'a' || text[i] > 'f')) {
			return false;
		}
	}
	return true;
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

/* False: not one of our tokens. */
static bool read_token(struct rl_value *out, const char *value, size_t length)
{
	const char *at, *end, *host, *pid, *random;
	size_t host_length, pid_length, random_length;

	if (length < VERSION_LENGTH || memcmp(value, VERSION, VERSION_LENGTH) != 0) {
		return false;
	}
	at = value + VERSION_LENGTH;
	end = value + length;
	host = next_part(&at, end, &host_length);
	pid = next_part(&at, end, &pid_length);
	random = next_part(&at, end, &random_length);
	/* Both, or, where nobody owns it, neither. */
	if (host_length > RL_HOST_MAX || (host_length == 0) != (pid_length == 0) || !is_random_hex(random, random_length)) {
		return false;
	}
	for (size_t i = 0; i < pid_length; i++) {
		if (!is_digit(pid[i])) {
			return false;
		}
	}
	out->kind = RL_VALUE_TOKEN;
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
	struct rl_value out = { .kind = RL_VALUE_FOREIGN, .owner = "" };

	if (read_token(&out, value, length)) {
		return out;
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
