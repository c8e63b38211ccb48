/*
 * Whole numbers as text. Each command that is sent has a dozen of them, and printf() takes as
 * long for them as for all the rest.
 */
#ifndef RL_NUMBER_H
#define RL_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define RL_NUMBER_SIZE sizeof "-9223372036854775808"

/* In decimal, terminated. Its length. */
size_t rl_number_put(char buffer[RL_NUMBER_SIZE], int64_t number);

#endif
