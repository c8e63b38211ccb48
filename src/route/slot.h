/*
 * Where Redis Cluster keeps a key.
 */
#ifndef RL_SLOT_H
#define RL_SLOT_H

#include "../base/text.h"

#define RL_SLOTS 16384

/* The slot of a key: CRC16 (XMODEM) of its hash tag, or of all of it, modulo RL_SLOTS. */
uint16_t rl_slot(struct rl_text key);

/*
 * What Redis Cluster hashes in place of the whole key: the text between the first '{' and the
 * first '}' after it, unless that is empty. Without data: the whole key counts.
 */
struct rl_text rl_slot_tag(struct rl_text key);

/* Adds one byte to a CRC16 XMODEM, whose polynomial is x^16 + x^12 + x^5 + 1. */
uint16_t rl_slot_step(uint16_t crc, unsigned char byte);

#endif
