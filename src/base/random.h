/*
 * Randomness from the system's cryptographic source.
 */
#ifndef RL_RANDOM_H
#define RL_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

/* Fills the buffer. False: the system has no such source. */
bool rl_random_fill(void *buffer, size_t size);

#endif
