/*
 * A hash table whose entries are part of the things that it finds, so that adding one allocates
 * nothing.
 *
 * An owner may hold ten thousand locks. Keys are binary and not copied: an entry's key must
 * live as long as the entry. The hash is seeded, so that nobody can choose keys that collide.
 *
 * Asserted:
 *
 *   1. A key is in the table once.
 *   2. Room was reserved before an entry is added.
 *   3. A table is empty when it is freed: its entries are others' memory.
 */
#ifndef RL_TABLE_H
#define RL_TABLE_H

#include "text.h"

struct rl_table_entry {
	struct rl_text key;
	uint64_t hash;               /* the table's own */
	struct rl_table_entry *next; /* in the bucket */
};

struct rl_table {
	struct rl_table_entry **buckets;
	size_t size; /* a power of two, or 0 before the first entry */
	size_t count;
	uint64_t seed;
};

struct rl_table_entry *rl_table_find(const struct rl_table *table, struct rl_text key);
/* Makes room for one more, so that the next rl_table_add() cannot fail. False: out of memory. */
bool rl_table_reserve(struct rl_table *table);
void rl_table_add(struct rl_table *table, struct rl_table_entry *entry);
void rl_table_remove(struct rl_table *table, struct rl_table_entry *entry);
/* Takes all entries out, as a list linked by `next`. There is room to add as many again. */
struct rl_table_entry *rl_table_take_all(struct rl_table *table);
/* Frees the table's own memory. */
void rl_table_free(struct rl_table *table);

#endif
