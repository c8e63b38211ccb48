#include "upload.h"

#include "rfc1867.h"

#include "globals.h"

static zend_result (*note)(unsigned int event, void *event_data, void **extra);

static zend_result on_event(unsigned int event, void *event_data, void **extra)
{
	zend_result result;

	RLOCK_G(session).notes_upload = true;
	result = note(event, event_data, extra);
	RLOCK_G(session).notes_upload = false;
	return result;
}

void php_rlock_upload_startup(void)
{
	note = php_rfc1867_callback;
	if (note) {
		php_rfc1867_callback = on_event;
	}
}

void php_rlock_upload_shutdown(void)
{
	if (php_rfc1867_callback == on_event) {
		php_rfc1867_callback = note;
	}
}

void php_rlock_upload_finish(void)
{
	RLOCK_G(session).notes_upload = false;
}

bool php_rlock_upload_is_noted(void)
{
	return RLOCK_G(session).notes_upload;
}
