/*
 * A name with several records, of which some are dead.
 */
#include "testing.h"
#include "dead.h"
#include "faults.h"
#include "prompt.h"
#include "steps.h"
#include "throwaway.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "redis/address_syntax.h"
#include "redis/handshake.h"

/* A busy machine is slow; what these tests tell apart is further apart. */

static struct throwaway server;

/* How long it took. */
static struct prompt_time dial(
	const char *const *records, rl_time connect_timeout, enum rl_status expected)
{
	const struct rl_address_defaults defaults = {
		.connect_timeout = connect_timeout, .timeout = 5 * RL_SECOND
	};
	struct rl_address *address;
	struct rl_connection *connection;
	struct rl_error error;
	enum rl_status status;
	struct prompt_moment began;
	struct prompt_time took;
	char text[64];

	snprintf(text, sizeof text, "redis://many.example:%d", server.port);
	assert_int_equal(rl_address_parse(rl_text_of(text), &defaults, &address, &error), RL_OK);
	faults_resolve(records);
	began = prompt_now();
	status = connect_within(
		address, false, address->connect_timeout, rl_now() + 5 * RL_SECOND, &connection, &error);
	took = prompt_since(began);
	faults_resolve(NULL);
	if (status != expected) {
		fail_msg("status %d: %s", status, status == RL_OK ? "" : error.message);
	}
	if (status == RL_OK) {
		rl_connection_close(connection);
	}
	rl_address_free(address);
	return took;
}

/* L5: a host that has vanished without a word is found out while nothing is sent, too. */
static void silence_is_probed(void **state)
{
	static const int options[] = { TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT };
	const struct rl_address_defaults defaults = {
		.connect_timeout = RL_SECOND, .timeout = 5 * RL_SECOND
	};
	struct rl_connection *connection;
	struct rl_address *address;
	struct rl_error error;
	int on, values[COUNT(options)];
	socklen_t size = sizeof on;
	char text[64];

	snprintf(text, sizeof text, "redis://127.0.0.1:%d", server.port);
	assert_int_equal(rl_address_parse(rl_text_of(text), &defaults, &address, &error), RL_OK);
	assert_int_equal(connect_within(address, false, address->connect_timeout,
						 rl_now() + 5 * RL_SECOND, &connection, &error),
		RL_OK);
	assert_int_equal(
		getsockopt(connection->transport->fd, SOL_SOCKET, SO_KEEPALIVE, &on, &size), 0);
	assert_true(on);
	for (size_t i = 0; i < COUNT(options); i++) {
		assert_int_equal(
			getsockopt(connection->transport->fd, IPPROTO_TCP, options[i], &values[i], &size),
			0);
	}
	assert_in_range(values[0] + values[1] * values[2], 5, 20);
	assert_int_equal(values[3], 1000 * (values[0] + values[1] * values[2]));
	rl_connection_close(connection);
	rl_address_free(address);
}

static void a_record_that_refuses_costs_nothing(void **state)
{
	static const char *const records[] = { "127.0.0.9", "::1", "127.0.0.8", "127.0.0.1", NULL };

	expect_soon(dial(records, 2 * RL_SECOND, RL_OK), A_MOMENT);
}

static void a_dead_record_costs_its_head_start(void **state)
{
	static const char *const records[] = { "127.0.0.2", "127.0.0.1", NULL };
	struct dead dead = dead_bury("127.0.0.2", server.port);
	struct prompt_time took = dial(records, 2 * RL_SECOND, RL_OK);

	assert_true(took.took > 200 * RL_MILLISECOND);
	expect_soon(took, 250 * RL_MILLISECOND + A_MOMENT);
	dead_exhume(&dead);
}

static void many_dead_records_leave_time_for_the_last(void **state)
{
	static const char *const records[] = { "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.1",
		NULL };
	struct dead dead[] = { dead_bury("127.0.0.2", server.port),
		dead_bury("127.0.0.3", server.port), dead_bury("127.0.0.4", server.port) };

	expect_soon(dial(records, 2 * RL_SECOND, RL_OK), 2 * RL_SECOND);
	for (size_t i = 0; i < COUNT(dead); i++) {
		dead_exhume(&dead[i]);
	}
}

/* It answers late, but before the next one would. */
static void one_that_answers_late_is_taken(void **state)
{
	static const char *const records[] = { "127.0.0.1", "127.0.0.2", NULL };
	struct dead dead = dead_bury("127.0.0.2", server.port);

	expect_soon(dial(records, 2 * RL_SECOND, RL_OK), A_MOMENT);
	dead_exhume(&dead);
}

static void all_dead_is_the_deadline(void **state)
{
	static const char *const records[] = { "127.0.0.2", "127.0.0.3", NULL };
	struct dead dead[] = { dead_bury("127.0.0.2", server.port),
		dead_bury("127.0.0.3", server.port) };
	struct prompt_time took = dial(records, 400 * RL_MILLISECOND, RL_UNREACHABLE);

	assert_true(took.took >= 400 * RL_MILLISECOND);
	expect_soon(took, 400 * RL_MILLISECOND + A_MOMENT);
	dead_exhume(&dead[0]);
	dead_exhume(&dead[1]);
}

static void none_that_listens_is_told_at_once(void **state)
{
	static const char *const records[] = { "127.0.0.8", "127.0.0.9", NULL };

	expect_soon(dial(records, 2 * RL_SECOND, RL_UNREACHABLE), A_MOMENT);
}

static int start(void **state)
{
	return throwaway_start(&server, true, NULL) ? 0 : -1;
}

static int finish(void **state)
{
	throwaway_stop(&server);
	return 0;
}

int test_dial(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_is_probed),
		cmocka_unit_test(a_record_that_refuses_costs_nothing),
		cmocka_unit_test(a_dead_record_costs_its_head_start),
		cmocka_unit_test(many_dead_records_leave_time_for_the_last),
		cmocka_unit_test(one_that_answers_late_is_taken),
		cmocka_unit_test(all_dead_is_the_deadline),
		cmocka_unit_test(none_that_listens_is_told_at_once),
	};

	return cmocka_run_group_tests_name("dial", tests, start, finish);
}
