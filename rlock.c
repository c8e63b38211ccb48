/*
 * The module: starts and stops its parts, and describes itself to phpinfo().
 */
#include "src/php/globals.h"

#include "php_rlock.h"

#include "ext/standard/info.h"
#include <hiredis/hiredis.h>

#include "src/base/socket.h"
#include "src/base/waitset.h"
#include "src/lock/owner/owner.h"
#include "src/php/classes.h"
#include "src/php/ini.h"
#include "src/php/interrupt.h"
#include "src/php/request_end.h"
#include "src/php/session.h"
#include "src/php/stats.h"
#include "src/php/upload.h"
#include "src/php/warn.h"
#include "src/php/worker.h"
#include "src/redis/lookup.h"
#include "src/redis/tls.h"

static PHP_GINIT_FUNCTION(rlock)
{
#if defined(ZTS) && defined(COMPILE_DL_RLOCK)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	memset(rlock_globals, 0, sizeof *rlock_globals);
	zend_hash_init(&rlock_globals->evicting, 0, NULL, NULL, true);
	zend_hash_init(&rlock_globals->told_evicting, 0, NULL, NULL, true);
}

static PHP_GSHUTDOWN_FUNCTION(rlock)
{
	zend_hash_destroy(&rlock_globals->evicting);
	zend_hash_destroy(&rlock_globals->told_evicting);
	rl_cache_clear(&rlock_globals->cache);
	rl_bounds_clear(&rlock_globals->bounds);
}

static PHP_MINIT_FUNCTION(rlock)
{
	if (!rl_system_start() || !rl_socket_start()) {
		php_error_docref(NULL, E_CORE_WARNING,
			"The system refused what the extension rlock needs to see a fork()");
		return FAILURE;
	}
	rl_tls_start(); /* if it refuses, the first connection over TLS says why */
	php_rlock_ini_register(type, module_number);
	php_rlock_classes_register();
	php_rlock_interrupt_startup();
	php_rlock_request_end_startup(module_number);
	php_rlock_session_startup();
	php_rlock_upload_startup();
	php_rlock_worker_startup();
	return SUCCESS;
}

/* With one more reference, PHP's unloading leaves the code where it is. */
static void stay_loaded(void)
{
#if defined(COMPILE_DL_RLOCK) && !defined(PHP_WIN32)
	Dl_info here;

	if (dladdr((void *)stay_loaded, &here)) {
		(void)DL_LOAD(here.dli_fname);
	}
#endif
}

static PHP_MSHUTDOWN_FUNCTION(rlock)
{
	bool is_called = !php_rlock_worker_shutdown();

	rl_renewal_stop();
	if (!rl_lookup_stop() || is_called) {
		stay_loaded(); /* the thread of a look-up returns into this code */
	}
	rl_waitset_stop();
	php_rlock_upload_shutdown();
	php_rlock_interrupt_shutdown();
	php_rlock_ini_unregister(type, module_number);
	return SUCCESS;
}

static PHP_RINIT_FUNCTION(rlock)
{
#if defined(ZTS) && defined(COMPILE_DL_RLOCK)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(rlock)
{
	php_rlock_request_end_begin();
	return SUCCESS;
}

/* When the objects of the request, and with them its leases, are gone. */
static ZEND_MODULE_POST_ZEND_DEACTIVATE_D(rlock)
{
	php_rlock_request_end_finish();
	php_rlock_session_finish();
	php_rlock_upload_finish();
	rl_renewal_rest();
	php_rlock_request_end_part();
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(rlock)
{
	char hiredis[32];

	snprintf(hiredis, sizeof hiredis, "%d.%d.%d", HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH);
	php_info_print_table_start();
	php_info_print_table_row(2, "Locks on Redis", "enabled");
	php_info_print_table_row(2, "Version", PHP_RLOCK_VERSION);
	php_info_print_table_row(2, "hiredis", hiredis);
	php_info_print_table_row(2, "TLS", rl_tls_supported() ? "yes" : "no");
	php_info_print_table_row(2, "Addresses",
		rl_tls_supported() ? "redis, rediss, unix, sentinel, cluster"
						   : "redis, unix, sentinel, cluster");
	php_rlock_print_evicting();
	php_info_print_table_end();
	php_rlock_stats_print_totals();
	DISPLAY_INI_ENTRIES();
}

/* Its module must have started before ours, wherever it is loaded. */
static const zend_module_dep dependencies[] = {
	ZEND_MOD_OPTIONAL("session")
		ZEND_MOD_END
};

zend_module_entry rlock_module_entry = {
	STANDARD_MODULE_HEADER_EX,
	NULL,
	dependencies,
	"rlock",
	NULL,
	PHP_MINIT(rlock),
	PHP_MSHUTDOWN(rlock),
	PHP_RINIT(rlock),
	PHP_RSHUTDOWN(rlock),
	PHP_MINFO(rlock),
	PHP_RLOCK_VERSION,
	PHP_MODULE_GLOBALS(rlock),
	PHP_GINIT(rlock),
	PHP_GSHUTDOWN(rlock),
	ZEND_MODULE_POST_ZEND_DEACTIVATE_N(rlock),
	STANDARD_MODULE_PROPERTIES_EX
};

#ifdef COMPILE_DL_RLOCK
ZEND_GET_MODULE(rlock)
#endif
