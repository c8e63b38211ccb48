#include "php/engine_faults.h"

#include "testing.h"

#include <string.h>

#define TAILCALL 1
#define TRACING  2
#define OBSERVED 4

static const char *fault(long version, unsigned what)
{
	return php_rlock_engine_faults_find(&(struct php_rlock_engine){
		.version = version,
		.tailcall_vm = what & TAILCALL,
		.tracing_jit = what & TRACING,
		.observed = what & OBSERVED,
	});
}

static void interrupts_are_refused_where_they_crash(void **state)
{
	static const struct {
		long first, last;
		unsigned what;
		const char *update;
	} broken[] = {
		{ 80200, 80223, TRACING, "8.2.24" },
		{ 80300, 80311, TRACING, "8.3.12" },
		{ 80400, 80421, TRACING | OBSERVED, "8.4.22" },
		{ 80500, 80506, TRACING | OBSERVED, "8.5.7" },
		{ 80500, 80507, TAILCALL, "8.5.8" },
	};

	for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
		for (long version = broken[i].first; version <= broken[i].last; version++) {
			const char *text = fault(version, broken[i].what);

			assert_non_null(text);
			assert_non_null(strstr(text, broken[i].update));
			assert_null(fault(version, 0));
			assert_null(fault(version, OBSERVED));
		}
		assert_null(fault(broken[i].last + 1, broken[i].what));
		assert_null(fault(broken[i].first - 1, broken[i].what));
	}
}

static void interrupts_are_possible_elsewhere(void **state)
{
	static const long sound[] = { 80224, 80299, 80312, 80399, 80422, 80499, 80508, 80600, 90000 };

	for (size_t i = 0; i < sizeof sound / sizeof sound[0]; i++) {
		assert_null(fault(sound[i], TAILCALL | TRACING | OBSERVED));
	}
	assert_null(fault(80400, TRACING));
	assert_null(fault(80500, TRACING));
}

static void two_faults_want_the_later_version(void **state)
{
	assert_non_null(strstr(fault(80503, TAILCALL | TRACING | OBSERVED), "8.5.8"));
}

int test_engine_faults(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupts_are_refused_where_they_crash),
		cmocka_unit_test(interrupts_are_possible_elsewhere),
		cmocka_unit_test(two_faults_want_the_later_version),
	};

	return cmocka_run_group_tests_name("engine_faults", tests, NULL, NULL);
}
