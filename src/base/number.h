/*
 * Numbers as text. Every command has a dozen whole numbers in it, and printf() would take as long
 * for them as for everything else; fractions it writes as setlocale() demands.
 */
#ifndef RL_NUMBER_H
#define RL_NUMBER_H

#include "text.h"

#define RL_NUMBER_SIZE sizeof "-9223372036854775808"

/* Writes a number in decimal, terminated. Returns its length. */
size_t rl_number_put(char buffer[RL_NUMBER_SIZE], int64_t number);

#define RL_NUMBER_SECONDS_SIZE (RL_NUMBER_SIZE + 4)

/* Writes milliseconds as seconds, "0.050", with a point in every locale. Returns `buffer`. */
const char *rl_number_put_seconds(char buffer[RL_NUMBER_SECONDS_SIZE], int64_t milliseconds);

bool rl_number_is_digit(char c);
/* What a hex digit counts; -1: it is none. */
int rl_number_hex(char c);
/* Reads a whole number without a sign, at most `max`. */
bool rl_number_read(struct rl_text text, int64_t max, int64_t *out);

#define RL_NUMBER_TIMEOUT_MAX_S 300 /* more is meant to be milliseconds */

/*
 * Reads seconds, at most `max_s`, as digits with at most one point among or around them. What is
 * less than a nanosecond is rounded up. `max_s` is less than 9,000,000,000: it fits into rl_time.
 */
bool rl_number_read_seconds(struct rl_text text, int64_t max_s, rl_time *out);

#endif
