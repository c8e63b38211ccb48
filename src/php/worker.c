/*
 * FrankenPHP calls sapi_deactivate() after each request (frankenphp_worker_request_shutdown() in
 * its frankenphp.c), and names the SAPI's function `deactivate` as the place for extensions to
 * hook. PHP itself calls it when it has started, and at the end of each of its own requests, when
 * nothing is left of ours.
 */
#include "worker.h"

#include "SAPI.h"

#include "request_end.h"
#include "session.h"

static int (*previous)(void);
static bool is_up;

static int deactivate(void)
{
	if (is_up) {
		php_rlock_request_end_release_all();
		php_rlock_session_let_go();
		php_rlock_request_end_part();
	}
	return previous ? previous() : SUCCESS;
}

void php_rlock_worker_startup(void)
{
	previous = sapi_module.deactivate;
	sapi_module.deactivate = deactivate;
	is_up = true;
}

bool php_rlock_worker_shutdown(void)
{
	is_up = false;
	if (sapi_module.deactivate != deactivate) {
		return false;
	}
	sapi_module.deactivate = previous;
	return true;
}
