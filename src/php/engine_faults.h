/*
 * The builds of PHP that do not survive an interrupt of their virtual machine. Includes nothing
 * of PHP, so that it can be tested for versions that are not there.
 */
#ifndef PHP_RLOCK_ENGINE_FAULTS_H
#define PHP_RLOCK_ENGINE_FAULTS_H

#include <stdbool.h>

/* The engine that runs us, which may be a later one than we were compiled for. */
struct php_rlock_engine {
	long version;     /* PHP_VERSION_ID */
	bool tailcall_vm; /* the kind of virtual machine that came with PHP 8.5 */
	bool tracing_jit; /* may run, now or later */
	bool observed;    /* an extension watches function calls */
};

/* What is broken there, and the way out, as the end of a sentence. NULL: nothing. */
const char *php_rlock_engine_fault(const struct php_rlock_engine *engine);

#endif
