/*
 * Routes by Sentinel and into a cluster, against servers that say what they should not: the
 * real ones are in tests/sentinel and tests/cluster.
 */
#include "testing.h"
#include "faults.h"
#include "hostile.h"
#include "prompt.h"
#include "stack.h"

#include "lock/owner/owner.h"
#include "lock/single/single.h"
#include "lock/scripts.h"
#include "call/call.h"
#include "route/deployment.h"
#include "route/slot.h"

#define TIMEOUT (700 * RL_MILLISECOND)
#define LATE    (1200 * RL_MILLISECOND) /* two timeouts are more */
static const struct rl_address_defaults defaults = {
	.connect_timeout = 600 * RL_MILLISECOND, .timeout = TIMEOUT
};

static struct rl_error error;

static struct rl_route *route_in(struct rl_cache *cache, const char *text)
{
	struct rl_text texts[] = { { text, strlen(text) } };
	struct rl_deployment *deployment;
	struct rl_route *route;

	assert_int_equal(rl_deployment_read(texts, 1, &defaults, &deployment, &error), RL_OK);
	route = rl_deployment_route(deployment, cache);
	assert_non_null(route);
	return route;
}

static struct rl_route *route_to(const char *text)
{
	return route_in(NULL, text);
}

/* What one server says, by the command's first word; %d in it is the server's own port. */
struct says {
	const char *map;  /* to CLUSTER, SENTINEL */
	const char *call; /* to EVALSHA and EVAL */
	const char *wait; /* to WAIT */
	bool once;        /* the map is told once; then nothing is answered any more */
};

static void speak(struct peer *peer, const void *context)
{
	const struct says *says = context;
	char text[512];
	bool told = peer->server->connections > 1;

	while (peer_read_command(peer)) {
		const char *answer = "+OK\r\n";

		if (says->once && told) {
			continue;
		}
		told |= strcmp(peer->command, "CLUSTER") == 0;
		if (strcmp(peer->command, "CLUSTER") == 0 || strcmp(peer->command, "SENTINEL") == 0) {
			answer = says->map;
		} else if (strncmp(peer->command, "EVAL", 4) == 0) {
			answer = says->call;
		} else if (strcmp(peer->command, "WAIT") == 0) {
			answer = says->wait;
		}
		snprintf(text, sizeof text, answer, peer->server->port);
		if (!peer_say(peer, strlen(answer) < sizeof text ? text : answer)) {
			return;
		}
	}
}

static enum rl_status run_call(struct rl_route *route, struct rl_call *call)
{
	struct rl_request request;
	enum rl_status status;

	rl_request_begin(&request, route, call, rl_now() + route->timeout);
	status = rl_request_run(&request, &error);
	if (status == RL_OK) {
		assert_int_equal(request.reply->integer, 1);
	}
	rl_request_end(&request);
	return status;
}

/* RL_OK: its answer was a 1. */
static enum rl_status call(struct rl_route *route)
{
	struct rl_call call = {
		.eval = { .script = &rl_script_inspect, .keys = { { "lock@job", 8 } }, .key_count = 1 }
	};

	return run_call(route, &call);
}

/* A cluster of this one node. What a call to it came to. */
static enum rl_status call_cluster(
	const struct says *says, struct prompt_time *took, unsigned *connections)
{
	struct hostile node;
	struct rl_route *route;
	enum rl_status status;
	char text[160];
	struct prompt_moment began = prompt_now();

	assert_true(hostile_start_at_port(&node, speak, says));
	snprintf(text, sizeof text, "cluster://%s", node.address);
	route = route_to(text);
	status = call(route);
	*took = prompt_since(began);
	route->kind->free(route);
	*connections = node.connections;
	hostile_stop(&node);
	return status;
}

static void the_node_asked_is_meant_by_an_empty_host(void **state)
{
	static const struct says says[] = {
		{ .map = "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$0\r\n\r\n:%d\r\n$2\r\nid\r\n",
			.call = ":1\r\n" },
		{ .map =
				"*1\r\n*3\r\n:0\r\n:16383\r\n*4\r\n$-1\r\n:%d\r\n$2\r\nid\r\n*2\r\n$8\r\nhostname\r\n$1\r\nh\r\n",
			.call = ":1\r\n" },
		/* With more in it than the contract of any version has. */
		{ .map =
				"*1\r\n*4\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:%d\r\n*4\r\n$1\r\nr\r\n:1\r\n$1\r\ni\r\n*0\r\n",
			.call = ":1\r\n" },
	};

	for (size_t i = 0; i < COUNT(says); i++) {
		unsigned connections;
		struct prompt_time took;

		if (call_cluster(&says[i], &took, &connections) != RL_OK) {
			fail_msg("%zu: %s", i, error.message);
		}
		assert_int_equal(connections, 1);
	}
}

/* H1 */
static void a_map_that_is_none_is_refused_in_time(void **state)
{
	static const struct says says[] = {
		{ .map = "*0\r\n" },
		{ .map = "+OK\r\n" },
		{ .map = "$-1\r\n" },
		{ .map = "*1\r\n:1\r\n" },
		{ .map = "*1\r\n*2\r\n:0\r\n:1\r\n" },
		{ .map = "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1\r\n" },
		{ .map = "*1\r\n*3\r\n:-1\r\n:1\r\n*2\r\n$1\r\nh\r\n:1\r\n" },
		{ .map = "*1\r\n*3\r\n:2\r\n:1\r\n*2\r\n$1\r\nh\r\n:1\r\n" },
		{ .map = "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:65536\r\n" },
		{ .map = "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n$1\r\n1\r\n" },
		{ .map = "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\nh\r\n" },
		{ .map = "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$1\r\n?\r\n:1\r\n" },
		{ .map = "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n" },
		{ .map = "*1000000\r\n" },
		{ .map = "*2147483647\r\n" },
		{ .map = "junk" },
	};

	for (size_t i = 0; i < COUNT(says); i++) {
		unsigned connections;
		struct prompt_time took;

		if (call_cluster(&says[i], &took, &connections) != RL_UNREACHABLE) {
			fail_msg("%zu, after %lld ms: %s", i, (long long)(took.took / RL_MILLISECOND),
				error.message);
		}
		expect_soon(took, LATE);
	}
}

static void a_map_without_the_slot_is_a_cluster_that_is_down(void **state)
{
	static const struct says says = { .map = "*1\r\n*3\r\n:0\r\n:0\r\n*2\r\n$0\r\n\r\n:%d\r\n" };
	unsigned connections;
	struct prompt_time took;

	assert_int_equal(call_cluster(&says, &took, &connections), RL_REFUSED);
	assert_string_equal(error.code, "CLUSTERDOWN");
	assert_non_null(strstr(error.message, "; redis-cli --cluster check"));
	assert_true(took.took >= TIMEOUT - 100 * RL_MILLISECOND);
	expect_soon(took, LATE);
}

/* The newest map that was told explains it better than a node that is silent now. */
static void a_map_without_the_slot_still_explains_it_when_no_newer_one_comes(void **state)
{
	static const struct says says = { .map = "*1\r\n*3\r\n:0\r\n:0\r\n*2\r\n$0\r\n\r\n:%d\r\n",
		.once = true };
	unsigned connections;
	struct prompt_time took;

	assert_int_equal(call_cluster(&says, &took, &connections), RL_REFUSED);
	assert_string_equal(error.code, "CLUSTERDOWN");
	expect_soon(took, LATE);
}

/* And not that the map has no such slot. */
static void where_no_map_was_told_each_try_says_why(void **state)
{
	struct rl_route *route = route_to("cluster://127.0.0.1:1"); /* nobody is there */
	const struct rl_text key = { "job", 3 };
	struct rl_server *server;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			rl_route_locate(route, key, rl_now() + RL_SECOND, &server, &error), RL_UNREACHABLE);
	}
	route->kind->free(route);
}

/* And not that there are none. */
static void where_no_map_was_told_each_list_of_servers_says_why(void **state)
{
	struct rl_route *route = route_to("cluster://127.0.0.1:1"); /* nobody is there */
	struct rl_server_list servers = { .servers = NULL };

	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			rl_route_list(route, rl_now() + RL_SECOND, &servers, &error), RL_UNREACHABLE);
	}
	route->kind->free(route);
}

static void stay_silent(struct peer *peer, const void *context)
{
	peer_await_end(peer);
}

static void run_request(void *request)
{
	assert_int_equal(rl_request_run(request, &error), RL_INTERRUPTED);
}

static void no_step_waits_for_those_that_are_asked_where_to_go(void **state)
{
	static const char *const forms[] = { "cluster://%s", "sentinel://%s/m" };
	struct hostile server;

	assert_true(hostile_start_at_port(&server, stay_silent, NULL));
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct rl_call call = {
			.eval = { .script = &rl_script_inspect, .keys = { { "lock@job", 8 } }, .key_count = 1 }
		};
		struct prompt_moment began = prompt_now();
		struct rl_stack *stack = make_stack();
		struct rl_request request;
		struct rl_route *route;
		char text[160];

		snprintf(text, sizeof text, forms[i], server.address);
		route = route_to(text);
		rl_request_begin(&request, route, &call, rl_now() + TIMEOUT);
		rl_stack_begin(stack, run_request, &request);
		for (int step = 0; step < 5; step++) {
			rl_stack_resume(stack);
			assert_false(stack->is_over);
			assert_false(request.has_exchange);
			assert_int_equal(stack->polls->count, 1);
			assert_true(stack->polls->until < RL_FOREVER);
		}
		expect_soon(prompt_since(began), TIMEOUT / 4);
		drop_stack(stack);
		assert_int_equal(rl_request_run(&request, &error), RL_UNREACHABLE);
		rl_request_end(&request);
		route->kind->free(route);
	}
	hostile_stop(&server);
}

struct search {
	struct rl_route *route;
	rl_time deadline;
	struct rl_server *server;
};

static void run_search(void *context)
{
	struct search *search = context;

	assert_int_equal(rl_route_locate(search->route, (struct rl_text){ "job", 3 }, search->deadline,
						 &search->server, &error),
		RL_OK);
}

/* One asks a server that is silent, and another one meanwhile is luckier. */
static void what_one_call_finds_out_all_know(void **state)
{
	static const struct says names = { .map = "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n%05d\r\n" };
	static const struct says has_all = {
		.map = "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:%d\r\n"
	};
	static const struct {
		const char *form;
		const struct says *says;
	} kinds[] = { { "cluster://%s,%s", &has_all }, { "sentinel://%s,%s/m", &names } };

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct search first = { .deadline = rl_now() + 10 * TIMEOUT }, second = first;
		struct rl_stack *stack = make_stack();
		struct hostile silent, other;
		char text[160];

		assert_true(hostile_start_at_port(&silent, stay_silent, NULL));
		assert_true(hostile_start_at_port(&other, speak, kinds[i].says));
		snprintf(text, sizeof text, kinds[i].form, silent.address, other.address);
		first.route = second.route = route_to(text);
		rl_stack_begin(stack, run_search, &first);
		rl_stack_resume(stack);
		assert_false(stack->is_over);
		run_search(&second);
		rl_stack_resume(stack);
		assert_true(stack->is_over);
		assert_ptr_equal(first.server, second.server);
		rl_stack_free(stack);
		first.route->kind->free(first.route);
		hostile_stop(&silent);
		hostile_stop(&other);
	}
}

static void a_short_wait_that_is_refused_says_so(void **state)
{
	static const struct says says = { .map = "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:%d\r\n",
		.call = "-BUSY Redis is busy\r\n" };
	struct rl_acquire request = {
		.key = NAME("job"), .lease_ms = 60000, .wait = 10 * RL_MILLISECOND, .policy = RL_POLICY_WAIT
	};
	struct hostile node;
	struct rl_owner *owner;
	char text[160];

	assert_true(hostile_start_at_port(&node, speak, &says));
	snprintf(text, sizeof text, "cluster://%s", node.address);
	owner = rl_owner_new(route_to(text), NAME("lock@"), (struct rl_wait_hook){ .run = NULL }, NULL);
	assert_non_null(owner);
	assert_int_equal(rl_owner_acquire(owner, &request, &error), RL_REFUSED);
	assert_string_equal(error.code, "BUSY");
	rl_owner_free(owner);
	hostile_stop(&node);
}

/* As where cluster-require-full-coverage is off. */
static void a_slot_without_a_node_keeps_nothing_else_of_a_batch(void **state)
{
	static const struct says says = { .map = "*1\r\n*3\r\n:0\r\n:8191\r\n*2\r\n$0\r\n\r\n:%d\r\n",
		.call = ":1\r\n" };
	static const char *const names[] = { "{a}", "{b}", "{c}", "{d}", "{e}", "{f}" };
	struct rl_lease *leases[COUNT(names)];
	struct rl_step steps[COUNT(names)];
	struct rl_batch_item items[COUNT(names)];
	struct rl_batch batch = {
		.items = items, .count = COUNT(names), .deadline = rl_now() + RL_SECOND, .error = &error
	};
	struct hostile node;
	char text[160];

	assert_true(hostile_start_at_port(&node, speak, &says));
	snprintf(text, sizeof text, "cluster://%s", node.address);
	batch.route = route_to(text);
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_int_equal(
			rl_lease_new(&(struct rl_lease_terms){ .name = NAME(names[i]) }, &leases[i], &error),
			RL_OK);
		steps[i] = (struct rl_step){
			RL_STEP_EXTEND, .lease = leases[i], .lease_ms = 60000, .how = RL_EXTEND_ANEW
		};
		items[i] = (struct rl_batch_item){ .step = &steps[i] };
	}
	rl_single_run(&batch);
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_int_equal(items[i].answered, rl_slot((struct rl_text){ names[i], 3 }) < 8192);
		rl_lease_free(leases[i]);
	}
	batch.route->kind->free(batch.route);
	hostile_stop(&node);
}

/* T1 */
static void who_sends_everybody_to_itself_is_left_in_time(void **state)
{
	static const char map[] = "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:%d\r\n";
	static const struct says says[] = {
		{ .map = map, .call = "-MOVED 1 127.0.0.1:%d\r\n" },
		{ .map = map, .call = "-MOVED 1 :%d\r\n" },
		{ .map = map, .call = "-ASK 1 127.0.0.1:%d\r\n" },
	};

	for (size_t i = 0; i < COUNT(says); i++) {
		unsigned connections;
		struct prompt_time took;

		assert_int_equal(call_cluster(&says[i], &took, &connections), RL_REFUSED);
		assert_string_equal(error.code, i < 2 ? "MOVED" : "ASK");
		assert_non_null(strstr(error.message, "; the nodes do not agree"));
		assert_true(took.took >= TIMEOUT - 100 * RL_MILLISECOND);
		expect_soon(took, LATE);
		assert_int_equal(connections, 1);
	}
}

/* Answers up to the word that it is told, and then is silent. */
static void fall_silent(struct peer *peer, const void *word)
{
	while (
		peer_read_command(peer) && strcmp(peer->command, word) != 0 && peer_say(peer, "+OK\r\n")) {
	}
	peer_await_end(peer);
}

/* T1 */
static void who_is_silent_is_blamed_not_who_named_it(void **state)
{
	static const char *const refusals[] = { "-MOVED 1 127.0.0.1:%d\r\n",
		"-ASK 1 127.0.0.1:%d\r\n" };
	static const char *const silent_at[] = { "EVALSHA", "CLIENT" };

	for (size_t i = 0; i < COUNT(refusals) * COUNT(silent_at); i++) {
		char refusal[64], text[160];
		struct says says = { .map = "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:%d\r\n",
			.call = refusal };
		struct hostile node, silent;
		struct rl_route *route;

		assert_true(hostile_start_at_port(&silent, fall_silent, silent_at[i / 2]));
		snprintf(refusal, sizeof refusal, refusals[i % 2], silent.port);
		assert_true(hostile_start_at_port(&node, speak, &says));
		snprintf(text, sizeof text, "cluster://%s", node.address);
		route = route_to(text);
		assert_int_equal(call(route), RL_UNREACHABLE);
		assert_non_null(strstr(error.message, silent.address));
		assert_non_null(strstr(error.message, "no answer within the timeout"));
		route->kind->free(route);
		hostile_stop(&node);
		hostile_stop(&silent);
	}
}

static void a_place_that_cannot_be_read_is_not_gone_to(void **state)
{
	static const char map[] = "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:%d\r\n";
	static const char *const refusals[] = { "-MOVED\r\n", "-MOVED 1\r\n", "-MOVED 1 \r\n",
		"-MOVED 1 h\r\n", "-MOVED 1 h:\r\n", "-MOVED 1 h:0\r\n", "-MOVED 1 h:99999\r\n",
		"-MOVED 1 ?:1\r\n", "-ASK 1 ?:1\r\n", "-ASK\r\n" };

	for (size_t i = 0; i < COUNT(refusals); i++) {
		struct says says = { .map = map, .call = refusals[i] };
		unsigned connections;
		struct prompt_time took;

		assert_int_equal(call_cluster(&says, &took, &connections), RL_REFUSED);
		expect_soon(took, LATE);
	}
}

/* T5 */
static void what_a_sentinel_should_not_say_is_refused_in_time(void **state)
{
	static const char *const told[] = { "does not know a master",
		"is not one that a sentinel gives", "Cannot connect" };
	static const struct says says[] = {
		{ .map = "*-1\r\n" },
		{ .map = "*0\r\n" },
		{ .map = "+OK\r\n" },
		{ .map = "*2\r\n$1\r\nh\r\n:1\r\n" },
		{ .map = "*2\r\n$0\r\n\r\n$1\r\n1\r\n" },
		{ .map = "*2\r\n$1\r\nh\r\n$1\r\nx\r\n" },
		{ .map = "*2\r\n$1\r\nh\r\n$1\r\n0\r\n" },
		{ .map = "*2\r\n$1\r\nh\r\n$5\r\n99999\r\n" },
		{ .map = "*3\r\n$1\r\nh\r\n$1\r\n1\r\n$1\r\n1\r\n" },
		{ .map = "*2\r\n$9\r\n127.0.0.1\r\n$1\r\n1\r\n" }, /* nobody is there */
	};

	for (size_t i = 0; i < COUNT(says); i++) {
		struct hostile sentinel;
		struct rl_route *route;
		struct prompt_moment began = prompt_now();
		char text[160];

		assert_true(hostile_start_at_port(&sentinel, speak, &says[i]));
		snprintf(text, sizeof text, "sentinel://%s/m", sentinel.address);
		route = route_to(text);
		assert_int_equal(call(route), RL_UNREACHABLE);
		assert_non_null(strstr(error.message, told[(i > 0) + (i == COUNT(says) - 1)]));
		expect_soon(prompt_since(began), LATE);
		route->kind->free(route);
		hostile_stop(&sentinel);
	}
}

/* S6: what helps with a single server is of no use there. */
static void a_replica_that_sentinels_name_is_told(void **state)
{
	static const struct says replica = {
		.call = "-READONLY You can't write against a read only replica.\r\n"
	};
	struct hostile server, sentinel;
	struct says names = { .map = NULL };
	struct rl_route *route;
	char map[64], text[160];

	assert_true(hostile_start_at_port(&server, speak, &replica));
	names.map = map;
	snprintf(map, sizeof map, "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n%05d\r\n", server.port);
	assert_true(hostile_start_at_port(&sentinel, speak, &names));
	snprintf(text, sizeof text, "sentinel://%s/m", sentinel.address);
	route = route_to(text);
	assert_int_equal(call(route), RL_REFUSED);
	assert_string_equal(error.code, "READONLY");
	assert_non_null(strstr(
		error.message, "replica; it is a replica, and Sentinel has not named another master"));
	route->kind->free(route);
	hostile_stop(&sentinel);
	hostile_stop(&server);
}

/* T4: its replicas follow another master most likely. */
static void a_master_without_replicas_is_doubted(void **state)
{
	static const struct says former = { .call = ":1\r\n", .wait = ":0\r\n" },
							 present = { .call = ":1\r\n", .wait = ":1\r\n" };
	struct hostile masters[2], sentinel;
	struct says names = { .map = NULL };
	char map[64], text[160];
	struct rl_route *route;

	assert_true(hostile_start_at_port(&masters[0], speak, &former));
	assert_true(hostile_start_at_port(&masters[1], speak, &present));
	names.map = map;
	snprintf(map, sizeof map, "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n%05d\r\n", masters[0].port);
	assert_true(hostile_start_at_port(&sentinel, speak, &names));
	snprintf(text, sizeof text, "sentinel://%s/m", sentinel.address);
	route = route_to(text);
	route->replicas = 1;
	for (int i = 0; i < 2; i++) {
		struct rl_call call = {
			.eval = { .script = &rl_script_inspect, .keys = { { "lock@job", 8 } }, .key_count = 1 },
			.replicated_up_to = 1
		};

		assert_int_equal(run_call(route, &call), i == 0 ? RL_REFUSED : RL_OK);
		assert_int_equal(call.too_few, i == 0);
		snprintf(map, sizeof map, "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n%05d\r\n", masters[1].port);
	}
	route->kind->free(route);
	hostile_stop(&sentinel);
	hostile_stop(&masters[0]);
	hostile_stop(&masters[1]);
}

static void memory_that_runs_out_is_told(void **state)
{
	static const char *const texts[] = { "cluster://127.0.0.1:1,127.0.0.1:2",
		"sentinel://127.0.0.1:1/m" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct rl_text text[] = { { texts[i], strlen(texts[i]) } };
		struct rl_route *route = NULL, *other = NULL;

		for (long count = 0; !other; count++) {
			struct rl_deployment *deployment;

			faults_memory(count);
			if (rl_deployment_read(text, 1, &defaults, &deployment, &error) == RL_OK) {
				route = rl_deployment_route(deployment, NULL);
				other = route ? route->kind->duplicate(route) : NULL;
			}
			assert_int_equal(other == NULL, faults_memory_struck());
			faults_memory(-1);
			if (route) {
				route->kind->free(route);
				route = NULL;
			}
			assert_in_range(count, 0, 200);
		}
		other->kind->free(other);
	}
}

/* Nobody is there. */
static void memory_that_runs_out_while_servers_are_asked_is_told(void **state)
{
	static const char *const texts[] = { "cluster://127.0.0.1:1,127.0.0.1:2",
		"sentinel://127.0.0.1:1,127.0.0.1:2/m" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		bool struck = true;

		for (long count = 0; struck; count++) {
			struct rl_route *route = route_to(texts[i]);
			struct rl_server *server;
			enum rl_status status;

			faults_memory(count);
			status = rl_route_locate(
				route, (struct rl_text){ "job", 3 }, rl_now() + TIMEOUT, &server, &error);
			struck = faults_memory_struck();
			faults_memory(-1);
			assert_int_equal(status, struck ? RL_NO_MEMORY : RL_UNREACHABLE);
			route->kind->free(route);
			assert_in_range(count, 0, 200);
		}
	}
}

/* The map and the connections, though each has its own timeouts. */
static void routes_share_what_outlasts_them(void **state)
{
	static const struct says says = {
		.map = "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$0\r\n\r\n:%d\r\n$2\r\nid\r\n", .call = ":1\r\n"
	};
	struct rl_cache cache = { .first = NULL };
	struct rl_route *routes[3], *copy;
	struct hostile node;

	assert_true(hostile_start_at_port(&node, speak, &says));
	for (int i = 0; i < 3; i++) {
		char text[200];

		snprintf(text, sizeof text, "cluster://%s?persistent=1&timeout=%d&connect_timeout=%d",
			node.address, 5 + i, 9 - i);
		routes[i] = route_in(&cache, text);
		assert_int_equal(call(routes[i]), RL_OK);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(routes[i]->timeout, (5 + i) * RL_SECOND);
		assert_int_equal(routes[i]->connect_timeout, (9 - i) * RL_SECOND);
		copy = rl_route_duplicate(routes[i]);
		assert_int_equal(copy->timeout, routes[i]->timeout);
		assert_int_equal(copy->connect_timeout, routes[i]->connect_timeout);
		copy->kind->free(copy);
		routes[i]->kind->free(routes[i]);
	}
	assert_int_equal(node.connections, 1);
	assert_int_equal(cache.idle.count, 1);
	rl_cache_clear(&cache);
	assert_int_equal(cache.idle.count, 0);
	hostile_stop(&node);
}

int test_cluster(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_node_asked_is_meant_by_an_empty_host),
		cmocka_unit_test(routes_share_what_outlasts_them),
		cmocka_unit_test(a_map_that_is_none_is_refused_in_time),
		cmocka_unit_test(a_map_without_the_slot_is_a_cluster_that_is_down),
		cmocka_unit_test(a_map_without_the_slot_still_explains_it_when_no_newer_one_comes),
		cmocka_unit_test(where_no_map_was_told_each_try_says_why),
		cmocka_unit_test(where_no_map_was_told_each_list_of_servers_says_why),
		cmocka_unit_test(no_step_waits_for_those_that_are_asked_where_to_go),
		cmocka_unit_test(what_one_call_finds_out_all_know),
		cmocka_unit_test(memory_that_runs_out_while_servers_are_asked_is_told),
		cmocka_unit_test(a_short_wait_that_is_refused_says_so),
		cmocka_unit_test(a_slot_without_a_node_keeps_nothing_else_of_a_batch),
		cmocka_unit_test(who_sends_everybody_to_itself_is_left_in_time),
		cmocka_unit_test(who_is_silent_is_blamed_not_who_named_it),
		cmocka_unit_test(a_place_that_cannot_be_read_is_not_gone_to),
		cmocka_unit_test(what_a_sentinel_should_not_say_is_refused_in_time),
		cmocka_unit_test(a_replica_that_sentinels_name_is_told),
		cmocka_unit_test(a_master_without_replicas_is_doubted),
		cmocka_unit_test(memory_that_runs_out_is_told),
	};

	return cmocka_run_group_tests_name("cluster", tests, NULL, NULL);
}
