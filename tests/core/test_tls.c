/*
 * TLS under the sanitizers: whole sessions, steps that are cut off, and memory that runs out. What
 * is refused and in which words is tests/faults/T9_tls.phpt's. The certificate is made by the
 * openssl command and is its own authority.
 */
#include "testing.h"
#include "faults.h"
#include "hostile.h"
#include "steps.h"
#include "throwaway.h"

#include <unistd.h>

#include "redis/handshake.h"

static const struct rl_address_defaults defaults = { 10 * RL_SECOND, 10 * RL_SECOND, false };

static struct throwaway server;
static char folder[] = "/tmp/rlock-tls.XXXXXX", certificate[64], key[64], target[256];

static int start_server(void **state)
{
	char command[512], port[16];
	const char *const arguments[] = { "--tls-port", port, "--tls-cert-file", certificate,
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
	snprintf(port, sizeof port, "%d", throwaway_free_port());
	snprintf(target, sizeof target, "rediss://127.0.0.1:%s?cafile=%s&cert=%s&key=%s", port,
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

/* An opening that is left at its Nth step leaves nothing behind. */
static void an_opening_can_be_given_up_at_every_step(void **state)
{
	struct rl_address *address = address_of(target);
	enum rl_status status = RL_NO;

	for (int steps = 0; status != RL_OK; steps++) {
		struct rl_handshake handshake;
		struct rl_error error;

		assert_true(steps < 1000);
		status = rl_handshake_begin(&handshake, address, false, address->connect_timeout, rl_now() + 10 * RL_SECOND, &error);
		for (int step = 0; step < steps && status == RL_NO; step++) {
			struct rl_polls polls;

			rl_polls_begin(&polls);
			rl_handshake_awaits(&handshake, &polls);
			assert_int_equal(polls.count, 1);
			assert_int_equal(rl_poll(polls.fds, 1, polls.until), RL_POLL_READY);
			status = rl_handshake_go_on(&handshake, &error);
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
	address->kind = RL_ADDRESS_UNIX;
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

int test_tls(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sent_comes_back),
		cmocka_unit_test(an_opening_can_be_given_up_at_every_step),
		cmocka_unit_test(memory_that_runs_out_is_told),
		cmocka_unit_test(random_bytes_end_the_handshake),
	};

	/* Without OpenSSL an address cannot even be made: test_address.c sees to that. */
	return rl_tls_supported() ? cmocka_run_group_tests_name("tls", tests, start_server, stop_server)
							  : 0;
}
