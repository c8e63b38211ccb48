#include "reply.h"
#include "../base/error.h"

#include <stdlib.h>
#include <string.h>

#if HIREDIS_MAJOR >= 1
typedef size_t element_count;
#else
typedef int element_count;
#endif

/* Nodes beyond those that each connection has. */
struct rl_reply_block {
	struct rl_reply_block *next;
	size_t count;
	struct rl_reply nodes[];
};

/* The root takes the first node; an element's place was set aside when its array began. */
static struct rl_reply *place(const redisReadTask *task)
{
	struct rl_reply_space *space = task->privdata;

	if (task->parent && task->parent->obj) {
		struct rl_reply *array = task->parent->obj;
		return (struct rl_reply *)&array->elements[task->idx];
	}
	rl_reply_reset(space);
	space->used = 1;
	return &space->nodes[0];
}

static int depth(const redisReadTask *task)
{
	int levels = 0;

	while ((task = task->parent)) {
		levels++;
	}
	return levels;
}

static enum rl_reply_type text_type(int type)
{
	switch (type) {
		case REDIS_REPLY_ERROR:
			return RL_REPLY_ERROR;
		case REDIS_REPLY_STATUS:
			return RL_REPLY_STATUS;
		default:
			return RL_REPLY_STRING;
	}
}

static void *create_string(const redisReadTask *task, char *text, size_t length)
{
	struct rl_reply_space *space = task->privdata;
	struct rl_reply *reply = place(task);

	if (length > RL_REPLY_MAX_TEXT - space->text_length) {
		return NULL;
	}
	reply->text = malloc(length + 1);
	if (!reply->text) {
		return NULL;
	}
	space->text_length += length;
	memcpy(reply->text, text, length);
	reply->text[length] = '\0';
	reply->length = length;
	reply->type = text_type(task->type);
	return reply;
}

static struct rl_reply *take_block(struct rl_reply_space *space, size_t count)
{
	struct rl_reply_block *block;

	if (count > space->more) {
		return NULL;
	}
	block = calloc(1, sizeof *block + count * sizeof block->nodes[0]);
	if (!block) {
		return NULL;
	}
	space->more -= count;
	block->count = count;
	block->next = space->blocks;
	space->blocks = block;
	return block->nodes;
}

/* Zeroed places for an array's elements. */
static struct rl_reply *take_nodes(struct rl_reply_space *space, size_t count)
{
	struct rl_reply *nodes = &space->nodes[space->used];

	if (count > RL_REPLY_NODES - space->used) {
		return take_block(space, count);
	}
	space->used += count;
	return nodes;
}

static void *create_array(const redisReadTask *task, element_count count)
{
	struct rl_reply_space *space = task->privdata;
	struct rl_reply *reply = place(task);
	const struct rl_reply *elements;

	if (task->type != REDIS_REPLY_ARRAY
		|| depth(task) >= (space->more ? RL_REPLY_DEPTH + 2 : RL_REPLY_DEPTH)) {
		return NULL;
	}
	elements = take_nodes(space, (size_t)count);
	if (!elements) {
		return NULL;
	}
	reply->type = RL_REPLY_ARRAY;
	reply->elements = elements;
	reply->count = (size_t)count;
	return reply;
}

static void *create_integer(const redisReadTask *task, long long value)
{
	struct rl_reply *reply = place(task);

	reply->type = RL_REPLY_INTEGER;
	reply->integer = value;
	return reply;
}

static void *create_nil(const redisReadTask *task)
{
	struct rl_reply *reply = place(task);

	reply->type = RL_REPLY_NIL;
	return reply;
}

#if HIREDIS_MAJOR >= 1
/* RESP3, which we never ask for: such an answer ends the connection. */
static void *refuse_double(const redisReadTask *task, double value, char *text, size_t length)
{
	return NULL;
}

static void *refuse_bool(const redisReadTask *task, int value)
{
	return NULL;
}
#endif

/* Nodes are forgotten all together by rl_reply_reset(). */
static void free_object(void *reply)
{
}

static redisReplyObjectFunctions functions = {
	.createString = create_string,
	.createArray = create_array,
	.createInteger = create_integer,
#if HIREDIS_MAJOR >= 1
	.createDouble = refuse_double,
	.createBool = refuse_bool,
#endif
	.createNil = create_nil,
	.freeObject = free_object,
};

void rl_reply_attach(redisReader *reader, struct rl_reply_space *space)
{
	reader->fn = &functions;
	reader->privdata = space;
}

void rl_reply_reset(struct rl_reply_space *space)
{
	for (size_t i = 0; i < space->used; i++) {
		free(space->nodes[i].text);
	}
	memset(space->nodes, 0, space->used * sizeof space->nodes[0]);
	space->used = space->text_length = 0;
	while (space->blocks) {
		struct rl_reply_block *block = space->blocks;

		space->blocks = block->next;
		for (size_t i = 0; i < block->count; i++) {
			free(block->nodes[i].text);
		}
		free(block);
	}
}

void rl_reply_allow(struct rl_reply_space *space, size_t nodes)
{
	if (nodes == 0) {
		rl_reply_reset(space);
	}
	space->more = nodes;
}

bool rl_reply_is_error(const struct rl_reply *reply, const char *code)
{
	size_t length = strlen(code);

	return reply->type == RL_REPLY_ERROR && strncmp(reply->text, code, length) == 0
		&& (reply->text[length] == ' ' || reply->text[length] == '\0');
}

const char *rl_reply_error_words(const struct rl_reply *reply, size_t *length)
{
	static const char wrapping[] = "ERR Error running script", place[] = "@user_script";
	static const char arguments[] = ", with args beginning with"; /* a token may be one of them */
	const char *words = reply->text, *at, *end = NULL;

	if (strncmp(words, wrapping, sizeof wrapping - 1) == 0) {
		/*
		 * One or two places in the script, as in "@user_script:1: @user_script: 1: ", then the
		 * words.
		 */
		for (at = words; (at = strstr(at, place));) {
			at += sizeof place - 1;
			at += strspn(at, ": 0123456789");
			words = *at == '-' ? at + 1 : at;
		}
	}
	for (at = words; (at = strstr(at, " script: ")); at++) {
		end = at;
	}
	if (!end || !strstr(end, place)) {
		end = strstr(words, arguments);
	}
	*length = end ? (size_t)(end - words) : reply->length - (size_t)(words - reply->text);
	return words;
}

void rl_reply_error_code(const struct rl_reply *reply, char *code, size_t size)
{
	size_t length;
	const char *words = rl_reply_error_words(reply, &length);

	if (strstr(words, "ACL failure in script")
		|| strstr(words, "The user executing the script can't")) {
		words = "NOPERM";
		length = strlen(words);
	}
	if (strcspn(words, " ") < length) {
		length = strcspn(words, " ");
	}
	rl_text_printable(code, size, (struct rl_text){ words, length });
}

const char *rl_reply_info_field(const struct rl_reply *reply, const char *name, size_t *length)
{
	size_t name_length = strlen(name);
	const char *line = reply->type == RL_REPLY_STRING ? reply->text : NULL;

	while (line) {
		if (strncmp(line, name, name_length) == 0 && line[name_length] == ':') {
			line += name_length + 1;
			*length = strcspn(line, "\r\n");
			return line;
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}
