#include "warn.h"

#include "ext/standard/info.h"
#include "zend_exceptions.h"

#include "exception.h"
#include "globals.h"
#include "holder_words.h"
#include "../base/number.h"
#include "../lock/shown_name.h"

static void warn_of_locks(const struct rl_release_summary *summary)
{
	size_t bad = summary->timed_out + summary->lost + summary->failed;

	if (bad == 0) {
		return;
	}
	if (summary->failed) {
		zend_error(E_WARNING,
			"RLock: %zu of %zu locks could not be given back at the end; the first: %s",
			summary->failed, summary->released + bad, summary->first_failure.message);
	} else {
		zend_error(E_WARNING,
			"RLock: %zu of %zu locks had ended before they were given back at the end "
			"(%zu lost, %zu timed out); the first: \"%s\"",
			bad, summary->released + bad, summary->lost, summary->timed_out, summary->first_key);
	}
}

/* More than a process talks to; but a program may make up names. */
#define TOLD_MAX 64

/* Once per process, as far as it remembers. */
static bool is_news(const char *server)
{
	HashTable *told = &RLOCK_G(told_evicting);

	if (zend_hash_num_elements(told) >= TOLD_MAX) {
		zend_hash_clean(told);
	}
	return zend_hash_str_add_empty_element(told, server, strlen(server)) != NULL;
}

void php_rlock_log_eviction(struct rl_owner *owner)
{
	const char *server = rl_owner_evicting_once(owner);
	char message[RL_SERVER_NAME_SIZE + 200];

	if (server) {
		zend_hash_str_add_empty_element(&RLOCK_G(evicting), server, strlen(server));
	}
	if (server && is_news(server)) {
		snprintf(message, sizeof message,
			"RLock: Redis at %s evicts keys when its memory is full (maxmemory-policy), so a lock may "
			"vanish while it is held; set maxmemory-policy to noeviction there",
			server);
		php_log_err(message);
	}
}

void php_rlock_print_evicting(void)
{
	zend_string *server;

	ZEND_HASH_FOREACH_STR_KEY(&RLOCK_G(evicting), server) {
		php_info_print_table_row(2, "Server that may evict locks", ZSTR_VAL(server));
	}
	ZEND_HASH_FOREACH_END();
}

void php_rlock_log_slow_wait(struct rl_owner *owner, struct rl_text key, size_t others,
	rl_time began, enum rl_status status)
{
	rl_time waited = rl_now() - began;
	char name[RL_NAME_SIZE], seconds[RL_NUMBER_SECONDS_SIZE], by[PHP_RLOCK_HOLDER_WORDS_SIZE] = "";
	char together[40] = "", message[2 * PHP_RLOCK_HOLDER_WORDS_SIZE];

	if (RLOCK_G(slow_wait) <= 0 || (double)waited / RL_SECOND <= RLOCK_G(slow_wait)) {
		return;
	}
	if (status == RL_NO && owner) {
		php_rlock_holder_words_ask(by, owner, key);
	}
	if (others > 0) {
		snprintf(together, sizeof together, " and %zu more", others);
	}
	rl_shown_name(name, sizeof name, key);
	snprintf(message, sizeof message, "RLock: a wait for \"%s\"%s took %s s%s%s", name, together,
		rl_number_put_seconds(seconds, waited / RL_MILLISECOND),
		status == RL_OK ? "" : ", in vain", by);
	php_log_err(message);
}

/*
 * The pending exception is set aside while an error handler may run. If the handler throws, it
 * becomes the previous one.
 */
void php_rlock_warn_of_end(const struct rl_release_summary *summary)
{
	zend_execute_data *frame = EG(current_execute_data);
	zend_object *pending = EG(exception);
	const zend_op *opline;

	if (!pending) {
		warn_of_locks(summary);
		return;
	}
	if (frame && frame->func && ZEND_USER_CODE(frame->func->common.type)) {
		/* the frame may not know of it yet, and what the handler throws comes first */
		zend_rethrow_exception(frame);
	}
	opline = EG(opline_before_exception);
	EG(exception) = NULL;
	warn_of_locks(summary);
	EG(opline_before_exception) = opline;
	if (EG(exception)) {
		zend_exception_set_previous(EG(exception), pending);
	} else {
		EG(exception) = pending;
	}
}

/*
 * The script's error handler must not run: after a fatal error, or once PHP's modules have ended
 * their part of the request, it would use what they have freed. If memory has run out this may
 * raise another fatal error, which is caught.
 */
void php_rlock_warn_of_end_in_log(const struct rl_release_summary *summary)
{
	int reporting = EG(user_error_handler_error_reporting);

	EG(user_error_handler_error_reporting) = 0;
	/* clang-format off */
	zend_try {
		warn_of_locks(summary);
	} zend_end_try();
	/* clang-format on */
	EG(user_error_handler_error_reporting) = reporting;
}
