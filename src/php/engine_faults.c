/*
 * Reported to php/php-src: 22265 and 21922 (the tailcall VM), 21910 (observed calls), 15502 (the
 * tracing JIT).
 */
#include "engine_faults.h"

#include <stddef.h>

static const struct fault {
	long since, mended;                      /* PHP_VERSION_ID */
	bool tailcall_vm, tracing_jit, observed; /* what it takes */
	const char *text;
} faults[] = {
	{ 80500, 80508, .tailcall_vm = true,
		.text = "its tailcall VM may crash when it is interrupted; update to PHP 8.5.8" },
	{ 80500, 80507, .tracing_jit = true, .observed = true,
		.text = "its tracing JIT may crash when it is interrupted while an extension observes "
				"function calls; update to PHP 8.5.7, or set opcache.jit=function or disable" },
	{ 80400, 80422, .tracing_jit = true, .observed = true,
		.text = "its tracing JIT may crash when it is interrupted while an extension observes "
				"function calls; update to PHP 8.4.22, or set opcache.jit=function or disable" },
	{ 80300, 80312, .tracing_jit = true,
		.text = "its tracing JIT may crash when it is interrupted; update to PHP 8.3.12, or set "
				"opcache.jit=function or disable" },
	{ 80200, 80224, .tracing_jit = true,
		.text = "its tracing JIT may crash when it is interrupted; update to PHP 8.2.24, or set "
				"opcache.jit=function or disable" },
};

static bool has(const struct php_rlock_engine *engine, const struct fault *fault)
{
	return engine->version >= fault->since && engine->version < fault->mended
		&& (engine->tailcall_vm || !fault->tailcall_vm)
		&& (engine->tracing_jit || !fault->tracing_jit) && (engine->observed || !fault->observed);
}

const char *php_rlock_engine_faults_find(const struct php_rlock_engine *engine)
{
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		if (has(engine, &faults[i])) {
			return faults[i].text;
		}
	}
	return NULL;
}
