#include "nearest.h"

#include <string.h>

#define LENGTH_MAX 40

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Neither is longer than LENGTH_MAX. */
static size_t distance_between(struct rl_text a, struct rl_text b)
{
	/* from the part of `a` that has been looked at to each beginning of `b` */
	size_t row[LENGTH_MAX + 1];

	for (size_t j = 0; j <= b.length; j++) {
		row[j] = j;
	}
	for (size_t i = 0; i < a.length; i++) {
		size_t before = row[0]++;

		for (size_t j = 0; j < b.length; j++) {
			size_t change = before + (a.data[i] != b.data[j]);

			before = row[j + 1];
			row[j + 1] = least(change, least(before, row[j]) + 1);
		}
	}
	return row[b.length];
}

void rl_nearest_try(struct rl_nearest *nearest, const char *name)
{
	struct rl_text text = rl_text_of(name);
	size_t distance;

	if (nearest->wanted.length > LENGTH_MAX || text.length > LENGTH_MAX) {
		return;
	}
	distance = distance_between(nearest->wanted, text);
	if (distance <= 1 + nearest->wanted.length / 4
		&& (!nearest->name || distance < nearest->distance)) {
		nearest->name = name;
		nearest->distance = distance;
	}
}
