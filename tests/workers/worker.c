/*
 * Does what FrankenPHP does with a worker's script (frankenphp.c there): worker SCRIPT THREADS RUNS
 *
 * SCRIPT calls handle_request() once for each request, as it would frankenphp_handle_request().
 * All of these are one request of PHP's: in between, what PHP does at the end of its own is left
 * out, except for output, the session, and what the SAPI does. A script that ends, be it by a fatal
 * error, is run again, RUNS times in all, half of them on a thread of their own where PHP is
 * thread-safe.
 */
#include <sapi/embed/php_embed.h>
#include <ext/session/php_session.h>
#include <Zend/zend_exceptions.h>

#include <pthread.h>

#define THREADS_MAX 32

static const char *script;
static int runs;
static __thread bool has_booted, is_deactivated;

/* The SAPI's own, which an extension may call its own in front of. */
static int deactivate(void)
{
	is_deactivated = true;
	return SUCCESS;
}

/* As another extension has it that was loaded later and stays when rlock is unloaded. */
static int (*inner)(void);

static int pass_on(void)
{
	return inner();
}

static void release(zend_string **text)
{
	if (*text) {
		zend_string_release(*text);
		*text = NULL;
	}
}

/* frankenphp_reset_session_state() */
static void end_session(void)
{
	if (PS(session_status) == php_session_active) {
		php_session_flush(1);
	}
	zval_ptr_dtor(&PS(http_session_vars));
	ZVAL_UNDEF(&PS(http_session_vars));
	if (PS(mod_data) || PS(mod_user_implemented)) {
		zend_try
		{
			PS(mod)->s_close(&PS(mod_data));
		}
		zend_end_try();
	}
	release(&PS(id));
	release(&PS(session_vars));
	PS(session_status) = php_session_none;
	PS(in_save_handler) = 0;
	PS(set_handler) = 0;
	PS(mod_data) = NULL;
	PS(mod_user_is_open) = 0;
	PS(define_sid) = 1;
}

/* frankenphp_worker_request_shutdown(), where it may leave the session as it is */
static void end_request(bool with_session)
{
	zend_try
	{
		php_output_end_all();
	}
	zend_end_try();
	if (with_session) {
		end_session();
	}
	zend_try
	{
		php_output_deactivate();
	}
	zend_end_try();
	is_deactivated = false;
	zend_try
	{
		sapi_deactivate();
	}
	zend_end_try();
	if (!is_deactivated) {
		abort();
	}
}

/* frankenphp_worker_request_startup() */
static void begin_request(void)
{
	php_output_activate();
	sapi_activate();
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_handle_request, 0, 0, 1)
ZEND_ARG_TYPE_INFO(0, handler, IS_CALLABLE, 0)
ZEND_ARG_TYPE_INFO(0, endsSession, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

static ZEND_FUNCTION(handle_request)
{
	zend_fcall_info info;
	zend_fcall_info_cache cache;
	zval result;
	bool ends_session = true;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_FUNC(info, cache)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(ends_session)
	ZEND_PARSE_PARAMETERS_END();

	if (!has_booted) {
		end_request(true); /* frankenphp_shutdown_dummy_request() */
		has_booted = true;
	}
	begin_request();
	ZVAL_UNDEF(&result);
	info.retval = &result;
	if (zend_call_function(&info, &cache) == SUCCESS) {
		zval_ptr_dtor(&result);
	}
	if (EG(exception)) {
		zend_exception_error(EG(exception), E_ERROR);
	}
	end_request(ends_session);
}

static const zend_function_entry functions[] = {
	ZEND_FE(handle_request, arginfo_handle_request)
		ZEND_FE_END
};

static zend_module_entry module = {
	STANDARD_MODULE_HEADER,
	"worker",
	functions,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	"1",
	STANDARD_MODULE_PROPERTIES
};

static int start(sapi_module_struct *sapi)
{
	return php_module_startup(sapi, &module);
}

/* A request of PHP's. */
static void run_script(void)
{
	zend_file_handle file;

	if (php_request_startup() == FAILURE) {
		abort();
	}
	has_booted = false;
	zend_stream_init_filename(&file, script);
	file.primary_script = true;
	zend_first_try
	{
		php_execute_script(&file);
	}
	zend_end_try();
	zend_destroy_file_handle(&file);
	php_request_shutdown(NULL);
}

#ifdef ZTS
static void *work(void *ignored)
{
	ts_resource(0);
	for (int run = 0; run < (runs + 1) / 2; run++) {
		run_script();
	}
	ts_free_thread();
	return ignored;
}

/* Threads that end, and as many after them. */
static void run_all(int count)
{
	pthread_t threads[THREADS_MAX];

	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < count; i++) {
			if (pthread_create(&threads[i], NULL, work, NULL) != 0) {
				abort();
			}
		}
		for (int i = 0; i < count; i++) {
			pthread_join(threads[i], NULL);
		}
	}
}
#else
static void run_all(int count)
{
	php_request_shutdown(NULL); /* that of php_embed_init() */
	for (int run = 0; run < count * runs; run++) {
		run_script();
	}
	php_request_startup();
}
#endif

int main(int argc, char **argv)
{
	int threads;

	if (argc != 4 || (threads = atoi(argv[2])) < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: worker SCRIPT THREADS RUNS\n");
		return 2;
	}
	script = argv[1];
	runs = atoi(argv[3]);
	php_embed_module.startup = start;
	php_embed_module.deactivate = deactivate;
	if (php_embed_init(argc, argv) == FAILURE) {
		return 2;
	}
	inner = sapi_module.deactivate;
	sapi_module.deactivate = pass_on;
	run_all(threads);
	php_embed_shutdown();
	is_deactivated = false;
	pass_on();
	return is_deactivated ? 0 : 1;
}
