#include "slot.h"

uint16_t rl_slot_step(uint16_t crc, unsigned char byte)
{
	unsigned x = (crc >> 8) ^ byte;

	x ^= x >> 4;
	return (uint16_t)((crc << 8) ^ (x << 12) ^ (x << 5) ^ x);
}

static uint16_t crc16(struct rl_text text)
{
	uint16_t crc = 0;

	for (size_t i = 0; i < text.length; i++) {
		crc = rl_slot_step(crc, (unsigned char)text.data[i]);
	}
	return crc;
}

struct rl_text rl_slot_tag(struct rl_text key)
{
	static const struct rl_text none;
	const char *open = rl_text_find(key, '{'), *close;
	struct rl_text tag;

	if (!open) {
		return none;
	}
	rl_text_cut(&key, open);
	close = rl_text_find(key, '}');
	tag = rl_text_cut(&key, close);
	return close && tag.length > 0 ? tag : none;
}

uint16_t rl_slot(struct rl_text key)
{
	struct rl_text tag = rl_slot_tag(key);

	return crc16(tag.data ? tag : key) % RL_SLOTS;
}
