/*
 * The builds of PHP that crash when their virtual machine is interrupted. Uses nothing of PHP, so
 * that a test can ask about any version.
 */
#ifndef PHP_RLOCK_ENGINE_FAULTS_H
#define PHP_RLOCK_ENGINE_FAULTS_H

#include <stdbool.h>

/* The engine that runs us. It may be a later patch release than the one we were compiled for. */
struct php_rlock_engine {
	long version;     /* PHP_VERSION_ID */
	bool tailcall_vm; /* the kind of virtual machine that came with PHP 8.5 */
	bool tracing_jit; /* is on, or can be switched on by ini_set() */
	bool observed;    /* an extension watches function calls */
};

/* What is broken there and what to do about it, as the end of a sentence; NULL: nothing is. */
const char *php_rlock_engine_faults_find(const struct php_rlock_engine *engine);

#endif
