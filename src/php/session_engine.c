#include "php.h"

#ifdef HAVE_PHP_SESSION
# include "session_engine.h"

static struct {
	const zend_module_entry *entry;
	const ps_module *handler; /* ours */
	zend_result (*register_module)(const ps_module *module);
	zend_string *(*create_id)(void **mod_data);
	void *globals; /* of a thread-safe PHP, their number */
} module;

static bool find_module(void)
{
# ifdef PHP_WIN32
	HMODULE place = GetModuleHandle(PHP_DLL_NAME); /* which always has it */
# else
	void *place = RTLD_DEFAULT;
# endif

	module.entry = zend_hash_str_find_ptr(&module_registry, ZEND_STRL("session"));
	if (!module.entry) {
		return false;
	}
	*(void **)&module.register_module = DL_FETCH_SYMBOL(place, "php_session_register_module");
	*(void **)&module.create_id = DL_FETCH_SYMBOL(place, "php_session_create_id");
# ifdef ZTS
	module.globals = DL_FETCH_SYMBOL(place, "ps_globals_id");
# else
	module.globals = DL_FETCH_SYMBOL(place, "ps_globals");
# endif
	return module.register_module && module.create_id && module.globals;
}

bool php_rlock_session_engine_register(const ps_module *handler)
{
	module.handler = handler;
	return find_module() && module.register_module(handler) == SUCCESS;
}

zend_string *php_rlock_session_engine_create_id(void **mod_data)
{
	return module.create_id(mod_data);
}

/* --- its globals --- */

static const php_ps_globals *globals(void)
{
# ifdef ZTS
	return TSRMG_BULK(*(ts_rsrc_id *)module.globals, php_ps_globals *);
# else
	return module.globals;
# endif
}

bool php_rlock_session_engine_has(const zend_string *id)
{
	const zend_string *own = globals()->id;

	return own && zend_string_equals(own, id);
}

bool php_rlock_session_engine_calls(void)
{
	return globals()->mod == module.handler;
}

zend_long php_rlock_session_engine_life(void)
{
	return globals()->gc_maxlifetime;
}

/* --- which of its functions has brought us here --- */

static bool is_of_module(const zend_execute_data *frame)
{
	return frame->func && frame->func->type == ZEND_INTERNAL_FUNCTION && !frame->func->common.scope
		&& frame->func->common.function_name && frame->func->internal_function.module
		&& frame->func->internal_function.module->module_number == module.entry->module_number;
}

/*
 * The nearest; NULL: none, where a request begins or ends, or where code of the script has called
 * the handler by itself. `callee`: what that function has called, if it is wanted.
 */
static const zend_execute_data *find_call(const zend_execute_data **callee)
{
	const zend_execute_data *frame = EG(current_execute_data), *before = NULL;

	while (frame && !is_of_module(frame)) {
		before = frame;
		frame = frame->prev_execute_data;
	}
	if (callee) {
		*callee = before;
	}
	return frame;
}

static bool is_call_of(const zend_execute_data *call, const char *function)
{
	return call && strcmp(ZSTR_VAL(call->func->common.function_name), function) == 0;
}

bool php_rlock_session_engine_begins(void)
{
	const zend_execute_data *call = find_call(NULL);

	return call ? is_call_of(call, "session_start") || is_call_of(call, "session_regenerate_id")
				: php_rlock_session_engine_calls();
}

bool php_rlock_session_engine_only_reads(void)
{
	const zend_execute_data *call = find_call(NULL);
	zval *options, *option = NULL;

	if (!is_call_of(call, "session_start") || ZEND_CALL_NUM_ARGS(call) == 0) {
		return false;
	}
	options = ZEND_CALL_ARG(call, 1);
	ZVAL_DEREF(options);
	if (Z_TYPE_P(options) == IS_ARRAY) {
		option = zend_hash_str_find_deref(Z_ARRVAL_P(options), ZEND_STRL("read_and_close"));
	}
	return option && Z_TYPE_P(option) <= IS_STRING && zval_get_long(option) > 0;
}

/* As far as can be told where there is no call, which is at the request's end. */
bool php_rlock_session_engine_ends(void)
{
	static const char *const ENDS[] = { "session_write_close", "session_commit",
		"session_regenerate_id", "session_destroy", "session_abort" };
	const zend_execute_data *call = find_call(NULL);

	for (size_t i = 0; call && i < sizeof ENDS / sizeof ENDS[0]; i++) {
		if (is_call_of(call, ENDS[i])) {
			return true;
		}
	}
	return !call
		&& (php_rlock_session_engine_calls() || (EG(flags) & EG_FLAGS_IN_SHUTDOWN));
}

/* SessionUpdateTimestampHandlerInterface has named it. */
bool php_rlock_session_engine_validates(void)
{
	const zend_execute_data *callee, *call = find_call(&callee);

	return is_call_of(call, "session_start") && callee && callee->func
		&& callee->func->common.function_name
		&& zend_string_equals_literal_ci(callee->func->common.function_name, "validateId");
}

bool php_rlock_session_engine_regenerates(void)
{
	return is_call_of(find_call(NULL), "session_regenerate_id");
}

bool php_rlock_session_engine_was_told_to_destroy(void)
{
	const zend_execute_data *call = find_call(NULL);

	return is_call_of(call, "session_destroy") || is_call_of(call, "session_regenerate_id");
}
#endif
