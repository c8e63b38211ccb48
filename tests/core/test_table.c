#include "testing.h"
#include "faults.h"

#include "base/table.h"

static struct rl_table table;

static int start(void **state)
{
	table = (struct rl_table){ .seed = 42 };
	return 0;
}

static int finish(void **state)
{
	struct rl_table_entry *next;

	faults_memory(-1);
	for (struct rl_table_entry *entry = rl_table_take_all(&table); entry; entry = next) {
		next = entry->next;
		free(entry);
	}
	rl_table_free(&table);
	return 0;
}

static struct rl_table_entry *add(const char *key, size_t length)
{
	struct rl_table_entry *entry = calloc(1, sizeof *entry);

	assert_non_null(entry);
	assert_true(rl_table_reserve(&table));
	entry->key = (struct rl_text){ key, length };
	rl_table_add(&table, entry);
	return entry;
}

static struct rl_table_entry *find(const char *key, size_t length)
{
	return rl_table_find(&table, (struct rl_text){ key, length });
}

static void what_was_added_is_found(void **state)
{
	struct rl_table_entry *empty, *a, *zero;

	assert_null(find("a", 1));
	a = add("a", 1);
	empty = add("", 0);
	zero = add("a\0b", 3);
	assert_ptr_equal(find("a", 1), a);
	assert_ptr_equal(find("", 0), empty);
	assert_ptr_equal(find("a\0b", 3), zero);
	assert_null(find("a\0c", 3));
	assert_null(find("a\0", 2));
	rl_table_remove(&table, a);
	free(a);
	assert_null(find("a", 1));
	assert_ptr_equal(find("a\0b", 3), zero);
	assert_int_equal(table.count, 2);
}

/* Long enough to meet every branch of a hash that takes several bytes at once. */
static void keys_of_every_length_are_told_apart(void **state)
{
	static char text[80];

	memset(text, 'x', sizeof text);
	for (size_t length = 0; length < sizeof text; length++) {
		add(text, length);
	}
	for (size_t length = 0; length < sizeof text; length++) {
		assert_int_equal(find(text, length)->key.length, length);
	}
}

#define MANY 10000

static void ten_thousand_stay_spread(void **state)
{
	static char keys[MANY][16];
	size_t longest = 0;

	for (int i = 0; i < MANY; i++) {
		snprintf(keys[i], sizeof keys[i], "key:%d", i);
		add(keys[i], strlen(keys[i]));
	}
	assert_int_equal(table.count, MANY);
	for (size_t i = 0; i < table.size; i++) {
		size_t length = 0;

		for (struct rl_table_entry *entry = table.buckets[i]; entry; entry = entry->next) {
			length++;
		}
		longest = length > longest ? length : longest;
	}
	assert_true(longest < 20);
	for (int i = 0; i < MANY; i += 2) {
		struct rl_table_entry *entry = find(keys[i], strlen(keys[i]));

		rl_table_remove(&table, entry);
		free(entry);
	}
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(find(keys[i], strlen(keys[i])) != NULL, i % 2);
	}
}

/* Somebody who can choose keys cannot choose their places. */
static void the_seed_decides_the_places(void **state)
{
	struct rl_table other = { .seed = 43 };
	struct rl_table_entry entries[64];
	int same = 0;

	for (int i = 0; i < 64; i++) {
		static char keys[64][16];
		struct rl_table_entry *entry;

		snprintf(keys[i], sizeof keys[i], "%d", i);
		entry = add(keys[i], strlen(keys[i]));
		entries[i] = (struct rl_table_entry){ .key = rl_text_of(keys[i]) };
		assert_true(rl_table_reserve(&other));
		rl_table_add(&other, &entries[i]);
		same += entry->hash == entries[i].hash;
	}
	assert_int_equal(same, 0);
	rl_table_take_all(&other);
	rl_table_free(&other);
}

static void all_can_be_taken_and_added_again_without_memory(void **state)
{
	static char keys[100][16];
	struct rl_table_entry *entry, *next;

	for (int i = 0; i < 100; i++) {
		snprintf(keys[i], sizeof keys[i], "%d", i);
		add(keys[i], strlen(keys[i]));
	}
	entry = rl_table_take_all(&table);
	assert_int_equal(table.count, 0);
	assert_null(find("5", 1));
	faults_memory(0);
	for (; entry; entry = next) {
		next = entry->next;
		rl_table_add(&table, entry);
	}
	assert_false(faults_memory_struck());
	assert_int_equal(table.count, 100);
	assert_non_null(find("99", 2));
}

static void without_memory_it_stays_as_it_is(void **state)
{
	static char keys[1000][16];
	bool refused = false;

	faults_memory(0);
	assert_false(rl_table_reserve(&table));
	faults_memory(-1);
	for (int i = 0; i < 1000; i++) {
		snprintf(keys[i], sizeof keys[i], "%d", i);
		faults_memory(0);
		if (!rl_table_reserve(&table)) {
			refused = true;
			assert_int_equal(table.count, i);
			assert_true(i == 0 || find(keys[i - 1], strlen(keys[i - 1])));
		}
		faults_memory(-1);
		add(keys[i], strlen(keys[i]));
	}
	assert_true(refused);
}

int test_table(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, start, finish)
	const struct CMUnitTest tests[] = {
		test(what_was_added_is_found),
		test(keys_of_every_length_are_told_apart),
		test(ten_thousand_stay_spread),
		test(the_seed_decides_the_places),
		test(all_can_be_taken_and_added_again_without_memory),
		test(without_memory_it_stays_as_it_is),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
