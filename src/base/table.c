#include "table.h"
#include "assert.h"

#include <stdlib.h>

#define FIRST_SIZE 8

/* FNV-1a (Fowler, Noll, Vo), started from the seed. */
static uint64_t hash_of(const struct rl_table *table, struct rl_text key)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ table->seed;

	for (size_t i = 0; i < key.length; i++) {
		hash = (hash ^ (unsigned char)key.data[i]) * UINT64_C(1099511628211);
	}
	return hash ^ (hash >> 32);
}

static struct rl_table_entry **bucket_of(const struct rl_table *table, uint64_t hash)
{
	return &table->buckets[hash & (table->size - 1)];
}

struct rl_table_entry *rl_table_find(const struct rl_table *table, struct rl_text key)
{
	struct rl_table_entry *entry;
	uint64_t hash;

	if (table->count == 0) {
		return NULL;
	}
	hash = hash_of(table, key);
	for (entry = *bucket_of(table, hash); entry; entry = entry->next) {
		if (entry->hash == hash && rl_text_is(entry->key, key)) {
			break;
		}
	}
	return entry;
}

static void insert(struct rl_table *table, struct rl_table_entry *entry)
{
	struct rl_table_entry **bucket = bucket_of(table, entry->hash);

	entry->next = *bucket;
	*bucket = entry;
}

bool rl_table_reserve(struct rl_table *table)
{
	struct rl_table larger = *table;

	if (table->count < table->size) {
		return true;
	}
	larger.size = table->size ? table->size * 2 : FIRST_SIZE;
	larger.buckets = calloc(larger.size, sizeof *larger.buckets);
	if (!larger.buckets) {
		return false;
	}
	for (size_t i = 0; i < table->size; i++) {
		struct rl_table_entry *next;

		for (struct rl_table_entry *entry = table->buckets[i]; entry; entry = next) {
			next = entry->next;
			insert(&larger, entry);
		}
	}
	free(table->buckets);
	*table = larger;
	return true;
}

void rl_table_add(struct rl_table *table, struct rl_table_entry *entry)
{
	rl_assert(!rl_table_find(table, entry->key)); /* 1 */
	rl_assert(table->count < table->size);        /* 2 */
	entry->hash = hash_of(table, entry->key);
	insert(table, entry);
	table->count++;
}

void rl_table_remove(struct rl_table *table, struct rl_table_entry *entry)
{
	struct rl_table_entry **link = bucket_of(table, entry->hash);

	while (*link != entry) {
		link = &(*link)->next;
	}
	*link = entry->next;
	table->count--;
}

struct rl_table_entry *rl_table_take_all(struct rl_table *table)
{
	struct rl_table_entry *list = NULL;

	for (size_t i = 0; i < table->size; i++) {
		while (table->buckets[i]) {
			struct rl_table_entry *entry = table->buckets[i];

			table->buckets[i] = entry->next;
			entry->next = list;
			list = entry;
		}
	}
	table->count = 0;
	return list;
}

void rl_table_free(struct rl_table *table)
{
	rl_assert(table->count == 0); /* 3 */
	free(table->buckets);
	*table = (struct rl_table){ .seed = table->seed };
}
