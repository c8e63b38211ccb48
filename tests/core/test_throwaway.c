#include "testing.h"
#include "throwaway.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Within 10 s. */
static bool vanishes(pid_t pid, const char *folder)
{
	struct stat info;

	for (int i = 0; i < 2000; i++) {
		if (kill(pid, 0) < 0 && errno == ESRCH && stat(folder, &info) < 0 && errno == ENOENT) {
			return true;
		}
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
	return false;
}

static char *ask(redisContext *redis, const char *command)
{
	redisReply *reply;
	char *answer;

	assert_non_null(redis);
	assert_int_equal(redis->err, 0);
	reply = redisCommand(redis, command);
	assert_non_null(reply);
	answer = strdup(reply->str);
	freeReplyObject(reply);
	redisFree(redis);
	return answer;
}

static void answers_on_socket_and_port(void **state)
{
	const char *const arguments[] = { "--requirepass", "x", NULL };
	struct throwaway server;
	char *answer;

	assert_true(throwaway_start(&server, true, arguments));
	answer = ask(redisConnectUnix(server.socket), "AUTH x");
	assert_string_equal(answer, "OK");
	free(answer);
	answer = ask(redisConnect("127.0.0.1", server.port), "PING");
	assert_string_equal(answer, "NOAUTH Authentication required.");
	free(answer);
	throwaway_stop(&server);
	throwaway_stop(&server);
}

static void stop_leaves_nothing(void **state)
{
	struct throwaway one, two, saved;

	assert_true(throwaway_start(&one, false, NULL));
	assert_true(throwaway_start(&two, false, NULL));
	saved = one;
	kill(one.pid, SIGSTOP);
	throwaway_stop(&one); /* while the other one lives */
	assert_true(vanishes(saved.pid, saved.folder));
	saved = two;
	throwaway_stop(&two);
	assert_true(vanishes(saved.pid, saved.folder));
}

static void death_leaves_nothing(void **state)
{
	struct throwaway server;
	int line[2];
	pid_t child;

	assert_int_equal(pipe(line), 0);
	child = fork();
	if (child == 0) {
		bool ok = throwaway_start(&server, false, NULL)
			&& write(line[1], &server, sizeof server) == sizeof server;

		raise(ok ? SIGKILL : SIGTERM);
	}
	close(line[1]);
	assert_int_equal(read(line[0], &server, sizeof server), sizeof server);
	close(line[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(vanishes(server.pid, server.folder));
}

int test_throwaway(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_on_socket_and_port),
		cmocka_unit_test(stop_leaves_nothing),
		cmocka_unit_test(death_leaves_nothing),
	};

	return cmocka_run_group_tests_name("throwaway", tests, NULL, NULL);
}
