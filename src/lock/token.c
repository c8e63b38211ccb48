#include "token.h"
#include "../base/process_name.h"
#include "../route/route.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION      "rlock1"
#define ATTACHED     VERSION ":"
#define DETACHED     VERSION "@" /* as long as the other */
#define START_LENGTH (sizeof(ATTACHED) - 1)
#define RANDOM_BYTES (RL_RANDOM_HEX / 2)

/* --- making --- */

/* What all tokens of this process begin with: the version, the host and the pid. */
struct head {
	char text[START_LENGTH + RL_PROCESS_NAME_SIZE + 1];
	size_t length;       /* 0: not made yet */
	uint64_t generation; /* of the process that it names */
};

static RL_THREAD_LOCAL struct head head;

static void make_head(void)
{
	head.length = (size_t)snprintf(head.text, sizeof head.text, ATTACHED "%s:", rl_process_name().data);
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
	static const char start[] = ATTACHED "::";

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

struct rl_text rl_token_detached_head(char head[RL_HOLDER_HEAD], struct rl_text holder)
{
	char *end = put(put(head, (struct rl_text){ DETACHED, START_LENGTH }), holder);

	*end++ = ':';
	return (struct rl_text){ head, (size_t)(end - head) };
}

enum rl_status rl_token_make_detached(struct rl_token *token, struct rl_text holder, struct rl_text metadata,
	struct rl_error *error)
{
	char head[START_LENGTH + RL_HOLDER_HEX];
	struct rl_text start = own_start();
	char *end = put(put(head, (struct rl_text){ DETACHED, START_LENGTH }), holder);

	/* In the place of the version, the ':' behind which belongs to what follows. */
	start.data += START_LENGTH - 1;
	start.length -= START_LENGTH - 1;
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

static bool is_random_hex(struct rl_text text)
{
	return text.length == RL_RANDOM_HEX && is_hex(text.data, text.length);
}

/* Takes the part up to the next ':' off `rest`, which has no data once nothing follows. */
static struct rl_text take_part(struct rl_text *rest)
{
	const char *colon = rest->length > 0 ? memchr(rest->data, ':', rest->length) : NULL;
	struct rl_text part = { rest->data, colon ? (size_t)(colon - rest->data) : rest->length };

	*rest = colon ? (struct rl_text){ colon + 1, rest->length - part.length - 1 } : (struct rl_text){ NULL, 0 };
	return part;
}

/* The version, which for a detached lock is followed by the name. False: it is something else. */
static bool take_head(struct rl_value *out, struct rl_text *rest)
{
	struct rl_text head = take_part(rest);

	if (rl_text_equals(head, VERSION)) {
		out->kind = RL_VALUE_TOKEN;
		return true;
	}
	out->kind = RL_VALUE_DETACHED;
	if (!rl_text_skip(&head, DETACHED)) {
		return false;
	}
	out->holder = head;
	return head.length > 0 && head.length <= RL_HOLDER_HEX && head.length % 2 == 0 && is_hex(head.data, head.length);
}

/* HOST:PID, of which both are empty where nobody is the owner. False: it is something else. */
static bool take_owner(struct rl_value *out, struct rl_text *rest)
{
	struct rl_text host = take_part(rest), pid = take_part(rest);

	if (host.length > RL_HOST_MAX || !pid.data || (host.length == 0) != (pid.length == 0)) {
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

static void set_metadata(struct rl_value *out, struct rl_text rest)
{
	out->metadata = rest.data;
	out->metadata_length = rest.length;
}

/* False: not one of our tokens, and `out` is of no use. A detached lock always has an owner. */
static bool read_token(struct rl_value *out, struct rl_text rest)
{
	if (!take_head(out, &rest) || !take_owner(out, &rest) || !is_random_hex(take_part(&rest))) {
		return false;
	}
	set_metadata(out, rest);
	return out->kind == RL_VALUE_TOKEN || out->owner_length > 0;
}

/* False: not a cooldown, and `out` is of no use. Those of earlier versions do not say who it was. */
static bool read_cooldown(struct rl_value *out, struct rl_text rest)
{
	out->kind = RL_VALUE_COOLDOWN;
	if (!rl_text_skip(&rest, "-~") || !is_random_hex(take_part(&rest)) || (rest.data && !take_owner(out, &rest))) {
		return false;
	}
	set_metadata(out, rest);
	return true;
}

struct rl_value rl_token_read_value(const char *value, size_t length)
{
	struct rl_text text = { value, length };
	struct rl_value token = { .owner = "" }, cooldown = { .owner = "" };

	if (read_token(&token, text)) {
		return token;
	}
	if (read_cooldown(&cooldown, text)) {
		return cooldown;
	}
	if (rl_text_equals(text, "+kept")) {
		return (struct rl_value){ .kind = RL_VALUE_KEPT, .owner = "" };
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

	if (length <= at || baton[0] != '~' || !is_hex(baton + 1, RL_RANDOM_HEX) || baton[at - 1] != ':') {
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

bool rl_token_is_ticket(const char *value, size_t length)
{
	return length > 1 && value[0] == '=';
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
	return memcmp(token->text, DETACHED, START_LENGTH) == 0;
}

struct rl_text rl_token_holder(const struct rl_token *token)
{
	return rl_token_is_detached(token) ? rl_token_read_value(token->text, token->length).holder : (struct rl_text){ NULL, 0 };
}

struct rl_token *rl_tokens_new(void)
{
	return calloc(RL_NODES_MAX, sizeof(struct rl_token));
}

void rl_tokens_free(struct rl_token *tokens)
{
	for (size_t node = 0; tokens && node < RL_NODES_MAX; node++) {
		rl_token_free(&tokens[node]);
	}
	free(tokens);
}
