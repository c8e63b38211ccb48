/*
 * A crowd of owners that share one lock in all ways at once: shares with and without limits,
 * exclusive locks, changes of kind, short waits, delays, and owners that stop giving back. A table
 * of who is inside, kept beside the locks, tells whether two were inside that must not be.
 */
#include "owner_rig.h"

#include <pthread.h>
#include <stdatomic.h>

#define CROWD  8
#define LIMIT  2
#define ROUNDS 150

static atomic_int exclusive, shared, limited, broken, granted[2], waited_long;

static void enter(bool is_shared, bool has_limit)
{
	if (is_shared) {
		broken += ++shared > CROWD;
		broken += has_limit && ++limited > LIMIT;
		broken += exclusive > 0;
	} else {
		broken += ++exclusive > 1;
		broken += shared > 0;
	}
}

static void go(bool is_shared, bool has_limit)
{
	if (is_shared) {
		broken += exclusive > 0;
		limited -= has_limit;
		shared--;
	} else {
		broken += shared > 0;
		exclusive--;
	}
}

struct member {
	pthread_t thread;
	struct rl_owner *owner;
	unsigned random;
	char failure[RL_ERROR_MESSAGE_SIZE + 32];
};

static unsigned draw(struct member *member, unsigned below)
{
	member->random = member->random * 1103515245 + 12345;
	return (member->random >> 16) % below;
}

static void linger(struct member *member)
{
	if (draw(member, 3) == 0) {
		nanosleep(&(struct timespec){ .tv_nsec = (long)draw(member, 3000000) }, NULL);
	}
}

static bool expect(
	struct member *member, const char *what, enum rl_status status, const struct rl_error *error)
{
	if (status != RL_OK && !member->failure[0]) {
		snprintf(
			member->failure, sizeof member->failure, "%s: %d %s", what, status, error->message);
	}
	return status == RL_OK;
}

/* Always in this order: out of the table before the lock lets anybody in, and into it after. */
static void *live(void *context)
{
	struct member *member = context;
	struct rl_error error;

	for (int round = 0; round < ROUNDS && !member->failure[0]; round++) {
		unsigned kind = draw(member, 4);
		bool is_shared = kind != 0, has_limit = kind == 1;
		struct rl_acquire terms = { .key = NAME("job"),
			.is_shared = is_shared,
			.limit = has_limit ? LIMIT : 0,
			.lease_ms = LEASE,
			.wait = draw(member, 5) ? 60 * RL_SECOND : (rl_time)draw(member, 20) * RL_MILLISECOND,
			.policy = RL_POLICY_WAIT };
		rl_time began = clock_real();
		enum rl_status status = rl_owner_acquire(member->owner, &terms, &error);

		waited_long += clock_real() - began > 900 * RL_MILLISECOND;
		if (status == RL_NO) {
			continue;
		}
		if (!expect(member, "acquire", status, &error)) {
			break;
		}
		enter(is_shared, has_limit);
		granted[is_shared]++;
		linger(member);
		if (!is_shared && draw(member, 3) == 0) {
			go(false, false);
			expect(member, "downgrade", rl_owner_downgrade(member->owner, NAME("job"), &error),
				&error);
			is_shared = true;
			enter(true, false);
			linger(member);
		} else if (is_shared && draw(member, 3) == 0) {
			terms.is_shared = false;
			status = rl_owner_acquire(member->owner, &terms, &error);
			if (status == RL_OK) {
				go(true, has_limit);
				is_shared = has_limit = false;
				enter(false, false);
				linger(member);
				rl_owner_release(member->owner, NAME("job"),
					(struct rl_release_terms){ .confirm = true }, &error);
			} else if (status != RL_NO) {
				expect(member, "upgrade", status, &error);
			}
		}
		go(is_shared, has_limit);
		expect(member, "release",
			rl_owner_release(member->owner, NAME("job"),
				(struct rl_release_terms){
					.confirm = draw(member, 4) > 0, .delay_ms = draw(member, 20) ? 0 : 3 },
				&error),
			&error);
	}
	return NULL;
}

static void nobody_is_where_another_excludes_it(void **state)
{
	struct member members[CROWD] = { 0 };

	exclusive = shared = limited = broken = granted[0] = granted[1] = waited_long = 0;
	for (int i = 0; i < CROWD; i++) {
		members[i].owner = new_owner();
		members[i].random = (unsigned)i * 7919 + 1;
	}
	for (int i = 0; i < CROWD; i++) {
		assert_int_equal(pthread_create(&members[i].thread, NULL, live, &members[i]), 0);
	}
	for (int i = 0; i < CROWD; i++) {
		pthread_join(members[i].thread, NULL);
	}
	for (int i = 0; i < CROWD; i++) {
		assert_string_equal(members[i].failure, "");
	}
	printf("granted exclusively %d, shared %d; waited longer than 0.9 s: %d\n", granted[0],
		granted[1], waited_long);
	assert_int_equal(broken, 0);
	assert_true(granted[0] > 0 && granted[1] > 0);
	await_parked(0);
}

int test_shared_crowd(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			nobody_is_where_another_excludes_it, owners_reset, owners_clean),
	};

	return cmocka_run_group_tests(tests, rig_start, rig_stop);
}
