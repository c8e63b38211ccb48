#include "testing.h"
#include "faults.h"
#include "throwaway.h"

#include <hiredis/hiredis.h>

#include "lock/keys.h"
#include "route/slot.h"

#define SLOTS 16384

static uint16_t slot(const char *key)
{
	return rl_slot(rl_text_of(key));
}

static void slots_that_are_known(void **state)
{
	assert_int_equal(slot("123456789"), 0x31c3); /* CRC16 XMODEM's check value; below 16384 */
	assert_int_equal(slot("foo"), 12182);
	assert_int_equal(slot("{user1000}.following"), slot("user1000"));
	assert_int_equal(slot("{user1000}.following"), slot("{user1000}.followers"));
	assert_int_equal(slot("foo{}{bar}"), rl_slot(rl_text_of("foo{}{bar}")));
	assert_int_not_equal(slot("foo{}{bar}"), slot("bar"));
	assert_int_equal(slot("foo{{bar}}zap"), slot("{bar"));
	assert_int_equal(slot("foo{bar}{zap}"), slot("bar"));
	assert_int_equal(slot("}{bar}"), slot("bar"));
	assert_int_equal(slot("{bar"), slot("{bar"));
	assert_int_not_equal(slot("{bar"), slot("bar"));
	assert_int_equal(slot("a}{b"), slot("a}{b"));
	assert_int_equal(rl_slot(rl_text_of("")), 0);
}

/* Names of the sort that go wrong. */
static size_t random_name(char *name, size_t max)
{
	static const char bytes[] = "{{{}}}ab:~\0\xff";
	size_t length = 1 + (size_t)rand() % max;

	for (size_t i = 0; i < length; i++) {
		name[i] = bytes[(size_t)rand() % (sizeof(bytes) - 1)];
	}
	return length;
}

static void slots_are_what_redis_says(void **state)
{
	const char *const cluster[] = { "--cluster-enabled", "yes", NULL };
	struct throwaway server;
	redisContext *redis;

	assert_true(throwaway_start(&server, false, cluster));
	redis = redisConnectUnix(server.socket);
	assert_non_null(redis);
	srand(2);
	for (int i = 0; i < 2000; i++) {
		char name[24];
		size_t length = random_name(name, sizeof name);
		redisReply *reply = redisCommand(redis, "CLUSTER KEYSLOT %b", name, length);

		assert_non_null(reply);
		assert_int_equal(reply->type, REDIS_REPLY_INTEGER);
		assert_int_equal(rl_slot((struct rl_text){ name, length }), reply->integer);
		freeReplyObject(reply);
	}
	redisFree(redis);
	throwaway_stop(&server);
}

static void make_all(struct rl_keys *keys, struct rl_text prefix, struct rl_text name)
{
	assert_true(rl_keys_make(keys, prefix, name));
	assert_true(rl_keys_share(keys));
}

static void check_names(const char *prefix, const char *name, const char *tag)
{
	static const char letters[] = { 0, 'f', 'w', 'q', 's', 'h', 't', 'r' };
	struct rl_keys keys;
	char expected[256];

	make_all(&keys, NAME(prefix), NAME(name));
	for (int key = 0; key < RL_KEY_COUNT; key++) {
		if (key == RL_KEY_LOCK) {
			snprintf(expected, sizeof expected, "%s%s", prefix, name);
		} else {
			snprintf(
				expected, sizeof expected, "rlock:%c:{%s}:%s%s", letters[key], tag, prefix, name);
		}
		assert_int_equal(keys.of[key].length, strlen(expected));
		assert_memory_equal(keys.of[key].data, expected, keys.of[key].length);
	}
	rl_keys_free(&keys);
}

static void names_are_the_protocols(void **state)
{
	check_names("lock@", "report", "lock@report");
	check_names("", "report", "report");
	check_names("lock@", "{user1}:mail", "user1");
	check_names("{app}", "report", "app");
	check_names("{a", "b}c", "ab");
	check_names("", "{{a}}", "{a");
	check_names("", "a}{b}", "b");
	check_names("", "a{b", "a{b");
}

/* The table of docs/protocol/. */
static void names_are_those_of_the_docs(void **state)
{
	static const struct {
		const char *name, *tag;
		uint16_t slot;
	} names[] = { { "report", "lock@report", 522 }, { "{user1}:mail", "user1", 8106 },
		{ "{{a}}", "{a", 10276 }, { "}{b}", "b", 3300 }, { "a{b", "lock@a{b", 7079 },
		{ "a}b", "2Wj", 12545 }, { "{}x", "0LY", 1752 }, { "{}{b}", "520", 15345 },
		{ "caf\xc3\xa9}", "4BQ", 14367 } };
	char whole[32];

	for (size_t i = 0; i < COUNT(names); i++) {
		check_names("lock@", names[i].name, names[i].tag);
		snprintf(whole, sizeof whole, "lock@%s", names[i].name);
		assert_int_equal(slot(whole), names[i].slot);
	}
}

/* What all have in common, whatever the name. */
static void check_slots(const struct rl_keys *keys)
{
	uint16_t wanted = rl_slot(keys->of[RL_KEY_LOCK]);

	for (int key = RL_KEY_FENCE; key < RL_KEY_COUNT; key++) {
		assert_int_equal(rl_slot(keys->of[key]), wanted);
	}
}

static void names_of_any_prefix_and_name_share_a_slot(void **state)
{
	srand(3);
	for (int i = 0; i < 10000; i++) {
		char whole[20];
		size_t length = random_name(whole, sizeof whole), prefix = (size_t)rand() % (length + 1);
		struct rl_keys keys, same;

		make_all(&keys, (struct rl_text){ whole, prefix },
			(struct rl_text){ whole + prefix, length - prefix });
		assert_int_equal(keys.of[RL_KEY_LOCK].length, length);
		assert_memory_equal(keys.of[RL_KEY_LOCK].data, whole, length);
		check_slots(&keys);

		/* Only the whole counts, not where the prefix ends. */
		make_all(&same, NO_TEXT, (struct rl_text){ whole, length });
		for (int key = 0; key < RL_KEY_COUNT; key++) {
			assert_int_equal(same.of[key].length, keys.of[key].length);
			assert_memory_equal(same.of[key].data, keys.of[key].data, keys.of[key].length);
		}
		rl_keys_free(&keys);
		rl_keys_free(&same);
	}
}

/* The search through all three-digit strings, the plain way. */
static void made_tags_are_the_first_of_their_slot(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	static char first[SLOTS][4];
	char tag[4] = "", name[16];
	int found = 0;

	for (int i = 0; i < 62 * 62 * 62; i++) {
		tag[0] = digits[i / 62 / 62];
		tag[1] = digits[i / 62 % 62];
		tag[2] = digits[i % 62];
		if (!first[slot(tag)][0]) {
			memcpy(first[slot(tag)], tag, 4);
			found++;
		}
	}
	assert_int_equal(found, SLOTS);
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof name, "%s%d", i % 2 ? "}" : "{}", i);
		check_names("", name, first[slot(name)]);
	}
	/* The last ones to be found. */
	found = 0;
	for (int i = 0; found < 20; i++) {
		snprintf(name, sizeof name, "x}%d", i);
		if (first[slot(name)][0] >= 'A') {
			check_names("", name, first[slot(name)]);
			found++;
		}
	}
}

struct seen {
	const char *text;
	size_t length;
	size_t lock; /* number of the name that it belongs to */
};

static int compare_seen(const void *left, const void *right)
{
	const struct seen *a = left, *b = right;
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->text, b->text, shorter);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static void free_all(struct rl_keys *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		rl_keys_free(&keys[i]);
	}
}

/* H2: of distinct locks no two keys are the same, save where rl_keys_clash() warns. */
static void names_of_distinct_locks_are_distinct(void **state)
{
	enum {
		NAMES = 4000
	};
	static struct rl_keys keys[NAMES];
	static struct seen seen[NAMES * RL_KEY_COUNT];
	size_t count = 0, names = 0;

	srand(4);
	while (names < NAMES) {
		char name[64];
		size_t length = random_name(name, 6);

		/* Half of them are made to look like another's companion, or a part of one. */
		if (names > 0 && rand() % 2) {
			struct rl_keys *other = &keys[(size_t)rand() % names];
			int key = rand() % RL_KEY_COUNT;

			if (other->of[key].length > 40) {
				continue;
			}
			length = other->of[key].length;
			memcpy(name, other->of[key].data, length);
			if (rand() % 2) {
				name[(size_t)rand() % length] = "{}:fwqstr"[rand() % 9];
			}
		}
		make_all(&keys[names], NAME(""), (struct rl_text){ name, length });
		if (rl_keys_clash(&keys[names])) {
			rl_keys_free(&keys[names]);
			continue;
		}
		for (int key = 0; key < RL_KEY_COUNT; key++) {
			struct rl_text text = keys[names].of[key];

			seen[count++] = (struct seen){ text.data, text.length, names };
		}
		names++;
	}
	qsort(seen, count, sizeof *seen, compare_seen);
	for (size_t i = 1; i < count; i++) {
		if (compare_seen(&seen[i - 1], &seen[i]) == 0) {
			/* Then the same name was drawn twice. */
			struct rl_keys *one = &keys[seen[i - 1].lock], *two = &keys[seen[i].lock];

			assert_int_equal(one->of[0].length, two->of[0].length);
			assert_memory_equal(one->of[0].data, two->of[0].data, two->of[0].length);
			assert_int_not_equal(seen[i - 1].lock, seen[i].lock);
		}
	}
	free_all(keys, NAMES);
}

/* H2: a lock of that name would be another's companion. */
static void names_of_companions_clash(void **state)
{
	srand(5);
	for (int i = 0; i < 1000; i++) {
		char name[16];
		size_t length = random_name(name, sizeof name);
		struct rl_keys keys, aimed;

		make_all(&keys, NAME("lock@"), (struct rl_text){ name, length });
		assert_false(rl_keys_clash(&keys));
		for (int key = RL_KEY_FENCE; key < RL_KEY_COUNT; key++) {
			size_t split = (size_t)rand() % keys.of[key].length;

			make_all(&aimed, (struct rl_text){ keys.of[key].data, split },
				(struct rl_text){ keys.of[key].data + split, keys.of[key].length - split });
			assert_true(rl_keys_clash(&aimed));
			rl_keys_free(&aimed);
		}
		rl_keys_free(&keys);
	}
}

static void names_that_only_resemble_do_not_clash(void **state)
{
	static const char *const names[] = { "rlock", "rlock:", "rlock:f:", "rlock:f:a",
		"rlock:x:{a}:a", "rlock:f{a}:a", "rlock:_:{a}:a", "Rlock:f:{a}:a", " rlock:f:{a}:a",
		"rlock:f", "rlock:ff{a}:a" };
	struct rl_keys keys;

	for (size_t i = 0; i < COUNT(names); i++) {
		make_all(&keys, NAME(""), NAME(names[i]));
		assert_false(rl_keys_clash(&keys));
		rl_keys_free(&keys);
	}
	make_all(&keys, NAME(""), (struct rl_text){ "rlock:\0:{a}:a", 13 });
	assert_false(rl_keys_clash(&keys));
	rl_keys_free(&keys);
}

/* M6 */
static void names_may_be_long_and_binary(void **state)
{
	size_t length = 1024 * 1024;
	char *name = malloc(length);
	struct rl_keys keys;

	for (int braces = 0; braces < 2; braces++) {
		memset(name, '\0', length);
		name[1] = '\n';
		name[length - 1] = braces ? '}' : '{';
		make_all(&keys, NAME("lock@"), (struct rl_text){ name, length });
		assert_int_equal(keys.of[RL_KEY_LOCK].length, length + 5);
		assert_memory_equal(keys.of[RL_KEY_LOCK].data + 5, name, length);
		assert_memory_equal(
			keys.of[RL_KEY_WAKE].data + keys.of[RL_KEY_WAKE].length - length, name, length);
		check_slots(&keys);
		rl_keys_free(&keys);
	}
	free(name);
}

static void out_of_memory_is_told(void **state)
{
	struct rl_keys keys;

	faults_memory(0);
	assert_false(rl_keys_make(&keys, NAME("lock@"), NAME("a")));
	assert_true(faults_memory_struck());
	assert_true(rl_keys_make(&keys, NAME("lock@"), NAME("a")));
	faults_memory(0);
	assert_false(rl_keys_share(&keys));
	assert_true(faults_memory_struck());
	rl_keys_free(&keys);
	assert_false(rl_keys_make(&keys, NAME("lock@"), (struct rl_text){ "a", SIZE_MAX - 3 }));
	assert_false(rl_keys_make(&keys, (struct rl_text){ "lock@", SIZE_MAX / 4 }, NAME("a")));
}

int test_keys(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_that_are_known),
		cmocka_unit_test(slots_are_what_redis_says),
		cmocka_unit_test(names_are_the_protocols),
		cmocka_unit_test(names_are_those_of_the_docs),
		cmocka_unit_test(names_of_any_prefix_and_name_share_a_slot),
		cmocka_unit_test(made_tags_are_the_first_of_their_slot),
		cmocka_unit_test(names_of_distinct_locks_are_distinct),
		cmocka_unit_test(names_of_companions_clash),
		cmocka_unit_test(names_that_only_resemble_do_not_clash),
		cmocka_unit_test(names_may_be_long_and_binary),
		cmocka_unit_test(out_of_memory_is_told),
	};

	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
