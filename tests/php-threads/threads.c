/*
 * Several PHP threads in one process, as FrankenPHP and parallel have them: threads SCRIPT
 * THREADS GENERATIONS
 *
 * Each thread runs SCRIPT with $number, its own, and sees it return true. Generations follow one
 * another, so that threads end while others hold locks. At the end no thread may be left but
 * ours.
 */
#include <sapi/embed/php_embed.h>

#include <dirent.h>
#include <pthread.h>

#define THREADS_MAX 32

static const char *script;

struct worker {
	pthread_t thread;
	int number;
	bool right;
};

static void run_script(struct worker *worker)
{
	char code[1024];
	zval result;

	snprintf(code, sizeof code, "(static function (int $number) { return require '%s'; })(%d)",
		script, worker->number);
	ZVAL_UNDEF(&result);
	zend_first_try
	{
		worker->right = zend_eval_string_ex(code, &result, "worker", true) == SUCCESS
			&& Z_TYPE(result) == IS_TRUE;
		zval_ptr_dtor(&result);
	}
	zend_end_try();
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	ts_resource(0);
	if (php_request_startup() == SUCCESS) {
		SG(headers_sent) = 1;
		SG(request_info).no_headers = 1;
		run_script(worker);
		php_request_shutdown(NULL);
	}
	ts_free_thread();
	return NULL;
}

static bool run_generation(int generation, int count)
{
	struct worker workers[THREADS_MAX];
	bool right = true;

	for (int i = 0; i < count; i++) {
		workers[i] = (struct worker){ .number = generation * count + i };
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
			abort();
		}
	}
	for (int i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		right = right && workers[i].right;
	}
	return right;
}

static int count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = -2; /* . and .. */

	while (readdir(tasks)) {
		count++;
	}
	closedir(tasks);
	return count;
}

int main(int argc, char **argv)
{
	int threads, generations, left;
	bool right = true;

	if (argc != 4 || (threads = atoi(argv[2])) < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: threads SCRIPT THREADS GENERATIONS\n");
		return 2;
	}
	script = argv[1];
	generations = atoi(argv[3]);
	if (php_embed_init(argc, argv) == FAILURE) {
		return 2;
	}
	for (int i = 0; i < generations; i++) {
		right = run_generation(i, threads) && right;
	}
	php_embed_shutdown();
	left = count_threads(); /* the renewal thread may have slept until then */
	printf("%d threads in turns of %d: %s; left at the end: %d\n", generations * threads, threads,
		right ? "each was interrupted for its own locks alone" : "WRONG", left - 1);
	return right && left == 1 ? 0 : 1;
}
