/*
 * The engine calls our hook for other users of its flag, too (signals, profilers), and often.
 * Unless there is news, that costs one look at our own flag.
 *
 * Each lost lock is thrown once, and only one at a time: if there are more, if another exception is
 * being thrown, or nothing can be thrown here, the renewal thread raises the alarm again a
 * millisecond later. If they were chained
 * instead, code that catches the first would swallow the news of the others, whose locks guard
 * other code.
 *
 * The LostLockException has no holder: asking for it would delay the news, often by a whole
 * timeout, since it may well be the server that does not answer.
 *
 * As with a signal handler that throws, PHP may free a value that it was just passing on only at
 * the end of the request.
 */
#include "interrupt.h"

#include "zend_atomic.h"
#include "zend_constants.h"
#include "zend_ini.h"
#include "zend_observer.h"
#include "zend_vm.h"
#include "zend_vm_opcodes.h"
#include "SAPI.h"

#include "engine_faults.h"
#include "exception.h"
#include "globals.h"

static void (*previous)(zend_execute_data *execute_data);

/* On the renewal thread. */
static void raise_alarm(void *context)
{
	struct php_rlock_interrupts *interrupts = context;

	zend_atomic_bool_store_ex(&interrupts->raised, true);
	zend_atomic_bool_store_ex(interrupts->flag, true);
}

/*
 * When an exception is thrown the engine cleans up after the current instruction, as if it had
 * begun. Ours is thrown before it begins. That matters for three kinds of instruction: those that
 * build a string from parts (a rope) and those that pass an argument, where the engine would free
 * the new part or argument, which is not initialized yet; and the one that ends the silence of
 * `@`, which would last.
 */
static void prepare_for_exception(zend_execute_data *frame)
{
	const zend_op *next;
	zval *silence;

	if (!frame->func || !ZEND_USER_CODE(frame->func->common.type)) {
		return;
	}
	next = frame->opline;
	switch (next->opcode) {
		case ZEND_ROPE_INIT:
			((zend_string **)ZEND_CALL_VAR(frame, next->result.var))[0] = ZSTR_EMPTY_ALLOC();
			break;
		case ZEND_ROPE_ADD:
			((zend_string **)ZEND_CALL_VAR(
				frame, next->result.var))[next->extended_value] = ZSTR_EMPTY_ALLOC();
			break;
		case ZEND_SEND_VAL:
		case ZEND_SEND_VAL_EX:
		case ZEND_SEND_VAR:
		case ZEND_SEND_VAR_EX:
		case ZEND_SEND_FUNC_ARG:
		case ZEND_SEND_REF:
		case ZEND_SEND_VAR_NO_REF:
		case ZEND_SEND_VAR_NO_REF_EX:
		case ZEND_SEND_USER:
			if (next->op2_type != IS_CONST) { /* a named argument is counted when it is passed */
				ZVAL_UNDEF(ZEND_CALL_VAR(frame->call, next->result.var));
			}
			break;
		case ZEND_END_SILENCE:
			silence = ZEND_CALL_VAR(frame, next->op1.var);
			if (E_HAS_ONLY_FATAL_ERRORS(EG(error_reporting))
				&& !E_HAS_ONLY_FATAL_ERRORS(Z_LVAL_P(silence))) {
				EG(error_reporting) = (int)Z_LVAL_P(silence);
			}
			break;
	}
}

/* False: there is no news any more. */
static bool throw_next(struct php_rlock_object *lock)
{
	struct rl_error error;
	enum rl_status verdict;

	for (; lock; lock = lock->interrupted.next) {
		if (lock->closed) {
			continue;
		}
		verdict = rl_owner_alarm(lock->owner, &error);
		if (verdict != RL_OK) {
			prepare_for_exception(EG(current_execute_data));
			php_rlock_exception_throw_status(verdict, &error, NULL, NULL);
			return true;
		}
	}
	return false;
}

/*
 * Not by setting the engine's flag here: while an exception is being thrown the engine would call
 * us again, for ever.
 */
static void put_off_the_rest(struct php_rlock_object *lock)
{
	for (; lock; lock = lock->interrupted.next) {
		if (!lock->closed && rl_owner_alarm_later(lock->owner)) {
			return;
		}
	}
}

/*
 * A method that is not there is called by a stand-in (a trampoline), which goes on to __call(). The
 * engine does not bear an exception that begins there: its backtrace looks for the stand-in's
 * arguments where they are not.
 */
static bool is_in_stand_in(void)
{
	const zend_function *function = EG(current_execute_data)->func;

	return function && (function->common.fn_flags & ZEND_ACC_CALL_VIA_TRAMPOLINE);
}

static void on_news(struct php_rlock_interrupts *interrupts)
{
	if (EG(flags) & EG_FLAGS_IN_SHUTDOWN) {
		return; /* each object warns when it ends */
	}
	zend_atomic_bool_store_ex(&interrupts->raised, false);
	if (EG(exception) || !EG(current_execute_data) || is_in_stand_in()
		|| throw_next(interrupts->first)) {
		put_off_the_rest(interrupts->first);
	}
}

static void on_interrupt(zend_execute_data *execute_data)
{
	struct php_rlock_interrupts *interrupts = &RLOCK_G(interrupts);

	if (previous) {
		previous(execute_data);
	}
	if (zend_atomic_bool_load_ex(&interrupts->raised)) {
		on_news(interrupts);
	}
}

void php_rlock_interrupt_startup(void)
{
	previous = zend_interrupt_function;
	zend_interrupt_function = on_interrupt;
}

void php_rlock_interrupt_shutdown(void)
{
	if (zend_interrupt_function == on_interrupt) {
		zend_interrupt_function = previous; /* otherwise a hook that was set later still calls us */
	}
}

struct rl_alarm php_rlock_interrupt_alarm(void)
{
	struct php_rlock_interrupts *interrupts = &RLOCK_G(interrupts);

	interrupts->flag = &EG(vm_interrupt);
	return (struct rl_alarm){ .raise = raise_alarm, .context = interrupts };
}

void php_rlock_interrupt_add(struct php_rlock_object *lock)
{
	RL_LIST_ADD(&RLOCK_G(interrupts).first, lock, interrupted);
}

void php_rlock_interrupt_remove(struct php_rlock_object *lock)
{
	RL_LIST_REMOVE(lock, interrupted);
}

/* --- builds of PHP that do not survive an interrupt --- */

static zend_long setting(const char *name)
{
	return zend_ini_long(name, strlen(name), false);
}

/*
 * opcache.jit is a word, or a number of four digits, the third of which says what triggers the
 * compiler. ini_set() can switch on a JIT that is "off", but not one that is "disable".
 */
static bool tracing_jit_may_run(void)
{
	bool is_cli = strcmp(sapi_module.name, "cli") == 0;
	const char *jit = zend_ini_string(ZEND_STRL("opcache.jit"), false);

	if (!jit || !setting("opcache.enable") || (is_cli && !setting("opcache.enable_cli"))
		|| !setting("opcache.jit_buffer_size")) {
		return false;
	}
	if (strspn(jit, "0123456789") == strlen(jit) && strlen(jit) == 4) {
		return jit[2] == '5';
	}
	return strcasecmp(jit, "disable") != 0 && strcasecmp(jit, "function") != 0;
}

static long running_version(void)
{
	zval *version = zend_get_constant_str(ZEND_STRL("PHP_VERSION_ID"));

	return version && Z_TYPE_P(version) == IS_LONG ? (long)Z_LVAL_P(version) : PHP_VERSION_ID;
}

#define TAILCALL_VM 5 /* ZEND_VM_KIND_TAILCALL, where there is one */

bool php_rlock_interrupt_is_safe(void)
{
	struct php_rlock_engine engine = {
		.version = running_version(),
		.tailcall_vm = zend_vm_kind() == TAILCALL_VM,
		.tracing_jit = tracing_jit_may_run(),
		.observed = ZEND_OBSERVER_ENABLED,
	};
	const char *fault = php_rlock_engine_faults_find(&engine);

	if (fault) {
		php_rlock_exception_throw(NULL,
			"interrupt: true is not possible in this PHP %ld.%ld.%ld: %s", engine.version / 10000,
			engine.version / 100 % 100, engine.version % 100, fault);
		return false;
	}
	return true;
}
