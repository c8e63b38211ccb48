#include "testing.h"
#include "faults.h"

#include "redis/address_syntax.h"

static const struct rl_address_defaults defaults = {
	.connect_timeout = RL_SECOND, .timeout = 2 * RL_SECOND, .persistent = true
};

static enum rl_status parse(
	const char *text, struct rl_seed_addresses **out, struct rl_error *error)
{
	size_t length = strlen(text);
	char *exact = exact_copy(text, length);
	enum rl_status status;

	memset(error, 0, sizeof *error);
	*out = NULL;
	assert_true(rl_seed_addresses_are_meant((struct rl_text){ exact, length }));
	status = rl_seed_addresses_parse((struct rl_text){ exact, length }, &defaults, out, error);
	free(exact);
	return status;
}

static struct rl_seed_addresses *parsed(const char *text)
{
	struct rl_seed_addresses *addresses;
	struct rl_error error;

	if (parse(text, &addresses, &error) != RL_OK) {
		fail_msg("%s: %s", text, error.message);
	}
	return addresses;
}

static void sentinels(void **state)
{
	struct rl_seed_addresses *addresses = parsed(
		"sentinel://me:a%2fb@one,two:7,[::1],[::2]:8/my%2Fmaster"
		"?db=3&sentinel_password=s%26t&timeout=5&connect_timeout=4&persistent=0");
	static const char *const names[] = { "one:26379", "two:7", "[::1]:26379", "[::2]:8" };

	assert_int_equal(addresses->count, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct rl_address *host = addresses->hosts[i];

		check_text(host->name, names[i]);
		check_text(host->user, NULL);
		check_text(host->password, "s&t");
		assert_int_equal(host->db, 0);
		assert_true(host->timeout == 5 * RL_SECOND && host->connect_timeout == 4 * RL_SECOND);
		assert_false(host->persistent);
		assert_non_null(host->identity);
	}
	check_text(addresses->master, "my/master");
	check_text(addresses->name, "sentinel://one:26379,two:7,[::1]:26379,[::2]:8/my/master");
	check_text(addresses->login->user, "me");
	check_text(addresses->login->password, "a/b");
	assert_int_equal(addresses->login->db, 3);
	assert_true(addresses->login->timeout == 5 * RL_SECOND
		&& addresses->login->connect_timeout == 4 * RL_SECOND);
	assert_false(addresses->login->persistent);
	rl_seed_addresses_free(addresses);
}

static void nodes(void **state)
{
	struct rl_seed_addresses *addresses = parsed("cluster://:secret@one,two:7/0?timeout=5");

	assert_int_equal(addresses->count, 2);
	for (size_t i = 0; i < 2; i++) {
		check_text(addresses->hosts[i]->name, i ? "two:7" : "one:6379");
		check_text(addresses->hosts[i]->user, NULL);
		check_text(addresses->hosts[i]->password, "secret");
		assert_true(
			addresses->hosts[i]->timeout == 5 * RL_SECOND && addresses->hosts[i]->persistent);
	}
	check_text(addresses->master, NULL);
	check_text(addresses->name, "cluster://one:6379,two:7");
	check_text(addresses->login->password, "secret");
	rl_seed_addresses_free(addresses);
	rl_seed_addresses_free(parsed("cluster://h"));
	rl_seed_addresses_free(parsed("cluster://h/"));
}

static void a_server_that_is_named_is_talked_to_in_the_same_way(void **state)
{
	struct rl_seed_addresses *addresses = parsed(
		"sentinel://me:secret@h/m?db=3&timeout=5&connect_timeout=4&persistent=0");
	struct rl_address *address = rl_address_at(addresses->login, "::1", 7, "no TLS, so no name");

	assert_non_null(address);
	assert_null(address->path);
	check_text(address->host, "::1");
	assert_int_equal(address->port, 7);
	check_text(address->name, "[::1]:7");
	check_text(address->user, "me");
	check_text(address->password, "secret");
	assert_int_equal(address->db, 3);
	check_text(address->sni, NULL);
	assert_true(address->timeout == 5 * RL_SECOND && address->connect_timeout == 4 * RL_SECOND);
	assert_false(address->persistent);
	rl_address_free(address);
	rl_seed_addresses_free(addresses);
}

#ifdef RLOCK_TLS

static void check_tls(const struct rl_address *address, const char *sni)
{
	assert_non_null(address->tls);
	check_text(address->cafile, "/ca");
	check_text(address->cert, "/c");
	check_text(address->key, "/k");
	check_text(address->sni, sni);
	assert_true(address->verify);
}

static void all_servers_speak_tls_alike(void **state)
{
	struct rl_seed_addresses *nodes = parsed("cluster://h,i?tls=1&cafile=/ca&cert=/c&key=/k");
	struct rl_seed_addresses *sentinels = parsed(
		"sentinel://h/m?tls=1&cafile=/ca&cert=/c&key=/k&sni=all.example");
	struct rl_seed_addresses *plain = parsed("sentinel://h/m?tls=1&sentinel_tls=0");
	struct rl_address *named = rl_address_at(nodes->login, "::1", 7, "one.example"), *like;

	check_tls(nodes->login, NULL);
	check_tls(nodes->hosts[0], NULL);
	check_tls(nodes->hosts[1], NULL);
	check_tls(named, "one.example");
	assert_true(named->tls != nodes->login->tls);
	like = rl_address_at(nodes->login, "::1", 7, "two.example");
	assert_string_not_equal(named->identity, like->identity);
	rl_address_free(like);
	check_tls(sentinels->hosts[0], "all.example");
	like = rl_address_at(sentinels->login, "::1", 7, "one.example");
	check_tls(like, "all.example");
	assert_non_null(plain->login->tls);
	assert_null(plain->hosts[0]->tls);
	rl_address_free(like);
	rl_address_free(named);
	rl_seed_addresses_free(nodes);
	rl_seed_addresses_free(sentinels);
	rl_seed_addresses_free(plain);
}

#endif

static void timeouts_make_no_difference(void **state)
{
	struct rl_seed_addresses *one = parsed("sentinel://a,b/m?timeout=7&connect_timeout=8"),
							 *other = parsed("sentinel://a,b/m");

	assert_string_equal(one->identity, other->identity);
	rl_seed_addresses_free(one);
	rl_seed_addresses_free(other);
}

static void all_that_makes_a_difference_is_in_the_identity(void **state)
{
	static const char *const texts[] = {
		"sentinel://a,b/m",
		"sentinel://a/m",
		"sentinel://b,a/m",
		"sentinel://a,b/n",
		"sentinel://a:1,b/m",
		"sentinel://x:y@a,b/m",
		"sentinel://x:z@a,b/m",
		"sentinel://a,b/m?db=1",
		"sentinel://a,b/m?sentinel_password=x",
		"cluster://a,b",
		"cluster://:y@a,b",
#ifdef RLOCK_TLS
		"sentinel://a,b/m?tls=1",
		"sentinel://a,b/m?tls=1&sentinel_tls=0",
		"cluster://a,b?tls=1",
		"cluster://a,b?tls=1&verify=0",
		"cluster://a,b?tls=1&sni=x",
		"cluster://a,b?tls=1&cafile=/x",
#endif
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_seed_addresses *one = parsed(texts[i]);

		for (size_t k = 0; k < COUNT(texts); k++) {
			struct rl_seed_addresses *other = parsed(texts[k]);

			assert_int_equal(strcmp(one->identity, other->identity) == 0, i == k);
			rl_seed_addresses_free(other);
		}
		rl_seed_addresses_free(one);
	}
}

/* What a sentinel tells is believed no more than the sentinel is known. */
static void a_host_is_vouched_for_or_not(void **state)
{
	static const struct {
		const char *text, *host;
		bool vouched_for;
	} cases[] = {
		{ "sentinel://a,b/m", "c", true }, /* nothing is, without TLS */
#ifdef RLOCK_TLS
		{ "sentinel://a,b/m?tls=1", "c", true },
		{ "sentinel://a,b/m?tls=1&sentinel_tls=0", "c", false },
		{ "sentinel://a,b/m?tls=1&sentinel_tls=0", "b", true },
		{ "sentinel://a,b/m?tls=1&sentinel_tls=0&sni=x", "c", true },
		{ "sentinel://a,b/m?tls=1&sentinel_tls=0&verify=0", "c", true },
		{ "cluster://a,b?tls=1", "c", true },
#endif
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_seed_addresses *addresses = parsed(cases[i].text);

		if (rl_seed_addresses_vouch_for(addresses, cases[i].host) != cases[i].vouched_for) {
			fail_msg("%s: %s", cases[i].text, cases[i].host);
		}
		rl_seed_addresses_free(addresses);
	}
}

static void a_host_that_is_told_is_a_name_or_an_address(void **state)
{
	static const char *const good[] = { "h", "redis-1.example.org", "10.0.0.1", "::1",
		"fe80::1%eth0" };
	static const char *const bad[] = { "", "?", "a b", "\033[2J", "a/b", "[::1]", "::1%", ":", ".h",
		"fe80::1%\n", "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000" };

	for (size_t i = 0; i < COUNT(good); i++) {
		assert_true(rl_address_syntax_is_host(rl_text_of(good[i])));
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_false(rl_address_syntax_is_host(rl_text_of(bad[i])));
	}
	assert_false(rl_address_syntax_is_host((struct rl_text){ "h\0i", 3 }));
}

static void what_cannot_be_read_is_refused(void **state)
{
	static const struct {
		const char *text, *about;
	} cases[] = {
		{ "sentinel://", "host is missing" },
		{ "sentinel://h", "master's name is missing" },
		{ "sentinel://h/", "master's name is missing" },
		{ "sentinel://h?db=1", "master's name is missing" },
		{ "sentinel://h/m/1", "sentinel://host/mymaster?db=1" },
		{ "sentinel:///m", "host is missing" },
		{ "sentinel://h,/m", "host is missing" },
		{ "sentinel://,h/m", "host is missing" },
		{ "sentinel://h,,i/m", "host is missing" },
		{ "sentinel://h:0/m", "port must be" },
		{ "sentinel://h,i:99999/m", "port must be" },
		{ "sentinel://h,::1/m", "brackets" },
		{ "sentinel://h, i/m", "space" },
		{ "sentinel://h/m%00", "%00" },
		{ "sentinel://h/m%x", "two hex digits" },
		{ "sentinel://h/m?db=x", "database" },
		{ "sentinel://h/m?user=x", "user:password@host" },
		{ "sentinel://h/m?name=x",
			"unknown option \"name\"; sentinel:// has db, sentinel_password, " },
		{ "sentinel://h/m?sentinel_password=", "sentinel_password is empty" },
		{ "sentinel://h/m?sentinel_password=a&sentinel_password=b", "given twice" },
		{ "sentinel://me@h/m", "user without a password" },
		{ "sentinel://:@h/m", "password is empty" },
		{ "sentinel://u:p@h,u:p@i/m", "once, before the first host" },
		{ "cluster://", "host is missing" },
		{ "cluster://h/1", "database 0 alone" },
		{ "cluster://h?db=0", "database 0 alone" },
		{ "cluster://h?name=x", "unknown option \"name\"; cluster:// has tls, " },
		{ "cluster://h?sentinel_password=x", "unknown option" },
		{ "cluster://h?sentinel_tls=1&tls=1", "unknown option" },
		{ "cluster://h?tls=yes", "tls must be 0 or 1" },
		{ "cluster://h?cafile=/ca", "need tls=1" },
		{ "cluster://h?verify=1&tls=0", "need tls=1" },
#ifdef RLOCK_TLS
		{ "cluster://h?tls=1&key=/k", "key without a cert" },
#endif
		{ "cluster://h?tls=1&sni=.example", "sni must be" },
		{ "sentinel://h/m?sentinel_tls=0", "need tls=1" },
		{ "cluster://h,", "host is missing" },
		{ "cluster://:p@h@", "host is missing" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_seed_addresses *addresses;
		struct rl_error error;
		enum rl_status status = parse(cases[i].text, &addresses, &error);

		if (status != RL_INVALID || !strstr(error.message, cases[i].about)) {
			fail_msg("%s: status %d, %s", cases[i].text, status, error.message);
		}
		assert_null(addresses);
	}
}

static void too_many_hosts_are_refused(void **state)
{
	char text[512] = "cluster://h";
	struct rl_seed_addresses *addresses;
	struct rl_error error;

	for (int i = 1; i < 64; i++) {
		strcat(text, ",h");
	}
	rl_seed_addresses_free(parsed(text));
	strcat(text, ",h");
	assert_int_equal(parse(text, &addresses, &error), RL_INVALID);
	assert_non_null(strstr(error.message, "more than 64 hosts"));
}

/* A1: whatever is wrong, the message holds nothing of what may be a password. */
static void passwords_are_in_no_message(void **state)
{
	static const char *const texts[] = {
		"sentinel://:hunter2@h",
		"sentinel://:hunter2@h,/m",
		"sentinel://:x/hunter2@h/m",
		"sentinel://:x,hunter2@h:x/m",
		"sentinel://:hunter2@h/m?x=1",
		"sentinel://h/m?sentinel_password=x&hunter2=1",
		"sentinel://h/m?hunter2=1&sentinel_password=x",
		"sentinel://h/m?sentinel_password=%zhunter2",
		"sentinel://h,:hunter2@i/m?x",
		"cluster://:hunter2@h,i:x",
		"cluster://:hunter2@h/1",
		"cluster://:x?hunter2@h",
		"cluster://hunter2@h",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_seed_addresses *addresses;
		struct rl_error error;

		if (parse(texts[i], &addresses, &error) != RL_INVALID || strstr(error.message, "hunter2")) {
			fail_msg("%s: %s", texts[i], error.message);
		}
	}
}

static void a_copy_says_the_same_and_shares_nothing(void **state)
{
	struct rl_seed_addresses *addresses = parsed(
		"sentinel://me:secret@h,i/m?db=3&sentinel_password=x");
	struct rl_seed_addresses *copy = rl_seed_addresses_copy(addresses);

	assert_non_null(copy);
	assert_ptr_not_equal(copy->identity, addresses->identity);
	check_text(copy->identity, addresses->identity);
	check_text(copy->name, addresses->name);
	check_text(copy->master, "m");
	rl_seed_addresses_free(addresses);
	assert_int_equal(copy->count, 2);
	check_text(copy->hosts[1]->name, "i:26379");
	check_text(copy->login->password, "secret");
	for (long count = 0;; count++) {
		struct rl_seed_addresses *another;

		faults_memory(count);
		another = rl_seed_addresses_copy(copy);
		assert_int_equal(another == NULL, faults_memory_struck());
		faults_memory(-1);
		if (another) {
			rl_seed_addresses_free(another);
			break;
		}
	}
	rl_seed_addresses_free(copy);
}

static void memory_that_runs_out_is_told(void **state)
{
	static const char *const texts[] = {
		"sentinel://me:secret@h,i/m?sentinel_password=x", "cluster://me:secret@h,i"
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		enum rl_status status = RL_NO_MEMORY;

		for (long count = 0; status != RL_OK; count++) {
			struct rl_text text = { texts[i], strlen(texts[i]) };
			struct rl_seed_addresses *addresses;
			struct rl_error error;

			faults_memory(count);
			status = rl_seed_addresses_parse(text, &defaults, &addresses, &error);
			assert_int_equal(status, faults_memory_struck() ? RL_NO_MEMORY : RL_OK);
			faults_memory(-1);
			if (status == RL_OK) {
				rl_seed_addresses_free(addresses);
			}
			assert_in_range(count, 0, 100);
		}
	}
}

int test_seed_addresses(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentinels),
		cmocka_unit_test(nodes),
		cmocka_unit_test(a_server_that_is_named_is_talked_to_in_the_same_way),
#ifdef RLOCK_TLS
		cmocka_unit_test(all_servers_speak_tls_alike),
#endif
		cmocka_unit_test(timeouts_make_no_difference),
		cmocka_unit_test(all_that_makes_a_difference_is_in_the_identity),
		cmocka_unit_test(a_host_is_vouched_for_or_not),
		cmocka_unit_test(a_host_that_is_told_is_a_name_or_an_address),
		cmocka_unit_test(what_cannot_be_read_is_refused),
		cmocka_unit_test(too_many_hosts_are_refused),
		cmocka_unit_test(passwords_are_in_no_message),
		cmocka_unit_test(a_copy_says_the_same_and_shares_nothing),
		cmocka_unit_test(memory_that_runs_out_is_told),
	};

	return cmocka_run_group_tests_name("addresses", tests, NULL, NULL);
}
