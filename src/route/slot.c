#include "slot.h"

#include <string.h>

uint16_t rl_slot_step(uint16_t crc, unsigned char byte)
{
	unsigned x = (crc >> 8) ^ byte;

	x ^= x >> 4;
	return (uint16_t)((crc << 8) ^ (x << 12) ^ (x << 5) ^ x);
}

static uint16_t crc16(const char *text, size_t length)
{
	uint16_t crc = 0;

	for (size_t i = 0; i < length; i++) {
		crc = rl_slot_step(crc, (unsigned char)text[i]);
	}
	return crc;
}

const char *rl_slot_tag(const char *key, size_t length, size_t *tag_length)
{
	const char *open = memchr(key, '{', length);
	const char *close = open ? memchr(open + 1, '}', (size_t)(key + length - (open + 1))) : NULL;

	if (!close || close == open + 1) {
		return NULL;
	}
	*tag_length = (size_t)(close - (open + 1));
	return open + 1;
}

uint16_t rl_slot(const char *key, size_t length)
{
	size_t tag_length;
	const char *tag = rl_slot_tag(key, length, &tag_length);

	return (tag ? crc16(tag, tag_length) : crc16(key, length)) % RL_SLOTS;
}
