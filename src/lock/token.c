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

/* Takes the part up to the next ':' off `rest`, which has no data once nothing follows. */
static struct rl_text take_part(struct rl_text *rest)
{
	const char *colon = rest->length > 0 ? memchr(rest->data, ':', rest->length) : NULL;
	struct rl_text part = { rest->data, colon ? (size_t)(colon - rest->data) : rest->length };

	*rest = colon ? (struct rl_text){ colon + 1, rest->length - part.length - 1 } : (struct rl_text){ NULL, 0 };
	return part;
}

/* HOST:PID, of which both are empty where nobody is the owner. False: it is something else. */
static bool take_owner(struct rl_value *out, struct rl_text *rest)
{
	struct rl_text host = take_part(rest), pid = take_part(rest);

	if (host.length > HOST_MAX || !pid.data || (host.length == 0) != (pid.length == 0)) {
		return false;
	}
	for (size_t i = 0; i < pid.length; i++) {
		if (!is_digit(pid.data[i])) {
			return false;
		}
	}
	out->owner = host.data;
	out->owner_length = host.length ? (size_t)(pid.data + pid.length - host.data) : 0;
	return true;
}

static bool take_random(struct rl_text *rest)
{
	struct rl_text random = take_part(rest);

	return is_random_hex(random.data, random.length);
}

static void set_metadata(struct rl_value *out, struct rl_text rest)
{
	out->metadata = rest.data;
	out->metadata_length = rest.length;
}

/* False: not one of our tokens. */
static bool read_token(struct rl_value *out, const char *value, size_t length)
{
	struct rl_text rest;

	if (length < VERSION_LENGTH || memcmp(value, VERSION, VERSION_LENGTH) != 0) {
		return false;
	}
	rest = (struct rl_text){ value + VERSION_LENGTH, length - VERSION_LENGTH };
	out->kind = RL_VALUE_TOKEN;
	if (!take_owner(out, &rest) || !take_random(&rest)) {
		return false;
	}
	set_metadata(out, rest);
	return true;
}

/* False: not a cooldown. Those of earlier versions do not say who it was. */
static bool read_cooldown(struct rl_value *out, const char *value, size_t length)
{
	struct rl_text rest;

	if (length < 2 || value[0] != '-' || value[1] != '~') {
		return false;
	}
	rest = (struct rl_text){ value + 2, length - 2 };
	*out = (struct rl_value){ .kind = RL_VALUE_COOLDOWN, .owner = "" };
	if (!take_random(&rest) || (rest.data && !take_owner(out, &rest))) {
		return false;
	}
	set_metadata(out, rest);
	return true;
}

struct rl_value rl_token_read_value(const char *value, size_t length)
{
	struct rl_value out;

	if (read_token(&out, value, length) || read_cooldown(&out, value, length)) {
		return out;
	}
	return (struct rl_value){
		.kind = rl_token_baton_fence(value, length) > 0 ? RL_VALUE_BATON : RL_VALUE_FOREIGN,
		.owner = "",
	};
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
