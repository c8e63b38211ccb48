/*
 * Runs all groups of tests, or those named on the command line: "late", or only some tests of it:
 * "late/l4_*".
 */
#include "testing.h"
#include "clock.h"
#include "groups.h"

#include "base/socket.h"

#include <signal.h>

static bool is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t length = strcspn(argv[i], "/");

		if (strncmp(argv[i], name, length) == 0 && name[length] == '\0') {
			cmocka_set_test_filter(argv[i][length] ? argv[i] + length + 1 : NULL);
			return true;
		}
	}
	return argc < 2;
}

int main(int argc, char **argv)
{
	int failed = 0, ran = 0;

	/* Both of its streams in one order, also when they go to a file or a pipe. */
	setvbuf(stdout, NULL, _IONBF, 0);
	signal(SIGPIPE, SIG_IGN); /* as in PHP */
	if (!rl_system_start() || !rl_socket_start()) {
		fprintf(stderr, "The platform does not start\n");
		return 1;
	}
	for (const struct group *group = groups; group->name; group++) {
		if (is_wanted(group->name, argc, argv)) {
			failed += group->run();
			clock_reset();
			ran++;
		}
	}
	if (ran == 0) {
		fprintf(stderr, "There is no such group of tests\n");
	}
	return failed || !ran;
}
