#include "token.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION        "rlock1:"
#define VERSION_LENGTH (sizeof(VERSION) - 1)
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
	struct rl_text start = nobody ? nobodys_start() : own_start();
	char *to;

	token->length = start.length + RL_RANDOM_HEX + (metadata.data ? 1 + metadata.length : 0);
	token->text = malloc(token->length + 1);
	if (!token->text) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	memcpy(token->text, start.data, start.length);
	to = token->text + start.length;
	if (!put_random_hex(to)) {
		rl_token_free(token);
		return rl_fail(error, RL_MISUSE, "The system has no source of randomness: neither getentropy() nor /dev/urandom works");
	}
	to += RL_RANDOM_HEX;
	token->metadata_offset = 0;
	if (metadata.data) {
		*to++ = ':';
		token->metadata_offset = (size_t)(to - token->text);
		memcpy(to, metadata.data, metadata.length);
		to += metadata.length;
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
	if (host_length > HOST_MAX || (host_length == 0) != (pid_length == 0) || !is_random_hex(random, random_length)) {
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
