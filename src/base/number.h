/*
 * Numbers as text. Every command has a dozen whole numbers in it, and printf() would take as long
 * for them as for everything else; fractions it writes as setlocale() demands.
 */
#ifndef RL_NUMBER_H
#define RL_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define RL_NUMBER_SIZE sizeof "-9223372036854775808"

/* Writes a number in decimal, terminated. Returns its length. */
size_t rl_number_put(char buffer[RL_NUMBER_SIZE], int64_t number);

#define RL_NUMBER_SECONDS_SIZE (RL_NUMBER_SIZE + 4)

/* Writes milliseconds as seconds, "0.050", with a point in every locale. Returns `buffer`. */
const char *rl_number_put_seconds(char buffer[RL_NUMBER_SECONDS_SIZE], int64_t milliseconds);

#endif
