/*
 * TLS under the sanitizers: whole sessions, steps that are cut off, and memory that runs out. What
 * is refused and in which words is tests/faults/T9_tls.phpt's. The certificate is made by the
 * openssl command and is its own authority.
 */
#include "testing.h"
#include "faults.h"
#include "hostile.h"
#include "stepped.h"
#include "steps.h"
#include "throwaway.h"

#include <netinet/in.h>
#ifdef RLOCK_TLS
# include <openssl/err.h>
#endif
#include <sys/socket.h>
#include <unistd.h>

#include "redis/address_syntax.h"
#include "redis/handshake.h"

static const struct rl_address_defaults defaults = {
	.connect_timeout = 10 * RL_SECOND, .timeout = 10 * RL_SECOND
};

static struct throwaway server;
static char folder[] = "/tmp/rlock-tls.XXXXXX", certificate[64], key[64], target[256];
static int port;

static int start_server(void **state)
{
	char command[512], port_text[16];
	const char *const arguments[] = { "--tls-port", port_text, "--tls-cert-file", certificate,
		"--tls-key-file", key, "--tls-ca-cert-file", certificate, "--tls-auth-clients", "optional",
		NULL };

	if (!rl_tls_supported()) {
		return 0;
	}
	assert_non_null(mkdtemp(folder));
	snprintf(certificate, sizeof certificate, "%s/cert.pem", folder);
	snprintf(key, sizeof key, "%s/key.pem", folder);
	snprintf(command, sizeof command,
		"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test "
		"-addext subjectAltName=IP:127.0.0.1 -keyout %s -out %s 2>/dev/null",
		key, certificate);
	assert_int_equal(system(command), 0);
	port = throwaway_free_port();
	snprintf(port_text, sizeof port_text, "%d", port);
	snprintf(target, sizeof target, "rediss://127.0.0.1:%d?cafile=%s&cert=%s&key=%s", port,
		certificate, certificate, key);
	return throwaway_start(&server, false, arguments) ? 0 : -1;
}

static int stop_server(void **state)
{
	throwaway_stop(&server);
	unlink(certificate);
	unlink(key);
	rmdir(folder);
	return 0;
}

static struct rl_address *address_of(const char *text)
{
	struct rl_address *address = NULL;
	struct rl_error error;

	if (rl_address_parse(rl_text_of(text), &defaults, &address, &error) != RL_OK) {
		fail_msg("%s", error.message);
	}
	return address;
}

static enum rl_status open_to(
	const struct rl_address *address, struct rl_connection **connection, struct rl_error *error)
{
	return connect_within(
		address, false, address->connect_timeout, rl_now() + 10 * RL_SECOND, connection, error);
}

static void echo(struct rl_connection *connection, const char *text, size_t length)
{
	struct rl_text words[] = { { "ECHO", 4 }, { text, length } };
	const struct rl_reply *reply;
	struct rl_error error;

	assert_int_equal(rl_connection_append(connection, 2, words, &error), RL_OK);
	assert_int_equal(flush_within(connection, rl_now() + 10 * RL_SECOND, &error), RL_OK);
	if (read_within(connection, rl_now() + 10 * RL_SECOND, &reply, &error) != RL_OK) {
		fail_msg("%s", error.message);
	}
	assert_int_equal(reply->type, RL_REPLY_STRING);
	assert_int_equal(reply->length, length);
	assert_memory_equal(reply->text, text, length);
}

/* Around the size of a record, and of many. */
static void what_is_sent_comes_back(void **state)
{
	static const size_t sizes[] = { 0, 1, 16383, 16384, 16385, 3 * 16384 - 10, 1000 * 1000 };
	struct rl_address *address = address_of(target);
	struct rl_connection *connection;
	struct rl_error error;
	char *text = malloc(1000 * 1000);

	memset(text, 'x', 1000 * 1000);
	assert_int_equal(open_to(address, &connection, &error), RL_OK);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		echo(connection, text, sizes[i]);
		assert_true(rl_connection_is_still_usable(connection, rl_now()));
	}
	free(text);
	rl_connection_close(connection);
	rl_address_free(address);
}

/* The queue of OpenSSL's errors is the thread's, for all that use it. */
static void leave_an_error(void)
{
#ifdef RLOCK_TLS
	ERR_put_error(ERR_LIB_USER, 0, 1, __FILE__, __LINE__);
#endif
}

static void what_others_left_in_the_queue_is_no_error_of_ours(void **state)
{
	struct rl_address *address = address_of(target);
	struct rl_connection *connection;
	struct rl_error error;

	leave_an_error();
	assert_int_equal(open_to(address, &connection, &error), RL_OK);
	for (int i = 0; i < 10; i++) {
		leave_an_error();
		echo(connection, "text", 4);
		leave_an_error();
		assert_true(rl_connection_is_still_usable(connection, rl_now()));
	}
	rl_connection_close(connection);
	rl_address_free(address);
}

/* An opening that is left at its Nth step leaves nothing behind. */
static void an_opening_can_be_given_up_at_every_step(void **state)
{
	struct rl_address *address = address_of(target);
	enum rl_status status = RL_NO;

	for (int steps = 0; status != RL_OK; steps++) {
		struct rl_handshake handshake;
		struct rl_error error;
		struct rl_polls polls;

		assert_true(steps < 1000);
		rl_polls_begin(&polls);
		status = rl_handshake_begin(&handshake, address, false, address->connect_timeout,
			rl_now() + 10 * RL_SECOND, &polls, &error);
		for (int step = 0; step < steps && status == RL_NO; step++) {
			assert_int_equal(polls.count, 1);
			assert_int_equal(rl_poll(polls.fds, 1, polls.until), RL_POLL_READY);
			rl_polls_begin(&polls);
			status = rl_handshake_go_on(&handshake, &polls, &error);
		}
		assert_true(status == RL_NO || status == RL_OK);
		rl_handshake_end(&handshake);
	}
	rl_address_free(address);
}

static void memory_that_runs_out_is_told(void **state)
{
	enum rl_status status = RL_NO_MEMORY;

	for (long failing = 0; status != RL_OK; failing++) {
		struct rl_address *address = address_of(target);
		struct rl_connection *connection = NULL;
		struct rl_error error;

		assert_true(failing < 200);
		faults_memory(failing);
		status = open_to(address, &connection, &error);
		faults_memory(-1);
		if (status == RL_OK) {
			rl_connection_close(connection);
		} else if (status != RL_NO_MEMORY) {
			/* An answer that finds no room is nonsense to hiredis. */
			assert_int_equal(status, RL_UNREACHABLE);
		}
		rl_address_free(address);
	}
}

/* Bytes that are not TLS, and an end, at every place of a handshake. */
static void serve_random(struct peer *peer, const void *context)
{
	char bytes[64];
	unsigned seed = peer->number;

	for (size_t i = 0; i < sizeof bytes; i++) {
		seed = seed * 1103515245 + 12345;
		bytes[i] = (char)(seed >> 16);
	}
	/* As a record of a handshake, as an alert, or as nothing at all. */
	if (peer->number % 3) {
		bytes[0] = peer->number % 3 == 1 ? 22 : 21;
		bytes[1] = bytes[2] = 3;
		bytes[3] = 0;
		bytes[4] = (char)(peer->number % 60);
	}
	peer_write(peer, bytes, 1 + peer->number % 64);
}

static void random_bytes_end_the_handshake(void **state)
{
	struct hostile hostile = { 0 };
	struct rl_address *address = address_of(target), *plain;

	assert_true(hostile_start(&hostile, server.folder, 100, serve_random, NULL));
	plain = address_of(hostile.address);
	/* TLS on the unix socket where it listens. */
	free(address->path);
	address->path = plain->path;
	plain->path = NULL;
	for (int i = 0; i < 300; i++) {
		struct rl_connection *connection;
		struct rl_error error;

		assert_int_equal(open_to(address, &connection, &error), RL_UNREACHABLE);
		assert_non_null(strstr(error.message, address->name));
	}
	rl_address_free(address);
	rl_address_free(plain);
	hostile_stop(&hostile);
}

/* A connection to the server's port for TLS. */
static int reach_server(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

/* All that has come from one side, or one byte of it, goes to the other. False: nothing has. */
static bool relay(int from, int to, bool all)
{
	char bytes[4096];
	ssize_t length = recv(from, bytes, all ? sizeof bytes : 1, MSG_DONTWAIT);

	return length > 0 && send(to, bytes, (size_t)length, MSG_NOSIGNAL) == length;
}

/* The whole of an exchange, of which what the server says comes byte by byte. */
static void an_exchange_comes_byte_by_byte(void **state)
{
	struct stepped stepped = { .commands = "s" };
	struct stand stand = { 0 };
	struct rl_server *relayed;
	size_t bytes = 0;
	char text[256];
	int real;

	assert_true(hostile_start_at_port(&stand.hostile, NULL, NULL));
	snprintf(text, sizeof text, "rediss://%s?%s", stand.hostile.address, strchr(target, '?') + 1);
	relayed = stepped_server(text);
	stepped_begin(&stepped, relayed);
	stepped_step(&stepped);
	stand_accept(&stand);
	real = reach_server();
	for (int idle = 0; stepped_go(&stepped);) {
		bool said = relay(stand.peer.fd, real, true), told = relay(real, stand.peer.fd, false);

		idle = said || told ? 0 : idle + 1;
		assert_true(idle < 10000);
		bytes += told;
		if (!told) {
			pause_a_moment();
		}
	}
	assert_string_equal(stepped.told, "0=1 done"); /* it did not know the script */
	assert_true(bytes > 1000);
	stepped_end(&stepped);
	rl_server_unref(relayed);
	close(real);
	stand_hang_up(&stand);
	hostile_stop(&stand.hostile);
}

int test_tls(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sent_comes_back),
		cmocka_unit_test(what_others_left_in_the_queue_is_no_error_of_ours),
		cmocka_unit_test(an_opening_can_be_given_up_at_every_step),
		cmocka_unit_test(memory_that_runs_out_is_told),
		cmocka_unit_test(random_bytes_end_the_handshake),
		cmocka_unit_test(an_exchange_comes_byte_by_byte),
	};

	/* Without OpenSSL an address cannot even be made: test_address.c sees to that. */
	return rl_tls_supported() ? cmocka_run_group_tests_name("tls", tests, start_server, stop_server)
							  : 0;
}
