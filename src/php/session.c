/*
 * What PHP calls, in its order (ext/session/session.c):
 *
 *   session_start()               open; create_sid, or in strict mode validate_sid; read
 *   session_reset()               open, validate_sid, read, without a close before
 *   session_write_close(), exit   write or update_timestamp; close
 *   session_abort()               close
 *   session_destroy()             destroy; close
 *   session_regenerate_id()       destroy or write; close; open; create_sid; validate_sid, to find
 *                                 out whether that id is taken; read
 *   session_create_id()           create_sid and validate_sid, while another session is open
 *
 * Starting takes the lock and reads the data in one step; writing and destroying give the lock
 * back in one step where PHP ends its session so, and otherwise leave that to close(). Code of the
 * script may stand between PHP and us (a SessionHandler), call these in any order, with any id,
 * throw, and leave calls out. So nothing here relies on the order, and PHP says whose session it is
 * (session_engine.h):
 *
 *   NOTHING --validate_sid, read, write--> HELD --the last write or destroy--> NOTHING
 *                                      \-> READ_ONLY: the data without the lock
 *                                       \-> FAILED: neither, or lock or data were lost since
 *
 *   1. All but NOTHING are about the id that PHP had then. Once PHP has another, that is let go of.
 *      Data of any other id are only looked at, or deleted.
 *   2. What is open is RLOCK_G(session).open, and ends when PHP begins another session, if nobody
 *      closed it: where an exception is pending, PHP does not call what stands between. PHP's own
 *      mod_data only says that there is something to close, and only where nothing stands between:
 *      then PHP does close it, and no other handler comes upon it.
 *   3. After the last write, one more is written only where the data are what that has left.
 *
 * What PHP code calls while one of these functions runs (a signal's handler, an error's) is
 * refused, save close, which then is done at the end.
 *
 * close() has to work after everything, a fatal error included: nothing here is on PHP's heap.
 */
#include "session.h"

#include "globals.h"

#ifndef HAVE_PHP_SESSION
void php_rlock_session_startup(void)
{
}

void php_rlock_session_let_go(void)
{
}

void php_rlock_session_finish(void)
{
}
#else

# include "../lock/guarded.h"
# include "../lock/owner/owner.h"
# include "seconds.h"
# include "session_engine.h"
# include "session_path.h"
# include "session_words.h"
# include "text.h"
# include "upload.h"
# include "wait_hook.h"
# include "warn.h"

# define ID_MAX      256 /* as PHP's own handlers */
# define LIFE_MAX_MS INT64_C(1000000000000)
# define LIFE        1440 /* seconds: PHP's default */
# define KEY_SIZE    (PHP_RLOCK_SESSION_PREFIX_MAX + ID_MAX + sizeof "{}_LOCK_WAITERS")
# define HOOKS_MAX   100 /* waits within each other, each in a signal's handler of the one before */

struct php_rlock_session {
	struct rl_owner *owner;
	struct php_rlock_session_path path;
	uint64_t generation; /* of the process: a child has only read what its parent holds */
	enum {
		NOTHING,
		HELD,
		READ_ONLY,
		FAILED /* PHP has been told, or will be by read() */
	} state;
	char id[ID_MAX + 1];
	char key[KEY_SIZE], lock[KEY_SIZE]; /* of the data and of the lock */
	struct rl_guarded data;
	/* What was left of them when the lock was given back: the script may write once more. */
	struct {
		bool is_known, is_none;
		zend_ulong hash;
	} left;
	bool looks_compressed; /* what was read of them */
	bool is_in_call;       /* one of these functions runs */
	bool closed;           /* meanwhile; it ends when that function does */
	bool bailed_out;       /* a fatal error in PHP code within it, which ends with that */
	rl_time began;         /* that function, or the last one */
	bool is_silent;        /* the server did not answer it in time */
};

static const ps_module handler;

/* PHP's mod_data, where it is ours. */
static void *const OPEN = (void *)&handler;

static int64_t life_of(zend_long seconds)
{
	zend_long most = LIFE_MAX_MS / 1000;

	return (seconds < 1 ? LIFE : seconds < most ? seconds
												: most)
		* INT64_C(1000);
}

/* Of data that are read: not shorter than a lock of them, which may be another's. */
static int64_t life_from_now(void)
{
	return MAX(life_of(php_rlock_session_engine_life()),
		php_rlock_seconds_to_ms(RLOCK_G(session).ttl));
}

/* --- ids and keys --- */

static bool is_valid(const zend_string *id)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,-";

	return ZSTR_LEN(id) > 0 && ZSTR_LEN(id) <= ID_MAX
		&& strspn(ZSTR_VAL(id), allowed) == ZSTR_LEN(id);
}

/* As phpredis names them, so that both handlers exclude each other. */
static void name(struct php_rlock_session *session, const zend_string *id)
{
	const char *form = session->path.needs_braces ? "{%s}_LOCK" : "%s_LOCK";

	session->looks_compressed = session->left.is_known = false;
	snprintf(session->id, sizeof session->id, "%s", ZSTR_VAL(id));
	snprintf(session->key, KEY_SIZE, "%s%s", session->path.prefix, session->id);
	snprintf(session->lock, sizeof session->lock, form, session->key);
}

/* --- a call of a handler's function --- */

static void end_session(struct php_rlock_session *session)
{
	struct rl_release_summary summary;
	rl_time began = session->is_silent ? session->began : rl_now();

	if (RLOCK_G(session).open == session) {
		RLOCK_G(session).open = NULL;
	}
	rl_owner_end_all(&session->owner, 1, began, &summary);
	rl_owner_free(session->owner);
	free(session->data.found);
	free(session);
}

/* NULL: it is not open, or in a call. */
static struct php_rlock_session *enter(void)
{
	struct php_rlock_session *session = RLOCK_G(session).open;

	if (!session || session->is_in_call) {
		return NULL;
	}
	if (session->generation != rl_system_generation()) {
		session->generation = rl_system_generation();
		session->state = session->state == HELD ? READ_ONLY : session->state;
	}
	session->is_in_call = true;
	session->is_silent = false;
	session->began = rl_now();
	return session;
}

static zend_result leave(struct php_rlock_session *session, bool done)
{
	bool bailed_out = session->bailed_out;

	php_rlock_log_eviction(session->owner);
# ifdef ZTS
	rl_owner_tally(session->owner);
# endif
	session->is_in_call = session->bailed_out = false;
	if (session->closed) {
		end_session(session);
	}
	if (bailed_out) {
		zend_bailout();
	}
	return done ? SUCCESS : FAILURE;
}

/* --- calls of the core --- */

static enum rl_status note(struct php_rlock_session *session, enum rl_status status)
{
	session->is_silent = status == RL_UNREACHABLE;
	return status;
}

static void forget(struct rl_guarded *data)
{
	free(data->found);
	data->found = NULL;
	data->was_read = data->is_absent = false;
}

static enum rl_status acquire(struct php_rlock_session *session, struct rl_acquire request,
	rl_time wait, struct rl_error *error)
{
	char metadata[PHP_RLOCK_SESSION_METADATA_SIZE];
	enum rl_status status;

	php_rlock_session_metadata(metadata, session->lock);
	request.metadata = *metadata ? rl_text_of(metadata) : request.metadata;
	request.lease_ms = php_rlock_seconds_to_ms(RLOCK_G(session).ttl);
	request.policy = RL_POLICY_WAIT;
	request.wait = wait;
	rl_owner_begin_call(session->owner);
	status = rl_owner_acquire(session->owner, &request, error);
	rl_owner_end_call(session->owner);
	return note(session, status);
}

static enum rl_status take_lock(struct php_rlock_session *session, bool must_exist, rl_time wait,
	struct rl_error *error)
{
	struct rl_acquire request = { .key = rl_text_of(session->lock), .guarded = &session->data };

	forget(&session->data);
	session->data.key = rl_text_of(session->key);
	session->data.life_ms = life_from_now();
	session->data.must_exist = must_exist;
	return acquire(session, request, wait, error);
}

static enum rl_status release(struct php_rlock_session *session, const char *lock,
	struct rl_guarded *data, struct rl_error *error)
{
	struct rl_release_terms terms = { .confirm = true, .guarded = data };

	return note(session, rl_owner_release(session->owner, rl_text_of(lock), terms, error));
}

/* The data without the lock, which then live for `life_ms`, unless it is 0. False: told. */
static bool look(struct php_rlock_session *session, const zend_string *id, int64_t life_ms,
	struct rl_guarded *data)
{
	char key[KEY_SIZE];
	struct rl_error error;

	snprintf(key, sizeof key, "%s%s", session->path.prefix, ZSTR_VAL(id));
	data->key = rl_text_of(key);
	data->life_ms = life_ms;
	if (note(session, rl_owner_peek(session->owner, data, &error)) == RL_OK) {
		return true;
	}
	if (!php_rlock_upload_is_noted()) {
		php_rlock_session_warn("The session could not be read", &error);
	}
	return false;
}

/* --- beginning --- */

/* As one of so many that may wait. */
static enum rl_status wait_in_place(
	struct php_rlock_session *session, bool must_exist, rl_time wait, struct rl_error *error)
{
	char place[KEY_SIZE];
	struct rl_acquire request = { .is_shared = true, .limit = RLOCK_G(session).max_waiters };
	struct rl_error ignored;
	enum rl_status status;

	snprintf(place, sizeof place, "%s_WAITERS", session->lock);
	request.key = rl_text_of(place);
	status = acquire(session, request, 0, error);
	if (status != RL_OK) {
		return status;
	}
	status = take_lock(session, must_exist, wait, error);
	release(session, place, NULL, &ignored);
	return status;
}

static rl_time longest_wait(void)
{
	bool may_wait = !php_rlock_upload_is_noted() && RLOCK_G(hooks) < HOOKS_MAX;
	double seconds = may_wait ? RLOCK_G(session).wait : 0;

	return seconds < 0 ? RL_FOREVER : php_rlock_seconds_to_time(seconds);
}

/* RL_NO: busy, or data.is_absent. */
static enum rl_status take_turn(
	struct php_rlock_session *session, bool must_exist, struct rl_error *error)
{
	rl_time wait = longest_wait();
	bool asks_first = RLOCK_G(session).max_waiters > 0 && wait > 0;
	enum rl_status status = take_lock(session, must_exist, asks_first ? 0 : wait, error);

	if (status == RL_NO && asks_first && !session->data.is_absent) {
		status = wait_in_place(session, must_exist, wait, error);
	}
	php_rlock_log_slow_wait(
		session->owner, rl_text_of(session->lock), 0, session->began, status);
	return status;
}

/* Busy: what the ini setting wants. */
static void settle_for_less(struct php_rlock_session *session, const zend_string *id)
{
	bool reads = RLOCK_G(session).reads_if_busy || php_rlock_upload_is_noted();

	if (!php_rlock_upload_is_noted()) {
		php_rlock_session_tell_busy(session->owner, session->lock, reads);
	}
	if (reads && look(session, id, 0, &session->data)) {
		session->state = READ_ONLY;
	}
}

/* Gives back what there is, unwritten. */
static void let_go(struct php_rlock_session *session)
{
	struct rl_error ignored;

	if (session->state == HELD) {
		release(session, session->lock, NULL, &ignored);
	}
	session->state = NOTHING;
}

/* False: something was begun of it. Of another id, that is over. */
static bool is_new(struct php_rlock_session *session, const zend_string *id)
{
	if (session->state != NOTHING && strcmp(session->id, ZSTR_VAL(id)) != 0) {
		let_go(session);
	}
	return session->state == NOTHING;
}

/* With the lock. `must_exist`: where there are no data, the state stays NOTHING. */
static void begin(struct php_rlock_session *session, const zend_string *id, bool must_exist)
{
	struct rl_error error;
	enum rl_status status;

	name(session, id);
	session->state = FAILED;
	status = take_turn(session, must_exist, &error);
	if (status == RL_OK) {
		session->state = HELD;
	} else if (status == RL_NO && session->data.is_absent) {
		session->state = NOTHING;
	} else if (status == RL_NO) {
		settle_for_less(session, id);
	} else if (status != RL_INTERRUPTED && !php_rlock_upload_is_noted()) {
		php_rlock_session_warn("The session could not be started", &error);
	}
}

static void begin_to_read(struct php_rlock_session *session, const zend_string *id)
{
	name(session, id);
	forget(&session->data);
	session->state = look(session, id, life_from_now(), &session->data) ? READ_ONLY : FAILED;
}

/*
 * In the way that session_start() was asked for. Where there must be data that are gone once it is
 * our turn, the turn is over.
 */
static void start(struct php_rlock_session *session, const zend_string *id, bool must_exist)
{
	if (!is_new(session, id)) {
		return;
	}
	if (php_rlock_session_engine_only_reads()) {
		begin_to_read(session, id);
	} else {
		begin(session, id, must_exist);
	}
	if (must_exist && session->data.was_read && !session->data.found) {
		let_go(session);
	}
}

/* --- the functions of the handler --- */

static bool run_hook(void *context)
{
	struct php_rlock_session *session = context;

	return !session->closed && php_rlock_wait_hook_run(&session->bailed_out) && !session->closed;
}

static bool make_owner(
	struct php_rlock_session *session, const char *save_path, struct rl_error *error)
{
	struct rl_wait_hook hook = {
		.run = run_hook, .context = session, .is_due = php_rlock_wait_hook_is_due
	};
	double max_hold = RLOCK_G(session).max_hold;
	struct rl_renewal_terms terms = {
		.renew = true,
		.max_hold = max_hold > 0 ? php_rlock_seconds_to_time(max_hold) : RL_FOREVER,
	};

	if (!php_rlock_session_path_read(save_path, &session->path, error)) {
		return false;
	}
	session->owner = rl_owner_new(session->path.route, rl_text_of(""), hook, &terms);
	if (!session->owner) {
		rl_fail_for_memory(error);
	}
	return session->owner != NULL;
}

/* NULL: told why. */
static struct php_rlock_session *open_session(const char *save_path)
{
	struct php_rlock_session *session = calloc(1, sizeof *session);
	struct rl_error error;

	if (!session) {
		rl_fail_for_memory(&error);
	} else if (make_owner(session, save_path, &error)) {
		session->generation = rl_system_generation();
		return session;
	}
	free(session);
	php_rlock_session_warn("The session could not be opened", &error);
	return NULL;
}

static void end_open(void **mod_data)
{
	struct php_rlock_session *session = RLOCK_G(session).open;

	if (PS_GET_MOD_DATA() == OPEN) {
		PS_SET_MOD_DATA(NULL);
	}
	if (session && session->is_in_call) {
		session->closed = true;
	} else if (session) {
		end_session(session);
	}
}

/* What is told runs an error's handler, which may do anything. */
static void tell_life(void)
{
	struct php_rlock_session *session = NULL;

	if (php_rlock_session_engine_life() < 1 && !php_rlock_upload_is_noted()) {
		session = enter();
	}
	if (session) {
		php_error_docref(NULL, E_NOTICE,
			"session.gc_maxlifetime is not above 0; sessions live for %d seconds", LIFE);
		leave(session, true);
	}
}

/* Until PHP 8.5 PHP gives a text, and from 8.6 on a string. */
# if PHP_VERSION_ID < 80600
static const char *text_of(const char *save_path)
{
	return save_path;
}
# else
static const char *text_of(const zend_string *save_path)
{
	return ZSTR_VAL(save_path);
}
# endif

static PS_OPEN_FUNC(rlock)
{
	struct php_rlock_session *session = RLOCK_G(session).open;

	if (session && session->is_in_call) {
		return FAILURE;
	}
	if (session && !php_rlock_session_engine_begins()) {
		return SUCCESS;
	}
	session = open_session(text_of(save_path));
	end_open(mod_data);
	if (!session) {
		return FAILURE;
	}
	RLOCK_G(session).open = session;
	if (php_rlock_session_engine_calls()) {
		PS_SET_MOD_DATA(OPEN);
	}
	tell_life();
	return SUCCESS;
}

static PS_CLOSE_FUNC(rlock)
{
	end_open(mod_data);
	return SUCCESS;
}

/* What was read, which is told once. */
static zend_string *hand_out(struct rl_guarded *data)
{
	zend_string *value = data->found ? zend_string_init(data->found, data->length, false)
									 : ZSTR_EMPTY_ALLOC();

	forget(data);
	return value;
}

static zend_string *read_another(struct php_rlock_session *session, const zend_string *id)
{
	struct rl_guarded data = { .found = NULL };

	return look(session, id, 0, &data) ? hand_out(&data) : NULL;
}

static zend_string *read_own(struct php_rlock_session *session, const zend_string *id)
{
	struct rl_guarded *data = &session->data;

	start(session, id, php_rlock_session_engine_validates());
	if (session->state == FAILED
		|| !(data->was_read || data->is_absent || look(session, id, 0, data))) {
		return NULL;
	}
	session->looks_compressed = data->found
		&& php_rlock_session_looks_compressed((struct rl_text){ data->found, data->length });
	return hand_out(data);
}

static PS_READ_FUNC(rlock)
{
	struct php_rlock_session *session;

	*val = NULL;
	if (!is_valid(key)) {
		php_error_docref(NULL, E_WARNING,
			"The session id is empty, too long, or has other characters than A-Z, a-z, 0-9, \"-\" and \",\"");
		return FAILURE;
	}
	session = enter();
	if (!session) {
		return FAILURE;
	}
	*val = php_rlock_session_engine_has(key) ? read_own(session, key) : read_another(session, key);
	return leave(session, *val != NULL);
}

/* Of the lock, where PHP goes on: a handler may write while it reads, or a page by itself. */
static enum rl_status save(
	struct php_rlock_session *session, struct rl_guarded *data, struct rl_error *error)
{
	enum rl_status status = note(
		session, rl_owner_save(session->owner, rl_text_of(session->lock), data, error));

	free(data->found);
	data->found = NULL;
	data->was_read = false;
	return status;
}

/* What could not be saved yet may be at the end. */
static bool is_over(enum rl_status status, bool ends)
{
	return ends ? status != RL_OK
				: status == RL_NO || status == RL_LOST || status == RL_TIMED_OUT;
}

static void remember(struct php_rlock_session *session, const zend_string *value, int how)
{
	session->left.is_known = !php_rlock_session_engine_calls();
	session->left.is_none = how == RL_GUARDED_DELETE;
	if (session->left.is_known) {
		session->left.hash = zend_inline_hash_func(ZSTR_VAL(value), ZSTR_LEN(value));
	}
}

static bool is_as_left(const struct php_rlock_session *session)
{
	const struct rl_guarded *data = &session->data;

	if (!data->found || session->left.is_none) {
		return !data->found && session->left.is_none;
	}
	return zend_inline_hash_func(data->found, data->length) == session->left.hash;
}

/*
 * Writes, touches or deletes, and gives back if PHP ends the session. RL_OK, also if there was
 * nothing left of it, or what it has come to, which is told.
 */
static enum rl_status give_back(
	struct php_rlock_session *session, zend_string *value, int how, zend_long life)
{
	struct rl_guarded *data = &session->data;
	struct rl_error error;
	enum rl_status status;
	bool ends = php_rlock_session_engine_ends();
	bool is_gone;

	data->key = rl_text_of(session->key);
	data->how = how;
	data->life_ms = ends ? life_of(life) : life_from_now();
	data->value = php_rlock_text(value);
	status = ends ? release(session, session->lock, data, &error) : save(session, data, &error);
	is_gone = status == RL_OK && data->was_there && data->is_absent;
	session->state = is_gone || is_over(status, ends) ? FAILED : ends ? NOTHING
																	  : HELD;
	if (status != RL_OK) {
		php_rlock_session_tell_end(
			session->owner, session->lock, status, how == RL_GUARDED_DELETE, &error);
	} else if (is_gone && (how != RL_GUARDED_DELETE || php_rlock_session_engine_regenerates())) {
		php_error_docref(NULL, E_WARNING,
			"The session was not written: its data were deleted meanwhile, as by a logout elsewhere, or evicted");
	}
	if (session->state == NOTHING) {
		remember(session, value, how);
	}
	return status;
}

/* Without lock and data to the end, there is to be no copy under a new id. */
static bool may_go_on(const struct php_rlock_session *session)
{
	return session->state == NOTHING || !php_rlock_session_engine_regenerates();
}

/* With the lock. What was given back is only written again if nobody has changed it since. */
static void begin_again(struct php_rlock_session *session, const zend_string *id)
{
	bool wrote = session->left.is_known && strcmp(session->id, ZSTR_VAL(id)) == 0;

	begin(session, id, false);
	if (wrote && session->state == HELD && !is_as_left(session)) {
		let_go(session);
		session->state = FAILED;
		php_error_docref(NULL, E_WARNING,
			"The session was not written again: another request has changed it meanwhile");
	}
}

/*
 * What was given back is taken again first. A failure has been told, and is none to PHP, which
 * would quote the save_path, with the password.
 */
static bool write_own(struct php_rlock_session *session, const zend_string *id, zend_string *value,
	int how, zend_long life)
{
	if (ZSTR_LEN(value) > RL_GUARDED_MAX_BYTES) {
		php_error_docref(NULL, E_WARNING,
			"The session has %zu bytes, and was not written: the most there can be is %d",
			ZSTR_LEN(value), RL_GUARDED_MAX_BYTES);
		return true;
	}
	if (is_new(session, id)) {
		begin_again(session, id);
	}
	if (session->state == HELD) {
		give_back(session, value, how, life);
	}
	return may_go_on(session);
}

static zend_result write_data(zend_string *id, zend_string *value, int how, zend_long life)
{
	struct php_rlock_session *session = is_valid(id) ? enter() : NULL;

	if (!session) {
		return FAILURE;
	}
	return leave(session,
		php_rlock_session_engine_has(id) && write_own(session, id, value, how, life));
}

static PS_WRITE_FUNC(rlock)
{
	return write_data(key, val, RL_GUARDED_WRITE, maxlifetime);
}

static PS_UPDATE_TIMESTAMP_FUNC(rlock)
{
	return write_data(key, val, RL_GUARDED_TOUCH, maxlifetime);
}

static bool delete_unlocked(struct php_rlock_session *session, const zend_string *id)
{
	struct rl_guarded data = { .found = NULL };
	bool done = look(session, id, -1, &data);

	forget(&data);
	return done;
}

/* Who logs out is to be logged out, whoever has the lock: that one does not write what is gone. */
static bool delete_own(struct php_rlock_session *session, const zend_string *id)
{
	enum rl_status status = RL_LOST;

	if (session->looks_compressed && !php_rlock_session_engine_was_told_to_destroy()) {
		php_error_docref(NULL, E_NOTICE,
			"The session's data look compressed, which only phpredis can read, and stay as they are; set "
			"redis.session.compression to \"none\" there");
		let_go(session);
		return true;
	}
	is_new(session, id);
	if (session->state == HELD) {
		status = give_back(session, ZSTR_EMPTY_ALLOC(), RL_GUARDED_DELETE, 1);
	} else if (!may_go_on(session)) {
		return false;
	}
	if (status != RL_LOST && status != RL_TIMED_OUT) {
		return status == RL_OK && may_go_on(session);
	}
	return delete_unlocked(session, id) && may_go_on(session);
}

static PS_DESTROY_FUNC(rlock)
{
	struct php_rlock_session *session = is_valid(key) ? enter() : NULL;

	if (!session) {
		return FAILURE;
	}
	return leave(session,
		php_rlock_session_engine_has(key) ? delete_own(session, key)
										  : delete_unlocked(session, key));
}

/* Redis forgets by itself. */
static PS_GC_FUNC(rlock)
{
	*nrdels = 0;
	return 0;
}

static PS_CREATE_SID_FUNC(rlock)
{
	return php_rlock_session_engine_create_id(mod_data);
}

static bool is_another_known(struct php_rlock_session *session, const zend_string *id)
{
	struct rl_guarded data = { .found = NULL };

	look(session, id, 0, &data);
	forget(&data);
	return data.was_there;
}

/*
 * In strict mode. That a session could not be had is no reason for another id: read() tells PHP.
 */
static PS_VALIDATE_SID_FUNC(rlock)
{
	struct php_rlock_session *session = is_valid(key) ? enter() : NULL;

	if (!session) {
		return FAILURE;
	}
	if (!php_rlock_session_engine_has(key)) {
		return leave(session, is_another_known(session, key));
	}
	start(session, key, true);
	return leave(session, session->state != NOTHING);
}

static const ps_module handler = { PS_MOD_UPDATE_TIMESTAMP(rlock) };

void php_rlock_session_startup(void)
{
	php_rlock_session_engine_register(&handler);
}

void php_rlock_session_let_go(void)
{
	struct php_rlock_session *session = RLOCK_G(session).open;

	if (session) {
		session->is_in_call = false; /* a fatal error may have left it set */
		let_go(session);
	}
}

void php_rlock_session_finish(void)
{
	if (RLOCK_G(session).open) {
		end_session(RLOCK_G(session).open);
	}
}
#endif
