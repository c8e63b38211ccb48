#include "token.h"
#include "../base/process_name.h"
#include "../base/random.h"

#include <stdlib.h>
#include <string.h>

#define ATTACHED     "rlock1:"
#define DETACHED     "rlock1@" /* as long as the other */
#define START_LENGTH (sizeof(ATTACHED) - 1)
#define NAME_HEX     (2 * RL_HOLDER_MAX)
#define RANDOM_BYTES (RL_RANDOM_HEX / 2)

/* --- making --- */

bool rl_token_is_detached(const struct rl_token *token)
{
	return memcmp(token->text, DETACHED, START_LENGTH) == 0;
}

static char *random_of(const struct rl_token *token)
{
	return token->text + (rl_token_is_detached(token) ? token->head_length : START_LENGTH);
}

static enum rl_status draw(struct rl_token *token, struct rl_error *error)
{
	unsigned char bytes[RANDOM_BYTES];

	if (!rl_random_fill(bytes, sizeof bytes)) {
		rl_token_free(token);
		return rl_fail(error, RL_MISUSE,
			"The system has no source of randomness: neither getentropy() nor /dev/urandom works");
	}
	rl_text_put_hex(random_of(token), bytes, sizeof bytes);
	return RL_OK;
}

static enum rl_status reserve(struct rl_token *token, size_t length, struct rl_error *error)
{
	token->length = length;
	token->text = malloc(length + 1);
	return token->text ? RL_OK : rl_fail_for_memory(error);
}

enum rl_status rl_token_make(struct rl_token *token, struct rl_text name, struct rl_text metadata,
	bool nobody, struct rl_error *error)
{
	struct rl_text owner = nobody ? (struct rl_text){ ":", 1 } : rl_process_name();
	size_t named = name.data ? 2 * name.length + 1 : 0;
	enum rl_status status = reserve(token,
		START_LENGTH + named + RL_RANDOM_HEX + 1 + owner.length
			+ (metadata.data ? 1 + metadata.length : 0),
		error);
	char *to;

	if (status != RL_OK) {
		return status;
	}
	to = rl_text_put(token->text, rl_text_of(name.data ? DETACHED : ATTACHED));
	if (name.data) {
		to = rl_text_put_hex(to, (const unsigned char *)name.data, name.length);
		*to++ = ':';
	}
	to += RL_RANDOM_HEX;
	*to++ = ':';
	token->head_length = START_LENGTH + (name.data ? named : RL_RANDOM_HEX + 1);
	to = rl_text_put(to, owner);
	token->metadata_offset = metadata.data ? (size_t)(to - token->text) + 1 : 0;
	if (metadata.data) {
		*to++ = ':';
		to = rl_text_put(to, metadata);
	}
	*to = '\0';
	return draw(token, error);
}

enum rl_status rl_token_make_like(
	struct rl_token *token, const struct rl_token *other, struct rl_error *error)
{
	enum rl_status status = reserve(token, other->length, error);

	if (status != RL_OK) {
		return status;
	}
	memcpy(token->text, other->text, other->length + 1);
	token->head_length = other->head_length;
	token->metadata_offset = other->metadata_offset;
	return draw(token, error);
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

struct rl_text rl_token_text(const struct rl_token *token)
{
	return (struct rl_text){ token->text, token->length };
}

struct rl_text rl_token_metadata(const struct rl_token *token)
{
	size_t offset = token->metadata_offset;

	return offset ? (struct rl_text){ token->text + offset, token->length - offset }
				  : (struct rl_text){ NULL, 0 };
}

struct rl_text rl_token_head(const struct rl_token *token)
{
	return (struct rl_text){ token->text, token->head_length };
}

struct rl_text rl_token_holder(const struct rl_token *token)
{
	return (struct rl_text){ token->text,
		token->metadata_offset ? token->metadata_offset - 1 : token->length };
}

struct rl_text rl_token_own(const struct rl_token *token)
{
	return (struct rl_text){ token->text,
		(size_t)(random_of(token) - token->text) + RL_RANDOM_HEX + 1 };
}

/* --- reading --- */

static bool is_hex(struct rl_text text)
{
	return rl_text_consists_of(text, "0123456789abcdef");
}

static bool is_random(struct rl_text text)
{
	return text.length == RL_RANDOM_HEX && is_hex(text);
}

/* Takes the part up to the next ':' off `rest`, which has no data once nothing follows. */
static struct rl_text take_part(struct rl_text *rest)
{
	const char *colon = rest->length > 0 ? memchr(rest->data, ':', rest->length) : NULL;
	struct rl_text part = { rest->data, colon ? (size_t)(colon - rest->data) : rest->length };

	*rest = colon ? (struct rl_text){ colon + 1, rest->length - part.length - 1 }
				  : (struct rl_text){ NULL, 0 };
	return part;
}

/* Of a detached lock, NAME comes first. False: it is something else. */
static bool take_token(struct rl_value *out, struct rl_text *rest)
{
	const char *start = rest->data;
	bool detached = rl_text_skip(rest, DETACHED);
	struct rl_text first;

	if (!detached && !rl_text_skip(rest, ATTACHED)) {
		return false;
	}
	first = take_part(rest);
	if (!rest->data) {
		return false;
	}
	out->kind = detached ? RL_VALUE_DETACHED : RL_VALUE_TOKEN;
	out->token = (struct rl_text){ start, (size_t)(rest->data - start) };
	if (!detached) {
		return is_random(first);
	}
	return first.length > 0 && first.length <= NAME_HEX && first.length % 2 == 0 && is_hex(first)
		&& is_random(take_part(rest));
}

/* Both are empty where nobody is the owner. */
bool rl_token_read_holder(struct rl_value *out, struct rl_text rest)
{
	struct rl_text host = take_part(&rest), pid = take_part(&rest);

	if (host.length > RL_HOST_MAX || !pid.data || (host.length == 0) != (pid.length == 0)
		|| !rl_text_consists_of(pid, "0123456789")) {
		return false;
	}
	out->owner = (struct rl_text){ host.data,
		host.length ? (size_t)(pid.data + pid.length - host.data) : 0 };
	out->metadata = rest;
	return true;
}

/* False: not one of our grants, and `out` is of no use. A detached lock always has an owner. */
static bool read_grant(struct rl_value *out, struct rl_text rest)
{
	return take_token(out, &rest) && rl_token_read_holder(out, rest)
		&& (out->kind == RL_VALUE_TOKEN || out->owner.length > 0);
}

/* False: not a cooldown, and `out` is of no use. */
static bool read_cooldown(struct rl_value *out, struct rl_text rest)
{
	out->kind = RL_VALUE_COOLDOWN;
	if (!rl_text_skip(&rest, "-~") || !is_random(take_part(&rest)) || !rest.data) {
		return false;
	}
	return rest.length == 0 || rl_token_read_holder(out, rest);
}

/* By the release of an exclusive lock; or a ticket, which is the time at which it was made. */
static bool is_baton(struct rl_text text)
{
	return rl_text_skip(&text, "~") && text.length > 0 && text.length <= RL_RANDOM_HEX
		&& is_hex(text);
}

struct rl_value rl_token_read_value(struct rl_text text)
{
	struct rl_value grant = { .owner = { "", 0 } }, cooldown = { .owner = { "", 0 } };

	if (read_grant(&grant, text)) {
		return grant;
	}
	if (read_cooldown(&cooldown, text)) {
		return cooldown;
	}
	return (struct rl_value){
		.kind = is_baton(text)                ? RL_VALUE_BATON
			: rl_text_equals(text, "+shared") ? RL_VALUE_SHARED
											  : RL_VALUE_FOREIGN,
		.owner = { "", 0 },
	};
}
