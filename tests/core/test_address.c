#include "testing.h"
#include "faults.h"

#include <limits.h>
#include <locale.h>
#include <sys/un.h>
#include <unistd.h>

#include "redis/address_syntax.h"
#include "redis/environment.h"
#include "redis/output.h"

static const struct rl_address_defaults defaults = {
	.connect_timeout = RL_SECOND, .timeout = 2 * RL_SECOND, .persistent = true
};

static enum rl_status parse(const char *text, struct rl_address **out, struct rl_error *error)
{
	size_t length = strlen(text);
	char *exact = exact_copy(text, length);
	enum rl_status status;

	memset(error, 0, sizeof *error);
	*out = NULL;
	status = rl_address_parse((struct rl_text){ exact, length }, &defaults, out, error);
	free(exact);
	return status;
}

static struct rl_address *parsed(const char *text)
{
	struct rl_address *address;
	struct rl_error error;

	if (parse(text, &address, &error) != RL_OK) {
		fail_msg("%s: %s", text, error.message);
	}
	return address;
}

static void tcp_forms(void **state)
{
	static const struct {
		const char *text, *host;
		int port;
		const char *user, *password;
		int db;
		const char *name;
	} cases[] = {
		{ "redis://localhost", "localhost", 6379, NULL, NULL, 0, "localhost:6379" },
		{ "redis://localhost/", "localhost", 6379, NULL, NULL, 0, "localhost:6379" },
		{ "redis://127.0.0.1:1", "127.0.0.1", 1, NULL, NULL, 0, "127.0.0.1:1" },
		{ "redis://my_redis-1.example.org:65535/15", "my_redis-1.example.org", 65535, NULL, NULL,
			15, "my_redis-1.example.org:65535" },
		{ "redis://[::1]", "::1", 6379, NULL, NULL, 0, "[::1]:6379" },
		{ "redis://[fe80::1%eth0]:7", "fe80::1%eth0", 7, NULL, NULL, 0, "[fe80::1%eth0]:7" },
		{ "redis://[fe80::1%25br-0.7]", "fe80::1%br-0.7", 6379, NULL, NULL, 0,
			"[fe80::1%br-0.7]:6379" },
		{ "redis://[fe80::a:1]:7000/2147483647", "fe80::a:1", 7000, NULL, NULL, 2147483647,
			"[fe80::a:1]:7000" },
		{ "redis://:secret@h", "h", 6379, NULL, "secret", 0, "h:6379" },
		{ "redis://me:secret@h:7/3", "h", 7, "me", "secret", 3, "h:7" },
		{ "redis://me:secret@[::1]:7/3", "::1", 7, "me", "secret", 3, "[::1]:7" },
		{ "redis://me:@h", "h", 6379, "me", "", 0, "h:6379" },
		{ "redis://m%65%40x:%2f%3F%25%20%c3%A9@h", "h", 6379, "me@x", "/?% \xc3\xa9", 0, "h:6379" },
		{ "redis://:a:b@c@h", "h", 6379, NULL, "a:b@c", 0, "h:6379" },
		{ "redis://:a+b@h", "h", 6379, NULL, "a+b", 0, "h:6379" },
		{ "redis://:#&=@h/1?timeout=1", "h", 6379, NULL, "#&=", 1, "h:6379" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_address *address = parsed(cases[i].text);

		assert_null(address->path);
		check_text(address->host, cases[i].host);
		assert_int_equal(address->port, cases[i].port);
		check_text(address->user, cases[i].user);
		check_text(address->password, cases[i].password);
		assert_int_equal(address->db, cases[i].db);
		check_text(address->name, cases[i].name);
		assert_null(address->path);
		rl_address_free(address);
	}
}

static void unix_forms(void **state)
{
	static const struct {
		const char *text, *path, *user, *password;
		int db;
		const char *name;
	} cases[] = {
		{ "unix:///run/redis.sock", "/run/redis.sock", NULL, NULL, 0, "/run/redis.sock" },
		{ "unix:///run/redis.sock?db=7", "/run/redis.sock", NULL, NULL, 7, "/run/redis.sock" },
		{ "unix:///s?user=me&password=a%26b%3d%40c&db=1", "/s", "me", "a&b=@c", 1, "/s" },
		{ "unix:///s?password=a=b@c", "/s", NULL, "a=b@c", 0, "/s" },
		{ "unix:///s?user=&password=x", "/s", NULL, "x", 0, "/s" },
		{ "unix:///s?user=me&password=", "/s", "me", "", 0, "/s" },
		{ "unix:///my%20dir%3f/%25.sock", "/my dir?/%.sock", NULL, NULL, 0, "/my dir?/%.sock" },
		{ "unix:///a%0Ab@c", "/a\nb@c", NULL, NULL, 0, "/a\\x0ab@c" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_address *address = parsed(cases[i].text);

		check_text(address->path, cases[i].path);
		check_text(address->user, cases[i].user);
		check_text(address->password, cases[i].password);
		assert_int_equal(address->db, cases[i].db);
		check_text(address->name, cases[i].name);
		assert_null(address->host);
		rl_address_free(address);
	}
}

static void path_fits_a_socket(void **state)
{
	size_t max = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
	struct rl_address *address;
	struct rl_error error;
	char text[512] = "unix:///";

	memset(text + 8, 'x', max);
	text[8 + max - 1] = '\0';
	address = parsed(text);
	assert_int_equal(strlen(address->path), max);
	rl_address_free(address);
	text[8 + max - 1] = 'x';
	assert_int_equal(parse(text, &address, &error), RL_INVALID);
	assert_non_null(strstr(error.message, "107 bytes"));

	/* What counts is its length when it is decoded. */
	strcpy(text, "unix:///");
	for (size_t i = 1; i < max; i++) {
		strcat(text, "%41");
	}
	address = parsed(text);
	assert_int_equal(strlen(address->path), max);
	rl_address_free(address);
}

static void options_set_what_they_say(void **state)
{
	static const struct {
		const char *text;
		rl_time connect_timeout, timeout;
		bool persistent;
	} cases[] = {
		{ "", RL_SECOND, 2 * RL_SECOND, true },
		{ "?timeout=3", RL_SECOND, 3 * RL_SECOND, true },
		{ "?connect_timeout=0.25", RL_SECOND / 4, 2 * RL_SECOND, true },
		{ "?persistent=0&timeout=.5&connect_timeout=5.", 5 * RL_SECOND, RL_SECOND / 2, false },
		{ "?persistent=1&timeout=0.000000001", RL_SECOND, 1, true },
		{ "?timeout=0.0000000001", RL_SECOND, 1, true },
		{ "?timeout=1.23456789000", RL_SECOND, 1234567890, true },
		{ "?timeout=1.2345678901", RL_SECOND, 1234567891, true },
		{ "?timeout=300.000", RL_SECOND, 300 * RL_SECOND, true },
		{ "?timeout=000001", RL_SECOND, RL_SECOND, true },
	};

	for (int form = 0; form < 2; form++) {
		for (size_t i = 0; i < COUNT(cases); i++) {
			struct rl_address *address;
			char text[128];

			snprintf(text, sizeof text, "%s%s", form ? "unix:///s" : "redis://h/1", cases[i].text);
			address = parsed(text);
			assert_int_equal(address->connect_timeout, cases[i].connect_timeout);
			assert_int_equal(address->timeout, cases[i].timeout);
			assert_int_equal(address->persistent, cases[i].persistent);
			rl_address_free(address);
		}
	}
}

static void options_do_not_depend_on_the_locale(void **state)
{
	struct rl_address *address;
	struct rl_error error;

	/* One with a decimal comma, if there is any here; the comma is refused in all. */
	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		setlocale(LC_ALL, "");
	}
	address = parsed("redis://h?timeout=1.5");
	assert_int_equal(address->timeout, 1500 * RL_MILLISECOND);
	rl_address_free(address);
	assert_int_equal(parse("redis://h?timeout=1,5", &address, &error), RL_INVALID);
	setlocale(LC_ALL, "C");
}

static void what_cannot_be_read_is_told(void **state)
{
	static const struct {
		const char *text, *about;
	} cases[] = {
		{ "", "rediss:// or unix://" },
		{ "localhost", "is written redis://host:6379" },
		{ "localhost:6379", "is written redis://host:6379" },
		{ "redis:/localhost", "is written redis://" },
		{ "tcp://localhost", "is written redis://" },
		{ "REDIS://localhost", "rediss:// or unix://" },
		{ " redis://localhost", "space" },
		{ "redis://localhost ", "space" },
		{ "redis://local\thost", "space or control" },
		{ "unix:///my dir", "%20" },

		{ "redis://", "host is missing" },
		{ "redis:///0", "host is missing" },
		{ "redis://:6379", "host is missing" },
		{ "redis://?timeout=1", "host is missing" },
		{ "redis://a%20b", "not a name" },
		{ "redis://a,b", "sentinel://a,b/master, cluster://a,b" },
		{ "redis://a:1,b:2/3", "array of addresses" },
		{ "redis://:x@a,b", "array of addresses" },
		{ "redis://.a", "not a name" },
		{ "redis://h\xc3\xb6st", "not a name" },
		{ "redis://h[", "not a name" },
		{ "redis://::1", "brackets" },
		{ "redis://a:1:2", "brackets" },
		{ "redis://[::1", "without a ']'" },
		{ "redis://[::1]6379", "follow the ']'" },
		{ "redis://[fe80::1%]", "IPv6" },
		{ "redis://[fe80::1%25]x", "follow the ']'" },
		{ "redis://[fe80::1%e th0]", "space" },
		{ "redis://[fe80::1%eth0%1]", "IPv6" },
		{ "redis://[fe80%eth0]", "IPv6" },
		{ "redis://[]", "IPv6" },
		{ "redis://[localhost]", "IPv6" },
		{ "redis://[127.0.0.1]", "IPv6" },
		{ "redis://[1:2:3]", "IPv6" },

		{ "redis://h:", "port" },
		{ "redis://h:0", "port" },
		{ "redis://h:65536", "port" },
		{ "redis://h:18446744073709551617", "port" },
		{ "redis://h:-1", "port" },
		{ "redis://h:+1", "port" },
		{ "redis://h:6379x", "port" },
		{ "redis://[::1]:", "port" },
		{ "redis://[::1]:x", "port" },

		{ "redis://h/x", "database" },
		{ "redis://h/-1", "database" },
		{ "redis://h/1/2", "database" },
		{ "redis://h/2147483648", "database" },
		{ "unix:///s?db=", "database" },
		{ "unix:///s?db=1.5", "database" },

		{ "redis://h?", "without a name" },
		{ "redis://h?timeout=1&", "without a name" },
		{ "redis://h?=1", "without a name" },
		{ "redis://h?tiemout=1", "\"tiemout\"" },
		{ "redis://h?timeout%20=1", "\"timeout%20\"" },
		{ "redis://h?Timeout=1", "\"Timeout\"" },
		{ "redis://h?timeout", "\"timeout\" has no value" },
		{ "redis://h?timeout=1&persistent=1&timeout=1", "\"timeout\" is given twice" },
		{ "unix:///s?db=1&db=1", "\"db\" is given twice" },
		{ "unix:///s?password=x&password=y", "\"password\" is given twice" },
		{ "redis://h?timeout=", "timeout must be" },
		{ "redis://h?timeout=.", "timeout must be" },
		{ "redis://h?timeout=0", "timeout must be" },
		{ "redis://h?timeout=0.0", "timeout must be" },
		{ "redis://h?timeout=-1", "timeout must be" },
		{ "redis://h?timeout=+1", "timeout must be" },
		{ "redis://h?timeout=1e3", "timeout must be" },
		{ "redis://h?timeout=0x1", "timeout must be" },
		{ "redis://h?timeout=1.5.1", "timeout must be" },
		{ "redis://h?timeout=inf", "timeout must be" },
		{ "redis://h?timeout=nan", "timeout must be" },
		{ "redis://h?timeout=1s", "timeout must be" },
		{ "redis://h?timeout=500", "timeout must be seconds (not milliseconds)" },
		{ "redis://h?timeout=300.0000000001", "timeout must be" },
		{ "redis://h?connect_timeout=99999999999999999999999", "connect_timeout must be" },
		{ "redis://h?persistent=2", "persistent" },
		{ "redis://h?persistent=yes", "persistent" },
		{ "redis://h?persistent=", "persistent" },

		{ "redis://@h", "before the '@'" },
		{ "redis://me@h", "user without a password" },
		{ "redis://:@h", "password is empty" },
		{ "redis://me:a%zz@h", "'%' in the password" },
		{ "redis://me:a%@h", "'%' in the password" },
		{ "redis://me:a%4@h", "'%' in the password" },
		{ "redis://m%e:a@h", "'%' in the user" },
		{ "redis://me:a%00b@h", "password cannot hold %00" },
		{ "redis://m%00e:a@h", "user cannot hold %00" },
		{ "redis://:a/b@h", "%2F" },
		{ "redis://:a?b@h", "%3F" },
		{ "redis://:a@/b@h", "'@' %40" },
		{ "redis://:a#/b@h", "'#' %23" },
		{ "redis://h/0?timeout=1@2", "'@' after the host" },

		{ "unix:/run/redis.sock", "unix:///path/to/socket" },
		{ "unix:run/redis.sock", "unix:///path/to/socket" },
		{ "run/redis.sock", "unix:///path/to/socket" },
		{ "redis.sock?db=1", "unix:///path/to/socket" },
		{ "redis:///run/redis.sock", "unix:///path/to/socket" },
		{ "redis://h?db=1", "redis://host/1" },
		{ "redis://:x@h?timeout=1&database=1", "redis://host/1" },
		{ "redis://h?password=x", "user:password@host" },
		{ "redis://h?user=x&password=x", "user:password@host" },

		{ "unix://", "begin with a '/'" },
		{ "unix://run/redis.sock", "begin with a '/'" },
		{ "unix://?db=1", "begin with a '/'" },
		{ "unix:///a%zz", "'%' in the path" },
		{ "unix:///a%", "'%' in the path" },
		{ "unix:///a%00", "path cannot hold %00" },
		{ "unix:///s?user=me", "user without a password" },
		{ "unix:///s?password=", "password is empty" },
		{ "unix:///s?password=%00", "password cannot hold %00" },
		{ "unix:///s?user=%4", "'%' in the user" },
		{ "unix:///s?path=x", "\"path\"" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_address *address;
		struct rl_error error;
		enum rl_status status = parse(cases[i].text, &address, &error);

		if (status != RL_INVALID || !strstr(error.message, cases[i].about)) {
			fail_msg("%s: status %d, %s", cases[i].text, status, error.message);
		}
		assert_null(address);
	}
}

static void a_nul_is_no_part_of_an_address(void **state)
{
	struct rl_address *address;
	struct rl_error error;

	assert_int_equal(
		rl_address_parse((struct rl_text){ "redis://h\0", 10 }, &defaults, &address, &error),
		RL_INVALID);
	assert_int_equal(
		rl_address_parse((struct rl_text){ "unix:///s\0x", 11 }, &defaults, &address, &error),
		RL_INVALID);
}

/* A build that has none refuses the form, and says what to do. */
static bool is_without_tls(void)
{
	struct rl_address *address;
	struct rl_error error;

	if (rl_tls_supported()) {
		return false;
	}
	assert_int_equal(parse("rediss://:hunter2@h", &address, &error), RL_MISUSE);
	assert_non_null(strstr(error.message, "rediss://"));
	assert_non_null(strstr(error.message, "libssl-dev"));
	assert_null(strstr(error.message, "hunter2"));
	return true;
}

static void tls_options_are_read(void **state)
{
	struct rl_address *address;

	if (is_without_tls()) {
		return;
	}
	address = parsed(
		"rediss://me:p@h:1/2?cafile=/a%20b/ca.pem&cert=/c.pem&key=/k%26.pem&sni=redis.example.com&verify=0&timeout=3");
	assert_null(address->path);
	assert_non_null(address->tls);
	assert_string_equal(address->host, "h");
	assert_string_equal(address->name, "h:1");
	assert_int_equal(address->db, 2);
	assert_string_equal(address->cafile, "/a b/ca.pem");
	assert_string_equal(address->cert, "/c.pem");
	assert_string_equal(address->key, "/k&.pem");
	assert_string_equal(address->sni, "redis.example.com");
	assert_false(address->verify);
	assert_true(address->timeout == 3 * RL_SECOND);
	rl_address_free(address);

	address = parsed("rediss://[::1]");
	assert_true(address->verify);
	assert_null(address->cafile);
	assert_null(address->cert);
	assert_null(address->key);
	assert_null(address->sni);
	rl_address_free(address);

	address = parsed("redis://h");
	assert_null(address->tls);
	rl_address_free(address);
}

static void tls_options_that_cannot_be_read_are_told(void **state)
{
	static const struct {
		const char *text, *about;
	} cases[] = {
		{ "rediss://", "host is missing" },
		{ "rediss://h?cafile=", "cafile names no file" },
		{ "rediss://h?cafile=%zz", "'%' in the cafile" },
		{ "rediss://h?cafile=a%00b", "cannot hold %00" },
		{ "rediss://h?cert=", "cert names no file" },
		{ "rediss://h?key=k", "key without a cert" },
		{ "rediss://h?cert=c&key=", "key names no file" },
		{ "rediss://h?sni=", "sni must be" },
		{ "rediss://h?sni=a%20b", "sni must be" },
		{ "rediss://h?sni=.sub.test", "sni must be" },
		{ "rediss://.sub.test", "not a name" },
		{ "rediss://a,b", "array of addresses" },
		{ "rediss://h?sni=[::1]", "sni must be" },
		{ "rediss://h?verify=", "verify must be 0 or 1" },
		{ "rediss://h?verify=no", "verify must be 0 or 1" },
		{ "rediss://h?verify=0&verify=0", "\"verify\" is given twice" },
		{ "rediss://h?db=1", "redis://host/1" },
		{ "rediss://:hunter2@h?x=1", "rediss:// has cafile" },
		{ "redis://h?cafile=/ca.pem", "unknown option \"cafile\"" },
		{ "redis://h?verify=0", "unknown option \"verify\"" },
		{ "unix:///s?sni=h", "unknown option \"sni\"" },
	};

	if (is_without_tls()) {
		return;
	}
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rl_address *address;
		struct rl_error error;
		enum rl_status status = parse(cases[i].text, &address, &error);

		if (status != RL_INVALID || !strstr(error.message, cases[i].about)
			|| strstr(error.message, "hunter2")) {
			fail_msg("%s: status %d, %s", cases[i].text, status, error.message);
		}
		assert_null(address);
	}
}

/* A1: whatever is wrong, the message holds nothing of what may be the password. */
static void passwords_are_in_no_message(void **state)
{
	static const char *const texts[] = {
		"redis://:hunter2@",
		"redis://:hunter2@h:x",
		"redis://:hunter2@h/x",
		"redis://:hunter2@h?x=1",
		"redis://:hunter2@h?timeout=x",
		"redis://:hunter2@[::1",
		"redis://:hunter2@a:b:c",
		"redis://:%zhunter2@h",
		"redis://:hunter2%00@h",
		"redis://hunter2@h",
		"redis://:hunter2",
		"redis://me:hunter2",
		"redis://me:hunter2%40h",
		"redis://:x/hunter2@h",
		"redis://:x?hunter2@h",
		"redis://:x?hunter2=y@h",
		"redis://:x@y?hunter2",
		"redis://:x@h?a&hunter2",
		"redis://h?password=hunter2",
		"redis://h/hunter2@h",
		"redis://:hunter2@h ",
		"redis:/:hunter2@h",
		"hunter2@h",
		"hunter2",
		"tcp://:hunter2@h",
		"unix:///s?password=hunter2&x=1",
		"unix:///s?password=x&hunter2",
		"unix:///s?password=x&hunter2=y",
		"unix:///s?user=hunter2",
		"unix:///s?password=%zhunter2",
		"unix:///s?password=hunter2%00",
		"unix:///s?password=hunter2&password=hunter2",
		"unix:///s?pasword=hunter2",
		"unix://me:hunter2@/s",
		"unix:///s?db=hunter2",
		"unix:///s?a@hunter2",
		"unix:///s?Password=x",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_address *address;
		struct rl_error error;

		assert_int_equal(parse(texts[i], &address, &error), RL_INVALID);
		if (strstr(error.message, "hunter2")) {
			fail_msg("%s: %s", texts[i], error.message);
		}
	}
}

static void name_has_no_secret(void **state)
{
	static const char *const texts[] = { "redis://me:hunter2@h:1/2",
		"unix:///s?user=me&password=hunter2" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_address *address = parsed(texts[i]);

		assert_null(strstr(address->name, "hunter2"));
		assert_non_null(strstr(address->identity, "hunter2"));
		rl_address_free(address);
	}
}

#define MOST_IDENTITIES 32

static void check_identities(const char *const texts[], size_t count)
{
	struct rl_address *addresses[MOST_IDENTITIES];

	assert_true(count <= MOST_IDENTITIES);
	for (size_t i = 0; i < count; i++) {
		addresses[i] = parsed(texts[i]);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(addresses[i]->identity, addresses[j]->identity);
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct rl_address *again = parsed(texts[i]);

		assert_string_equal(again->identity, addresses[i]->identity);
		rl_address_free(again);
		rl_address_free(addresses[i]);
	}
}

static void identity_tells_connections_apart(void **state)
{
	static const char *const texts[] = {
		"redis://h",
		"redis://g",
		"redis://h:1",
		"redis://h/1",
		"redis://:p@h",
		"redis://:q@h",
		"redis://u:p@h",
		"redis://u:@h",
		"redis://p:u@h",
		"redis://h:16",
		"redis://[::1]",
		"unix:///h",
		"unix:///s",
		"unix:///s?db=1",
		"unix:///s?password=p",
		"unix:///s?user=u&password=p",
		"unix:///s?password=p%201:u",
		"redis://u%201%3Ap:x@h",
		"redis://u:p%20-1:@h",
		"redis://a%20b:c@h",
		"redis://a:b%20c@h",
	};

	check_identities(texts, COUNT(texts));
}

/* Timeouts are the caller's, and may be another one in every request. */
static void identity_has_no_timeouts(void **state)
{
	struct rl_address *one = parsed("redis://h?timeout=9&connect_timeout=8"),
					  *other = parsed("redis://h");

	assert_string_equal(one->identity, other->identity);
	rl_address_free(one);
	rl_address_free(other);
}

static void identity_tells_tls_apart(void **state)
{
	static const char *const texts[] = {
		"redis://h",
		"rediss://h",
		"rediss://h?verify=0",
		"rediss://h?cafile=a",
		"rediss://h?cafile=b",
		"rediss://h?cert=a",
		"rediss://h?cert=a&key=a",
		"rediss://h?cert=a&key=b",
		"rediss://h?sni=a",
	};

	if (!is_without_tls()) {
		check_identities(texts, COUNT(texts));
	}
}

/* Another folder has other files of that name; and the folder may be another when one is read. */
static void a_relative_file_counts_from_where_it_was_read(void **state)
{
	static const char text[] = "rediss://h?cafile=a&cert=b%2Fc&key=/k";
	struct rl_address *here, *there;
	char folder[PATH_MAX + 1], whole[PATH_MAX + 8];

	if (is_without_tls()) {
		return;
	}
	assert_non_null(getcwd(folder, sizeof folder));
	here = parsed(text);
	assert_int_equal(chdir("/usr"), 0);
	there = parsed(text);
	assert_int_equal(chdir(folder), 0);
	snprintf(whole, sizeof whole, "%s/a", folder);
	assert_string_equal(here->cafile, whole);
	assert_string_equal(there->cafile, "/usr/a");
	assert_string_equal(there->cert, "/usr/b/c");
	assert_string_equal(there->key, "/k");
	assert_string_not_equal(here->identity, there->identity);
	rl_address_free(here);
	rl_address_free(there);
}

static void a_relative_file_needs_a_folder(void **state)
{
	char before[PATH_MAX + 1], folder[] = "/tmp/rlock-test-XXXXXX";
	struct rl_address *address;
	struct rl_error error;

	if (is_without_tls()) {
		return;
	}
	assert_non_null(getcwd(before, sizeof before));
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(parse("rediss://h?cafile=a", &address, &error), RL_INVALID);
	assert_non_null(strstr(error.message, "the current folder is not known"));
	rl_address_free(parsed("rediss://h?cafile=/a"));
	assert_int_equal(chdir(before), 0);
}

static void same_server_written_otherwise_is_the_same(void **state)
{
	struct rl_address *one = parsed("redis://%75:p@h:6379/0?timeout=2.0&connect_timeout=1");
	struct rl_address *two = parsed("redis://u:p@h?persistent=0");

	assert_string_equal(one->identity, two->identity);
	rl_address_free(one);
	rl_address_free(two);
}

static void out_of_memory_is_told(void **state)
{
	static const char *const texts[] = { "redis://u:p@h:1/2?timeout=1",
		"unix:///s?user=u&password=p", "rediss://u:p@h?cafile=a&cert=c&key=k&sni=s" };

	for (size_t i = 0; i < COUNT(texts) - !rl_tls_supported(); i++) {
		enum rl_status status = RL_NO_MEMORY;
		long failing = 0;

		for (; status != RL_OK; failing++) {
			struct rl_address *address;
			struct rl_error error;

			assert_true(failing < 20);
			faults_memory(failing);
			status = rl_address_parse(rl_text_of(texts[i]), &defaults, &address, &error);
			assert_int_equal(status, faults_memory_struck() ? RL_NO_MEMORY : RL_OK);
			faults_memory(-1);
			if (status == RL_OK) {
				rl_address_free(address);
			}
		}
		assert_true(failing > 5);
	}
}

static void assert_same_text(const char *a, const char *b)
{
	if (!b) {
		assert_null(a);
	} else {
		assert_string_equal(a, b);
		assert_ptr_not_equal(a, b);
	}
}

static void a_copy_shares_nothing(void **state)
{
	static const char *const texts[] = { "redis://user:pass@[::1]:1234/5?timeout=2&persistent=0",
		"unix:///a/b", "rediss://h?cafile=a&cert=c&key=k&sni=s&verify=0" };

	for (size_t i = 0; i < COUNT(texts) - !rl_tls_supported(); i++) {
		struct rl_address *address = parsed(texts[i]);
		struct rl_address *copied = NULL;

		for (long failing = 0; !copied; failing++) {
			assert_true(failing < 20);
			faults_memory(failing);
			copied = rl_address_copy(address);
			assert_int_equal(copied != NULL, !faults_memory_struck());
			faults_memory(-1);
		}
		assert_same_text(copied->host, address->host);
		assert_same_text(copied->path, address->path);
		assert_same_text(copied->user, address->user);
		assert_same_text(copied->password, address->password);
		assert_same_text(copied->cafile, address->cafile);
		assert_same_text(copied->cert, address->cert);
		assert_same_text(copied->key, address->key);
		assert_same_text(copied->sni, address->sni);
		assert_same_text(copied->name, address->name);
		assert_same_text(copied->identity, address->identity);
		assert_int_equal(copied->port, address->port);
		assert_int_equal(copied->db, address->db);
		assert_int_equal(copied->timeout, address->timeout);
		assert_int_equal(copied->persistent, address->persistent);
		assert_int_equal(copied->verify, address->verify);
		assert_int_equal(copied->tls != NULL, address->tls != NULL);
		assert_true(!copied->tls || copied->tls != address->tls);
		rl_address_free(address);
		rl_address_free(copied);
	}
}

/* Of how the system finds names and authorities, too. */
static void identity_tells_environments_apart(void **state)
{
	static const char *const variables[] = {
		"HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "SSL_CERT_FILE", "SSL_CERT_DIR"
	};
	struct rl_address *plain;

	for (size_t i = 0; i < COUNT(variables); i++) {
		unsetenv(variables[i]);
	}
	plain = parsed("redis://:x@h");
	for (size_t i = 0; i < COUNT(variables); i++) {
		struct rl_address *one, *two, *later, *near;

		setenv(variables[i], "/one", 1);
		one = parsed("redis://:x@h");
		setenv(variables[i], "/two", 1);
		two = parsed("redis://:x@h");
		unsetenv(variables[i]);
		later = parsed("redis://:x@h");
		near = rl_address_at(one, "h", 6379, NULL);
		assert_string_not_equal(plain->identity, one->identity);
		assert_string_not_equal(plain->identity, two->identity);
		assert_string_not_equal(one->identity, two->identity);
		assert_string_equal(plain->identity, later->identity);
		assert_string_equal(near->identity, one->identity); /* that of whom it was made like */
		rl_address_free(one);
		rl_address_free(two);
		rl_address_free(later);
		rl_address_free(near);
	}
	rl_address_free(plain);
}

/* By a relative path, each folder has authorities and aliases of its own. */
static void identity_tells_folders_apart_where_they_matter(void **state)
{
	static const struct {
		const char *variable, *value;
		bool matters;
	} rows[] = {
		{ "HOSTALIASES", "aliases", true },
		{ "HOSTALIASES", "/aliases", false },
		{ "SSL_CERT_FILE", "./authorities", true },
		{ "SSL_CERT_FILE", "/authorities", false },
		{ "SSL_CERT_DIR", "/one:/two", false },
		{ "SSL_CERT_DIR", "/one:two", true },
		{ "LOCALDOMAIN", "example.com", false },
	};
	char before[4096];

	assert_non_null(getcwd(before, sizeof before));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rl_address *here, *there, *again;

		setenv(rows[i].variable, rows[i].value, 1);
		here = parsed("redis://:x@h");
		assert_int_equal(chdir("/usr"), 0);
		there = parsed("redis://:x@h");
		assert_int_equal(strcmp(here->identity, there->identity) != 0, rows[i].matters);
		assert_int_equal(rl_environment_is(here->environment), !rows[i].matters);
		assert_int_equal(chdir(before), 0);
		again = parsed("redis://:x@h");
		assert_string_equal(here->identity, again->identity);
		unsetenv(rows[i].variable);
		rl_address_free(here);
		rl_address_free(there);
		rl_address_free(again);
	}
}

#define SECRET "hunter2-of-all"

static void read_and_free(const char *text)
{
	struct rl_seed_addresses *seeds = NULL, *copied;
	struct rl_address *address = NULL, *copy;
	struct rl_text whole = rl_text_of(text);
	struct rl_error error;

	if (rl_seed_addresses_are_meant(whole)) {
		if (rl_seed_addresses_parse(whole, &defaults, &seeds, &error) == RL_OK) {
			copied = rl_seed_addresses_copy(seeds);
			rl_seed_addresses_free(copied);
			rl_seed_addresses_free(seeds);
		}
	} else if (rl_address_parse(whole, &defaults, &address, &error) == RL_OK) {
		copy = rl_address_copy(address);
		rl_address_free(copy);
		copy = address->host ? rl_address_at(address, "other", 1, NULL) : NULL;
		rl_address_free(copy);
		rl_address_free(address);
	}
}

static void nothing_of_a_password_stays_in_memory(void **state)
{
	static const char *const texts[] = {
		"redis://:" SECRET "@h",
		"redis://:%68unter2-of-all@h",
		"redis://" SECRET ":x@h/1",
		"redis://u:" SECRET "@h?unknown=1",
		"unix:///s?password=" SECRET,
		"unix:///s?password=" SECRET "&user=%",
		"sentinel://u:" SECRET "@h,i/m",
		"sentinel://h,i/m?sentinel_password=" SECRET,
		"sentinel://h,i/m?sentinel_password=" SECRET "&db=x",
		"cluster://u:" SECRET "@h,i",
		"cluster://u:" SECRET "@h,i?db=x",
	};
	const struct rl_text words[] = { rl_text_of("AUTH"), rl_text_of(SECRET) };
	struct rl_output output = { .bytes = NULL };

	faults_watch_freed(SECRET);
	for (size_t i = 0; i < COUNT(texts); i++) {
		read_and_free(texts[i]);
		if (faults_found_freed()) {
			fail_msg("%s", texts[i]);
		}
	}
	for (int i = 0; i < 9; i++) { /* it grows */
		assert_true(rl_output_append(&output, words, COUNT(words)));
	}
	rl_output_free(&output);
	assert_int_equal(faults_found_freed(), 0);
	faults_watch_freed(NULL);
}

static void random_texts_are_survived(void **state)
{
	static const char *const pieces[] = { "redis://", "unix://", "/", "//", ":", "@", "?", "&", "=",
		"%", "%41", "%00", "[", "]", "::1", "h", "1", "timeout", "password", "user", "db",
		"persistent", "connect_timeout", ".", "0.5", "\xff", " ", "s" };
	int readable = 0;

	srand(6);
	for (int i = 0; i < 100000; i++) {
		struct rl_address *address;
		struct rl_error error;
		char text[512] = "";

		strcat(text, pieces[rand() % 2]);
		for (int left = rand() % 12; left > 0; left--) {
			strcat(text, pieces[(size_t)rand() % COUNT(pieces)]);
		}
		if (parse(text, &address, &error) == RL_OK) {
			assert_non_null(address->identity);
			rl_address_free(address);
			readable++;
		} else {
			assert_string_not_equal(error.message, "");
		}
	}
	assert_true(readable > 1000);
}

int test_address(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tcp_forms),
		cmocka_unit_test(unix_forms),
		cmocka_unit_test(path_fits_a_socket),
		cmocka_unit_test(options_set_what_they_say),
		cmocka_unit_test(options_do_not_depend_on_the_locale),
		cmocka_unit_test(what_cannot_be_read_is_told),
		cmocka_unit_test(a_nul_is_no_part_of_an_address),
		cmocka_unit_test(tls_options_are_read),
		cmocka_unit_test(tls_options_that_cannot_be_read_are_told),
		cmocka_unit_test(passwords_are_in_no_message),
		cmocka_unit_test(name_has_no_secret),
		cmocka_unit_test(identity_tells_connections_apart),
		cmocka_unit_test(identity_has_no_timeouts),
		cmocka_unit_test(identity_tells_tls_apart),
		cmocka_unit_test(a_relative_file_counts_from_where_it_was_read),
		cmocka_unit_test(a_relative_file_needs_a_folder),
		cmocka_unit_test(same_server_written_otherwise_is_the_same),
		cmocka_unit_test(out_of_memory_is_told),
		cmocka_unit_test(a_copy_shares_nothing),
		cmocka_unit_test(identity_tells_environments_apart),
		cmocka_unit_test(identity_tells_folders_apart_where_they_matter),
		cmocka_unit_test(nothing_of_a_password_stays_in_memory),
		cmocka_unit_test(random_texts_are_survived),
	};

	return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
