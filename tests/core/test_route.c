/*
 * Routes to one server: what all routes promise to those who use them from another thread.
 */
#include "faults.h"
#include "server_rig.h"
#include "steps.h"

#include "redis/address_syntax.h"
#include "route/direct.h"
#include "call/call.h"

static const struct rl_address_defaults defaults = {
	.connect_timeout = 5 * RL_SECOND, .timeout = 5 * RL_SECOND
};

static struct rl_route *route_to(const char *text)
{
	struct rl_address *address;
	struct rl_error error;
	struct rl_route *route;

	assert_int_equal(rl_address_parse(rl_text_of(text), &defaults, &address, &error), RL_OK);
	route = rl_direct_route(rl_server_new(address), 5 * RL_SECOND, 5 * RL_SECOND);
	assert_non_null(route);
	return route;
}

static void a_duplicate_leads_to_the_same_server_by_itself(void **state)
{
	struct rl_route *route = route_to(rig.server.address), *other = route->kind->duplicate(route);
	struct rl_text key = { "lock@job", 8 };
	struct rl_server *server, *others;
	struct rl_connection *connection;
	struct rl_error error;

	assert_non_null(other);
	assert_string_equal(other->identity, route->identity);
	assert_int_equal(other->timeout, route->timeout);
	assert_int_equal(rl_route_locate(route, key, rl_now() + RL_SECOND, &server, &error), RL_OK);
	assert_int_equal(rl_route_locate(other, key, rl_now() + RL_SECOND, &others, &error), RL_OK);
	assert_ptr_not_equal(server, others);
	route->kind->free(route);
	connection = lend_for(other, "lock@job", &others);
	assert_string_equal(connection->address->path, rig.server.socket);
	rl_server_return(others, connection);
	other->kind->free(other);
}

static void routes_to_elsewhere_have_another_identity(void **state)
{
	struct rl_route *route = route_to("redis://localhost:1"),
					*other = route_to("redis://localhost:2"),
					*same = route_to("redis://localhost:1");

	assert_string_not_equal(route->identity, other->identity);
	assert_string_equal(route->identity, same->identity);
	route->kind->free(route);
	other->kind->free(other);
	same->kind->free(same);
}

static void without_memory_there_is_no_duplicate(void **state)
{
	struct rl_route *route = route_to("redis://user:pass@localhost:1/5"), *other = NULL;

	for (long nth = 0; !other; nth++) {
		assert_true(nth < 20);
		faults_memory(nth);
		other = route->kind->duplicate(route);
		assert_int_equal(other != NULL, !faults_memory_struck());
		faults_memory(-1);
	}
	other->kind->free(other);
	route->kind->free(route);
}

int test_route(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_duplicate_leads_to_the_same_server_by_itself),
		cmocka_unit_test(routes_to_elsewhere_have_another_identity),
		cmocka_unit_test(without_memory_there_is_no_duplicate),
	};

	return cmocka_run_group_tests_name("route", tests, rig_start, rig_stop);
}
