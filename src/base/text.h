/*
 * Pieces of text, cut and read without copying: keys, addresses, and the places that a cluster
 * names.
 */
#ifndef RL_TEXT_H
#define RL_TEXT_H

#include "system.h"

/* Binary, not terminated, not owned. */
struct rl_text {
	const char *data;
	size_t length;
};

/* The text of a C string. */
struct rl_text rl_text_of(const char *string);

bool rl_text_is(struct rl_text a, struct rl_text b);
bool rl_text_equals(struct rl_text text, const char *other);
bool rl_text_mentions(struct rl_text text, const char *word);

/* These return a place in the text, or NULL. */
const char *rl_text_find(struct rl_text text, char wanted);
const char *rl_text_first_of(struct rl_text text, char a, char b);
const char *rl_text_last(struct rl_text text, char wanted);

/* Cuts `start` off if the text begins with it. */
bool rl_text_skip(struct rl_text *text, const char *start);
/* Cuts off and returns what is before `at`; `at` itself goes, too. NULL: the whole text. */
struct rl_text rl_text_cut(struct rl_text *text, const char *at);

bool rl_text_consists_of(struct rl_text text, const char *characters);

/* These write without a terminator, and return where the text ends. */
char *rl_text_put(char *to, struct rl_text text);
char *rl_text_put_hex(char *to, const unsigned char *bytes, size_t count);

/* A terminated copy that the caller frees. NULL: out of memory. */
char *rl_text_copy(struct rl_text text);
/* Frees a terminated text, of which nothing stays in memory: it may be a secret. NULL is fine. */
void rl_text_wipe(char *text);

/*
 * The length of the well-formed UTF-8 character at the start of a text that is not empty; 0: there
 * is none.
 */
size_t rl_text_character(struct rl_text text);
uint32_t rl_text_code_point(struct rl_text character);
/*
 * Whether such a character is not seen: a terminal obeys it (controls, what ends a line or turns
 * the direction of text), or shows nothing.
 */
bool rl_text_is_unseen(struct rl_text character);

/*
 * Text of foreign origin (a key, a server's error) made fit for a message: what is not seen, and
 * bytes that are no UTF-8, become \xNN, and what does not fit ends in "...". Always terminated.
 * Returns `buffer`.
 */
const char *rl_text_printable(char *buffer, size_t size, struct rl_text text);

#endif
