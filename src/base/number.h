/*
 * Numbers as text. Each command that is sent has a dozen whole ones, and printf() takes as long
 * for them as for all the rest; and with fractions it writes whatever setlocale() asks for.
 */
#ifndef RL_NUMBER_H
#define RL_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define RL_NUMBER_SIZE sizeof "-9223372036854775808"

/* In decimal, terminated. Its length. */
size_t rl_number_put(char buffer[RL_NUMBER_SIZE], int64_t number);

#define RL_NUMBER_SECONDS_SIZE (RL_NUMBER_SIZE + 4)

/* Milliseconds as seconds, "0.050", with a point in every locale. Returns `buffer`. */
const char *rl_number_put_seconds(char buffer[RL_NUMBER_SECONDS_SIZE], int64_t milliseconds);

#endif
