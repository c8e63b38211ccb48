/*
 * Memory that runs out: every call of an owner, with the first allocation failing, then the
 * second, and so on until none was left to fail. Nothing may crash or leak, what is said must be
 * so, and no lock may be left behind once the owner has been in contact with the server again.
 */
#include "owner_rig.h"

#include "stack.h"
#include "redis/address_syntax.h"
#include "route/direct.h"

#define MANY 130 /* more than one batch of releases */

static struct rl_owner *owner, *holder;
static struct rl_token token;

static bool release_in_hook(void *context)
{
	int *runs = context;

	if ((*runs)++ == 0) {
		faults_memory_pause(true);
		await_parked(1);
		assert_status(disown(holder, "job"), RL_OK);
		faults_memory_pause(false);
	}
	return true;
}
static int runs;

/* ---------------------------------------------------------------- the calls */

static void hold_nothing(void)
{
}

static void hold_job(void)
{
	assert_status(own(owner, "job", LEASE), RL_OK);
}

static void hold_twice(void)
{
	hold_job();
	hold_job();
}

static void hold_late(void)
{
	hold_job();
	expire_here(owner, "job");
	expire_on_server("job");
}

static void hold_gone(void)
{
	hold_job();
	run("DEL lock@job");
}

static void hold_many(void)
{
	char key[16];

	for (int i = 0; i < MANY; i++) {
		snprintf(key, sizeof key, "job%d", i);
		assert_status(own(owner, key, LEASE), RL_OK);
	}
	hold_job();
}

static void other_holds(void)
{
	assert_status(own(holder, "job", LEASE), RL_OK);
}

static void other_has_handed_over(void)
{
	other_holds();
	assert_status(hand_over(holder, "job", 0, &token), RL_OK);
}

static enum rl_status call_acquire(void)
{
	return own_with(
		owner, "job", &(struct rl_acquire){ .lease_ms = LEASE, .metadata = NAME("mine") });
}

static enum rl_status call_wait(void)
{
	runs = 0;
	return own_waiting(owner, "job", LEASE, 10 * RL_SECOND);
}

/* In steps. The holder gives it back when we are parked. */
static enum rl_status call_request(void)
{
	struct rl_acquire terms = { .key = NAME("job"),
		.metadata = NAME("mine"),
		.lease_ms = LEASE,
		.wait = 10 * RL_SECOND,
		.policy = RL_POLICY_WAIT };
	struct rl_pending *pending;
	enum rl_status status = rl_pending_begin(owner, &terms, make_stack(), &pending, &said);

	if (status != RL_OK) {
		return status;
	}
	while (!rl_pending_go_on(pending, &status, &said)) {
		struct rl_pollfd polled = { .fd = rl_pending_fd(pending), .want_read = true };

		rl_poll(&polled, 1, rl_now() + 5 * RL_MILLISECOND);
		faults_memory_pause(true);
		if (parked_clients() == 1) {
			disown_all(holder);
		}
		faults_memory_pause(false);
	}
	rl_pending_end(pending);
	return status;
}

static enum rl_status call_release(void)
{
	return disown(owner, "job");
}

static enum rl_status call_release_unconfirmed(void)
{
	return disown_unconfirmed(owner, "job");
}

static enum rl_status call_prolongate(void)
{
	return prolong(owner, "job", 2 * LEASE);
}

static enum rl_status call_look(void)
{
	return look(owner, "job");
}

static enum rl_status call_check(void)
{
	return check_lock(owner, "job");
}

static enum rl_status call_holder(void)
{
	struct rl_holder seen;
	enum rl_status status = rl_owner_holder(owner, NAME("job"), &seen, &said);

	if (status == RL_OK) {
		rl_owner_holder_clear(&seen);
	}
	return status;
}

static enum rl_status call_hand_over(void)
{
	return hand_over(owner, "job", 0, &token);
}

static enum rl_status call_adopt(void)
{
	return adopt(owner, "job", &token, 0);
}

static enum rl_status call_break(void)
{
	return break_it(owner, "job");
}

static enum rl_status call_release_all(void)
{
	struct rl_release_summary summary = disown_all(owner);

	if (summary.failed) {
		said = summary.first_failure;
		return summary.failure;
	}
	return summary.released == MANY + 1 ? RL_OK : RL_LOST;
}

static struct rl_acquire_key several[] = { { .name = { "job", 3 } }, { .name = { "job0", 4 } },
	{ .name = { "job129", 6 } } };

static void other_holds_the_last(void)
{
	assert_status(own(holder, "job129", LEASE), RL_OK);
}

static enum rl_status call_acquire_all(void)
{
	struct rl_acquire_all request = { .keys = several, .count = COUNT(several), .lease_ms = LEASE };
	enum rl_status status = rl_owner_acquire_all(owner, &request, &said);

	assert_int_equal(rl_owner_held(owner), status == RL_OK ? COUNT(several) : 0);
	if (status == RL_OK) {
		faults_memory_pause(true);
		disown(owner, "job0");
		disown(owner, "job129");
		faults_memory_pause(false);
	}
	return status;
}

static const struct scene {
	const char *name;
	void (*prepare)(void);
	enum rl_status (*call)(void);
	enum rl_status expected; /* where all goes well */
	bool ours, taken;        /* then: whether we hold it, whether the server has it */
} scenes[] = {
	{ "acquire", hold_nothing, call_acquire, RL_OK, true, true },
	{ "acquire a taken one", other_holds, call_acquire, RL_NO, false, true },
	{ "enter again", hold_job, call_acquire, RL_OK, true, true },
	{ "enter what is late", hold_late, call_acquire, RL_TIMED_OUT, false, false },
	{ "wait", other_holds, call_wait, RL_OK, true, true },
	{ "acquire all", hold_nothing, call_acquire_all, RL_OK, true, true },
	{ "acquire all, one taken", other_holds_the_last, call_acquire_all, RL_NO, false, false },
	{ "release", hold_job, call_release, RL_OK, false, false },
	{ "release a level", hold_twice, call_release, RL_OK, true, true },
	{ "release late", hold_late, call_release, RL_TIMED_OUT, false, false },
	{ "release what is gone", hold_gone, call_release, RL_LOST, false, false },
	{ "release unconfirmed", hold_job, call_release_unconfirmed, RL_OK, false, false },
	{ "prolongate", hold_job, call_prolongate, RL_OK, true, true },
	{ "prolongate late", hold_late, call_prolongate, RL_TIMED_OUT, true, true },
	{ "prolongate what is gone", hold_gone, call_prolongate, RL_LOST, false, false },
	{ "request", hold_nothing, call_request, RL_OK, true, true },
	{ "request, and wait", other_holds, call_request, RL_OK, true, true },
	{ "request what is held", hold_job, call_request, RL_OK, true, true },
	{ "is locking", hold_job, call_look, RL_OK, true, true },
	{ "check", hold_job, call_check, RL_OK, true, true },
	{ "check late", hold_late, call_check, RL_TIMED_OUT, false, false },
	{ "holder", other_holds, call_holder, RL_OK, false, true },
	{ "hand over", hold_job, call_hand_over, RL_OK, false, true },
	{ "adopt", other_has_handed_over, call_adopt, RL_OK, true, true },
	{ "adopt a gone one", hold_nothing, call_adopt, RL_NO, false, false },
	{ "break", other_holds, call_break, RL_OK, false, false },
	{ "release all", hold_many, call_release_all, RL_OK, false, false },
};

static void set_up(const struct scene *scene)
{
	clock_reset();
	run("FLUSHALL");
	owner = new_hooked(release_in_hook, &runs);
	holder = new_owner();
	scene->prepare();
	if (!token.text) {
		/* Somebody's who has it no more. */
		static const char gone[] = "rlock1:h:1:0123456789abcdef0123456789abcdef";

		token = (struct rl_token){ .text = strdup(gone), .length = sizeof gone - 1 };
		assert_non_null(token.text);
	}
	if (scene->call == call_hand_over) {
		rl_token_free(&token);
	}
}

static void tear_down(void)
{
	rl_token_free(&token);
	end_owner(owner);
	end_owner(holder);
}

/* False: this many allocations were not made, and all went well. */
static bool play_with_failure(const struct scene *scene, long nth, bool fresh)
{
	bool struck;
	enum rl_status status;

	set_up(scene);
	if (fresh) {
		run("CLIENT KILL TYPE normal SKIPME yes"); /* so that connecting has its turn, too */
	}
	faults_memory(nth);
	status = scene->call();
	struck = faults_memory_struck();
	faults_memory(-1);

	if (status != scene->expected) {
		bool excused = status == RL_NO_MEMORY || status == RL_UNREACHABLE
			|| (scene->call == call_check && status == RL_LOST); /* it could not ask */

		if (!struck || !excused) {
			fail_msg(
				"%s, allocation %ld: status %d: %s", scene->name, nth, (int)status, said.message);
		}
		assert_true(said.message[0] != '\0');
	} else {
		assert_int_equal(holds(owner, "job"), scene->ours);
	}
	if (holds(owner, "job")) {
		assert_int_equal(rl_owner_held(owner), 1);
		clock_reset();
		status = disown(owner, "job");
		assert_true(status == RL_OK || status == RL_TIMED_OUT || status == RL_LOST
			|| (scene->call == call_acquire && status == RL_NO));
		while (holds(owner, "job")) {
			disown(owner, "job");
		}
	} else {
		assert_status(own(owner, "another", LEASE), RL_OK); /* the next contact */
		if (token.text && scene->call == call_hand_over) {
			assert_status(adopt(holder, "job", &token, 0), RL_OK);
		}
	}
	disown_all(holder);
	if (scene->call == call_adopt && scene->expected == RL_OK && is_taken("job")) {
		assert_status(adopt(holder, "job", &token, 0), RL_OK); /* it was not done */
		disown_all(holder);
	}
	await_free("job");
	if (scene->prepare == hold_many || scene->call == call_acquire_all) {
		await_free("job0");
		await_free("job129");
	}
	tear_down();
	return struck;
}

static void no_failure_does_harm(void **state)
{
	for (size_t i = 0; i < COUNT(scenes); i++) {
		for (int fresh = 0; fresh < 2; fresh++) {
			long nth = 0;

			while (play_with_failure(&scenes[i], nth, fresh)) {
				nth++;
				assert_true(nth < 1000);
			}
			print_message(
				"             %s%s: %ld\n", scenes[i].name, fresh ? ", connecting" : "", nth);
		}
	}
}

/* ---------------------------------------------------------------- detached locks */

/* What the owner and the holder each know of the name "me". */
static struct rl_detached names[2];

static struct rl_detached *name_of(const struct rl_owner *with)
{
	return &names[with == holder];
}

static enum rl_status detached_acquire(struct rl_owner *with)
{
	struct rl_acquire terms = {
		.detached = name_of(with), .lease_ms = LEASE, .metadata = NAME("mine")
	};

	return own_with(with, "job", &terms);
}

static enum rl_status detached_prolongate(struct rl_owner *with)
{
	return rl_owner_detached_prolongate(with, name_of(with), LEASE, &said);
}

static enum rl_status detached_release(struct rl_owner *with)
{
	return rl_owner_detached_release(with, name_of(with), 0, &said);
}

/* False: this many allocations were not made. `who`: nobody, the caller or another owner has it. */
static bool detached_with_failure(enum rl_status (*call)(struct rl_owner *with), int who, long nth)
{
	enum rl_status status;
	bool struck;

	owner = new_owner();
	holder = new_owner();
	names[0] = names[1] = (struct rl_detached){ .key = NAME("job"), .name = NAME("me") };
	if (who > 0) {
		assert_status(detached_acquire(who == 1 ? owner : holder), RL_OK);
	}
	faults_memory(nth);
	status = call(owner);
	struck = faults_memory_struck();
	faults_memory(-1);
	if (status != RL_OK) {
		assert_true(struck && (status == RL_NO_MEMORY || status == RL_UNREACHABLE));
	}
	if (call != detached_release && status == RL_OK) {
		assert_status(detached_release(holder), RL_OK);
	} else {
		disown_all(owner); /* a contact */
		detached_release(holder);
	}
	await_free("job");
	rl_owner_detached_forget(&names[0]);
	rl_owner_detached_forget(&names[1]);
	end_owner(owner);
	end_owner(holder);
	return struck;
}

static void nor_to_a_detached_lock(void **state)
{
	static enum rl_status (*const calls[])(
		struct rl_owner * with) = { detached_acquire, detached_prolongate, detached_release };

	for (size_t i = 0; i < COUNT(calls); i++) {
		for (int who = i > 0; who < 3; who++) {
			long nth = 0;

			while (detached_with_failure(calls[i], who, nth)) {
				nth++;
				assert_true(nth < 1000);
			}
		}
	}
}

/* From the address to the owner. */
static void without_memory_there_is_no_owner(void **state)
{
	static const struct rl_address_defaults defaults = {
		.connect_timeout = RL_SECOND, .timeout = RL_SECOND
	};
	static const char text[] = "redis://user:pass@localhost:1234/5?timeout=2";
	struct rl_cache cache = { .first = NULL };
	struct rl_owner *made = NULL;

	for (long nth = 0; !made; nth++) {
		struct rl_address *address;
		struct rl_server *server = NULL;
		struct rl_route *route = NULL;

		assert_true(nth < 100);
		faults_memory(nth);
		if (rl_address_parse(rl_text_of(text), &defaults, &address, &said) == RL_OK) {
			server = nth % 2 ? rl_server_new(address) : rl_server_cached(&cache, address);
		}
		if (server) {
			route = rl_direct_route(server, RL_SECOND, RL_SECOND);
		}
		if (route) {
			made = rl_owner_new(route, NAME("lock@"), (struct rl_wait_hook){ .run = NULL }, NULL);
		}
		assert_int_equal(made != NULL, !faults_memory_struck());
		faults_memory(-1);
	}
	rl_owner_free(made);
	rl_cache_clear(&cache);
}

static int clean(void **state)
{
	faults_memory_pause(false);
	faults_memory(-1);
	rl_token_free(&token);
	return owners_clean(state);
}

int test_memory(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_failure_does_harm, owners_reset, clean),
		cmocka_unit_test_setup_teardown(nor_to_a_detached_lock, owners_reset, clean),
		cmocka_unit_test_setup_teardown(without_memory_there_is_no_owner, owners_reset, clean),
	};

	return cmocka_run_group_tests_name("memory", tests, rig_start, rig_stop);
}
