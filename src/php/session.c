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
 * Starting takes the lock and reads the data in one step; writing and destroying give the lock back
 * in one step. Code of the script may call these in any order, by a SessionHandler. So nothing here
 * relies on the order: a session says itself what it has of which id.
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

# include "SAPI.h"
# include "ext/session/php_session.h"
# include "zend_exceptions.h"

# include "../lock/guarded.h"
# include "../lock/owner/owner.h"
# include "../redis/spin.h"
# include "seconds.h"
# include "servers.h"
# include "session_path.h"
# include "session_words.h"
# include "text.h"
# include "upload.h"
# include "wait_hook.h"
# include "warn.h"

# define ID_MAX      256 /* as PHP's own handlers */
# define PREFIX_MAX  1000
# define LIFE_MAX_MS INT64_C(1000000000000)
# define KEY_SIZE    (PREFIX_MAX + ID_MAX + sizeof "{}_LOCK_WAITERS")

struct php_rlock_session {
	struct rl_owner *owner;
	char prefix[PREFIX_MAX + 1];
	bool is_cluster;
	uint64_t generation; /* of the process that opened it: a child leaves it alone */
	/* What there is of the session with this id, which is what the keys are made of. */
	enum {
		NOTHING,
		HELD,
		READ_ONLY, /* the data were read without the lock */
		FAILED,    /* it could not be had, of which PHP has been told, or will be by read() */
		LOST       /* the lock was, and the data are another's now */
	} state;
	char id[ID_MAX + 1];
	char key[KEY_SIZE], lock[KEY_SIZE]; /* of the data and of the lock */
	char created[ID_MAX + 1];           /* the last id that was made here */
	struct rl_guarded guarded;
	unsigned calls;  /* of these functions that are running: PHP code may call one within another */
	bool closed;     /* by such code: the last of them ends it */
	bool bailed_out; /* a fatal error in such code; the call goes on with that when it ends */
	RL_LINK(struct php_rlock_session, link);
};

/* --- PHP's session module, which may be loaded before us or after, or not at all --- */

static struct {
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

	if (!zend_hash_str_exists(&module_registry, ZEND_STRL("session"))) {
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

static const php_ps_globals *globals(void)
{
# ifdef ZTS
	return TSRMG_BULK(*(ts_rsrc_id *)module.globals, php_ps_globals *);
# else
	return module.globals;
# endif
}

/* PHP does not tell a handler; but the option is an argument of session_start(). */
static bool reads_and_closes(void)
{
	const zend_execute_data *frame = EG(current_execute_data);
	zval *options, *option = NULL;

	while (frame
		&& !(frame->func && frame->func->type == ZEND_INTERNAL_FUNCTION
			&& !frame->func->common.scope && frame->func->common.function_name
			&& zend_string_equals_literal(frame->func->common.function_name, "session_start"))) {
		frame = frame->prev_execute_data;
	}
	if (!frame || ZEND_CALL_NUM_ARGS(frame) == 0) {
		return false;
	}
	options = ZEND_CALL_ARG(frame, 1);
	ZVAL_DEREF(options);
	if (Z_TYPE_P(options) == IS_ARRAY) {
		option = zend_hash_str_find_deref(Z_ARRVAL_P(options), ZEND_STRL("read_and_close"));
	}
	return option && Z_TYPE_P(option) <= IS_STRING && zval_get_long(option) > 0;
}

/* --- ids and keys --- */

static bool is_valid(const zend_string *id)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,-";

	return ZSTR_LEN(id) > 0 && ZSTR_LEN(id) <= ID_MAX
		&& strspn(ZSTR_VAL(id), allowed) == ZSTR_LEN(id);
}

static bool is_about(const struct php_rlock_session *session, const zend_string *id)
{
	return session->state != NOTHING && strcmp(session->id, ZSTR_VAL(id)) == 0;
}

/* As Redis Cluster finds it: something between the first brace and the next that closes one. */
static bool has_hash_tag(const char *text)
{
	const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;

	return close && close > open + 1;
}

/* As phpredis names them, so that both handlers exclude each other. */
static void make_keys(struct php_rlock_session *session, const zend_string *id)
{
	bool wraps = session->is_cluster && !has_hash_tag(session->prefix);

	snprintf(session->id, sizeof session->id, "%s", ZSTR_VAL(id));
	snprintf(session->key, sizeof session->key, "%s%s", session->prefix, session->id);
	snprintf(session->lock, sizeof session->lock, "%s%s%s_LOCK", wraps ? "{" : "", session->key,
		wraps ? "}" : "");
	session->guarded.key = rl_text_of(session->key);
}

static void forget_value(struct php_rlock_session *session)
{
	free(session->guarded.found);
	session->guarded.found = NULL;
	session->guarded.was_read = session->guarded.is_absent = false;
}

/* --- calls of the core --- */

static void end_session(struct php_rlock_session *session)
{
	struct rl_release_summary summary;

	RL_LIST_REMOVE(session, link);
	rl_owner_end_all(&session->owner, 1, rl_now(), &summary);
	rl_owner_free(session->owner);
	free(session->guarded.found);
	free(session);
}

/* NULL: it is not open. */
static struct php_rlock_session *enter(void **mod_data)
{
	struct php_rlock_session *session = *mod_data;

	if (session) {
		session->calls++;
		rl_spin_allow(RLOCK_G(spin));
	}
	return session;
}

static zend_result leave(struct php_rlock_session *session, bool done)
{
	bool bailed_out = session->bailed_out;

	php_rlock_log_eviction(session->owner);
# ifdef ZTS
	rl_owner_tally(session->owner);
# endif
	session->bailed_out = false;
	if (--session->calls == 0 && session->closed) {
		end_session(session);
	}
	if (bailed_out) {
		zend_bailout();
	}
	return done ? SUCCESS : FAILURE;
}

static enum rl_status acquire(struct php_rlock_session *session, struct rl_acquire request,
	rl_time wait, struct rl_error *error)
{
	char metadata[PHP_RLOCK_SESSION_METADATA_SIZE];

	php_rlock_session_metadata(metadata);
	request.metadata = *metadata ? rl_text_of(metadata) : request.metadata;
	request.lease_ms = php_rlock_seconds_to_ms(RLOCK_G(session).ttl);
	request.policy = RL_POLICY_WAIT;
	request.wait = wait;
	return rl_owner_acquire(session->owner, &request, error);
}

static enum rl_status take_lock(struct php_rlock_session *session, bool must_exist, rl_time wait,
	struct rl_error *error)
{
	forget_value(session);
	session->guarded.must_exist = must_exist;
	return acquire(session,
		(struct rl_acquire){ .key = rl_text_of(session->lock), .guarded = &session->guarded }, wait,
		error);
}

static enum rl_status release(struct php_rlock_session *session, const char *lock,
	struct rl_guarded *guarded, struct rl_error *error)
{
	return rl_owner_release(session->owner, rl_text_of(lock),
		(struct rl_release_terms){ .confirm = true, .guarded = guarded }, error);
}

/* Waits within each other, each in a signal handler of the one before. */
# define HOOKS_MAX 100

/* As one of so many that may wait. */
static enum rl_status wait_in_place(
	struct php_rlock_session *session, bool must_exist, rl_time wait, struct rl_error *error)
{
	char place[KEY_SIZE];
	struct rl_error ignored;
	enum rl_status status;

	snprintf(place, sizeof place, "%s_WAITERS", session->lock);
	status = acquire(session,
		(struct rl_acquire){ .key = rl_text_of(place),
			.is_shared = true,
			.limit = RLOCK_G(session).max_waiters },
		0, error);
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

/* RL_NO: busy, or guarded.is_absent. */
static enum rl_status take_turn(
	struct php_rlock_session *session, bool must_exist, struct rl_error *error)
{
	rl_time wait = longest_wait();
	bool asks_first = RLOCK_G(session).max_waiters > 0 && wait > 0;
	enum rl_status status = take_lock(session, must_exist, asks_first ? 0 : wait, error);

	if (status == RL_NO && asks_first && !session->guarded.is_absent) {
		status = wait_in_place(session, must_exist, wait, error);
	}
	return status;
}

/* The data without the lock. False: told. */
static bool peek(struct php_rlock_session *session, int64_t life_ms)
{
	struct rl_error error;
	enum rl_status status;

	forget_value(session);
	session->guarded.life_ms = life_ms;
	status = rl_owner_peek(session->owner, &session->guarded, &error);
	if (status != RL_OK && !php_rlock_upload_is_noted()) {
		php_rlock_session_warn("The session could not be read", &error);
	}
	return status == RL_OK;
}

/* Redis takes neither 0 nor what overflows. */
static int64_t life_of(zend_long seconds)
{
	zend_long most = LIFE_MAX_MS / 1000;

	return (seconds < 1 ? 1 : seconds < most ? seconds
											 : most)
		* INT64_C(1000);
}

/* --- beginning --- */

/* Busy: what the ini setting wants. False: the session cannot be had. */
static bool settle_for_less(struct php_rlock_session *session)
{
	bool reads = RLOCK_G(session).reads_if_busy;

	if (!php_rlock_upload_is_noted()) {
		php_rlock_session_tell_busy(session->owner, session->lock, reads);
	}
	if (!reads || !peek(session, 0)) {
		return false;
	}
	session->state = READ_ONLY;
	return true;
}

/* Where the data are gone once it is our turn, the turn is over. */
static void step_back(struct php_rlock_session *session)
{
	struct rl_error ignored;

	release(session, session->lock, NULL, &ignored);
	session->state = NOTHING;
	session->guarded.is_absent = true;
}

/*
 * Takes the lock and reads. `must_exist`: if there are no data, this leaves the state NOTHING.
 */
static void begin(struct php_rlock_session *session, const zend_string *id, bool must_exist)
{
	struct rl_error error;
	enum rl_status status;

	make_keys(session, id);
	session->state = FAILED;
	status = take_turn(session, must_exist, &error);
	if (status == RL_OK) {
		session->state = HELD;
		if (must_exist && session->guarded.was_read && !session->guarded.found) {
			step_back(session);
		}
	} else if (status == RL_NO && session->guarded.is_absent) {
		session->state = NOTHING;
	} else if (status == RL_NO) {
		settle_for_less(session);
	} else if (status != RL_INTERRUPTED && !php_rlock_upload_is_noted()) {
		php_rlock_session_warn("The session could not be started", &error);
	}
}

/* Gives back what there is of another id, unwritten. */
static void let_go(struct php_rlock_session *session)
{
	struct rl_error ignored;

	if (session->state == HELD && session->generation == rl_system_generation()) {
		release(session, session->lock, NULL, &ignored);
	}
	session->state = NOTHING;
	forget_value(session);
}

static void read_only(struct php_rlock_session *session, const zend_string *id)
{
	make_keys(session, id);
	session->state = peek(session, life_of(globals()->gc_maxlifetime)) ? READ_ONLY : FAILED;
}

/* What was read, which is told once. False: it cannot be data of a session. */
static bool hand_out(struct php_rlock_session *session, zend_string **value)
{
	struct rl_guarded *guarded = &session->guarded;
	struct rl_text found = { guarded->found, guarded->length };

	if (found.data && php_rlock_session_is_compressed(found, globals()->serializer->name)) {
		php_error_docref(NULL, E_WARNING,
			"The session's data are compressed, which only phpredis can read; set redis.session.compression "
			"to \"none\" there");
		return false;
	}
	*value = found.data ? zend_string_init(found.data, found.length, false) : ZSTR_EMPTY_ALLOC();
	forget_value(session);
	return true;
}

/* --- the functions of the handler --- */

static struct rl_route *make_route(
	struct php_rlock_session *session, const char *save_path, struct rl_error *error)
{
	struct php_rlock_session_path path;
	const zend_string *prefix = RLOCK_G(session).prefix;
	enum rl_status status = php_rlock_session_path_read(save_path, &path, error);
	struct rl_route *route;

	if (status != RL_OK) {
		return NULL;
	}
	session->is_cluster = path.deployment->addresses && !path.deployment->addresses->master;
	prefix = path.prefix ? path.prefix : prefix;
	if (ZSTR_LEN(prefix) > PREFIX_MAX) {
		rl_deployment_free(path.deployment);
		rl_fail(error, RL_INVALID, "the prefix of its keys is longer than %d bytes", PREFIX_MAX);
		route = NULL;
	} else {
		snprintf(session->prefix, sizeof session->prefix, "%s",
			ZSTR_LEN(prefix)          ? ZSTR_VAL(prefix)
				: session->is_cluster ? "PHPREDIS_CLUSTER_SESSION:"
									  : "PHPREDIS_SESSION:");
		route = rl_deployment_route(path.deployment, &RLOCK_G(cache));
		if (!route) {
			rl_fail_for_memory(error);
		}
	}
	if (path.prefix) {
		zend_string_release(path.prefix);
	}
	if (route && session->is_cluster && strpbrk(session->prefix, "{}")
		&& !has_hash_tag(session->prefix)) {
		route->kind->free(route);
		rl_fail(error, RL_INVALID,
			"the prefix of its keys has a brace and no hash tag, so that lock and data would not be in one slot");
		return NULL;
	}
	return route;
}

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
	struct rl_route *route = make_route(session, save_path, error);

	if (!route) {
		return false;
	}
	session->owner = rl_owner_new(route, rl_text_of(""), hook, &terms);
	if (!session->owner) {
		rl_fail_for_memory(error);
	}
	return session->owner != NULL;
}

/*
 * PHP has one session at a time. It forgets one without closing it where an exception was pending
 * in a handler around this one.
 */
static void end_forgotten(void)
{
	struct php_rlock_session *session = RLOCK_G(session).first;

	while (session) {
		struct php_rlock_session *next = session->link.next;

		if (session->calls == 0) {
			end_session(session);
		}
		session = next;
	}
}

static PS_OPEN_FUNC(rlock)
{
	struct php_rlock_session *session = PS_GET_MOD_DATA();
	struct rl_error error;

	if (session) {
		return SUCCESS;
	}
	end_forgotten();
	session = calloc(1, sizeof *session);
	if (!session || !make_owner(session, save_path, &error)) {
		if (!session) {
			rl_fail_for_memory(&error);
		}
		free(session);
		php_rlock_session_warn("The session could not be opened", &error);
		return FAILURE;
	}
	session->generation = rl_system_generation();
	RL_LIST_ADD(&RLOCK_G(session).first, session, link);
	PS_SET_MOD_DATA(session);
	return SUCCESS;
}

static PS_CLOSE_FUNC(rlock)
{
	struct php_rlock_session *session = PS_GET_MOD_DATA();

	PS_SET_MOD_DATA(NULL);
	if (session && session->calls > 0) {
		session->closed = true;
	} else if (session) {
		end_session(session);
	}
	return SUCCESS;
}

/* Takes the lock if that is wanted, unless this is the session that is open already. */
static void start(struct php_rlock_session *session, const zend_string *id, bool must_exist)
{
	if (is_about(session, id)) {
		return;
	}
	let_go(session);
	if (reads_and_closes()) {
		read_only(session, id);
	} else {
		begin(session, id, must_exist);
	}
}

static bool read_data(struct php_rlock_session *session, const zend_string *id, zend_string **value)
{
	start(session, id, false);
	return session->state != FAILED && session->state != LOST && !session->closed
		&& (session->guarded.was_read || peek(session, 0)) && hand_out(session, value);
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
	session = enter(mod_data);
	return session ? leave(session, read_data(session, key, val)) : FAILURE;
}

/*
 * Writes, touches or deletes, and gives back. What was given back or never had is had again first.
 * RL_OK; RL_NO: it could not be had, or only be read; otherwise what it has come to, which is told.
 */
static enum rl_status give_back(struct php_rlock_session *session, const zend_string *id,
	zend_string *value, int how, zend_long life)
{
	struct rl_guarded *guarded = &session->guarded;
	struct rl_error error;
	enum rl_status status;

	if (!is_about(session, id)) {
		let_go(session);
		begin(session, id, false);
	}
	if (session->state != HELD || session->closed) {
		return RL_NO;
	}
	guarded->how = how;
	guarded->life_ms = life_of(life);
	guarded->value = php_rlock_text(value);
	status = release(session, session->lock, guarded, &error);
	forget_value(session);
	session->state = status == RL_OK ? NOTHING : LOST;
	if (status != RL_OK) {
		php_rlock_session_tell_end(
			session->owner, session->lock, status, how == RL_GUARDED_DELETE, &error);
	}
	return status;
}

/*
 * A failure has been told, and is none to PHP, which would quote the save_path, with the password.
 */
static zend_result write_data(
	void **mod_data, zend_string *id, zend_string *value, int how, zend_long life)
{
	struct php_rlock_session *session = *mod_data;

	if (!session || !is_valid(id)) {
		return FAILURE;
	}
	if (session->generation != rl_system_generation()
		|| (is_about(session, id) && session->state != HELD)) {
		return SUCCESS;
	}
	if (ZSTR_LEN(value) > RL_GUARDED_MAX_BYTES) {
		php_error_docref(NULL, E_WARNING,
			"The session has %zu bytes, and was not written: the most there can be is %d",
			ZSTR_LEN(value), RL_GUARDED_MAX_BYTES);
		return SUCCESS;
	}
	enter(mod_data);
	give_back(session, id, value, how, life);
	return leave(session, true);
}

static PS_WRITE_FUNC(rlock)
{
	return write_data(mod_data, key, val, RL_GUARDED_WRITE, maxlifetime);
}

static PS_UPDATE_TIMESTAMP_FUNC(rlock)
{
	return write_data(mod_data, key, val, RL_GUARDED_TOUCH, maxlifetime);
}

/*
 * Also where the lock was lost: who logs out is to be logged out. If that had been found out
 * before, nothing was sent; then the data are left a millisecond to live.
 */
static bool delete_data(struct php_rlock_session *session, zend_string *id)
{
	enum rl_status status;

	if (session->state == LOST) {
		session->state = NOTHING;
	}
	status = give_back(session, id, ZSTR_EMPTY_ALLOC(), RL_GUARDED_DELETE, 1);
	return status == RL_OK
		|| ((status == RL_LOST || status == RL_TIMED_OUT) && !session->closed && peek(session, 1));
}

static PS_DESTROY_FUNC(rlock)
{
	struct php_rlock_session *session = PS_GET_MOD_DATA();

	if (!session || !is_valid(key) || session->generation != rl_system_generation()) {
		return FAILURE;
	}
	if (is_about(session, key) && session->state == READ_ONLY) {
		php_error_docref(NULL, E_WARNING,
			"The session was only read, and is not destroyed while another request has it");
		return FAILURE;
	}
	enter(mod_data);
	return leave(session, delete_data(session, key));
}

/* Redis forgets by itself. */
static PS_GC_FUNC(rlock)
{
	*nrdels = 0;
	return 0;
}

static PS_CREATE_SID_FUNC(rlock)
{
	struct php_rlock_session *session = PS_GET_MOD_DATA();
	zend_string *id = module.create_id(mod_data);

	if (session && id && ZSTR_LEN(id) <= ID_MAX) {
		snprintf(session->created, sizeof session->created, "%s", ZSTR_VAL(id));
	}
	return id;
}

/* Whether there are data of an id that was made just now, or beside an open session. */
static bool is_taken(struct php_rlock_session *session, const zend_string *id)
{
	char key[KEY_SIZE];
	struct rl_guarded other = { .key = { key, 0 } };
	struct rl_error ignored;
	bool taken;

	snprintf(key, sizeof key, "%s%s", session->prefix, ZSTR_VAL(id));
	other.key.length = strlen(key);
	taken = rl_owner_peek(session->owner, &other, &ignored) == RL_OK && other.found;
	free(other.found);
	return taken;
}

static bool is_known(struct php_rlock_session *session, const zend_string *id)
{
	bool was_open = is_about(session, id);

	if (!was_open
		&& (session->state == HELD || strcmp(session->created, ZSTR_VAL(id)) == 0)) {
		return is_taken(session, id);
	}
	start(session, id, true);
	if (!was_open && session->state == READ_ONLY && !session->guarded.found) {
		session->state = NOTHING;
	}
	return session->state != NOTHING;
}

/* Strict mode. That a session could not be had is no reason for another id: read() tells PHP. */
static PS_VALIDATE_SID_FUNC(rlock)
{
	struct php_rlock_session *session = is_valid(key) ? enter(mod_data) : NULL;

	return session ? leave(session, is_known(session, key)) : FAILURE;
}

static const ps_module handler = { PS_MOD_UPDATE_TIMESTAMP(rlock) };

void php_rlock_session_startup(void)
{
	if (find_module()) {
		module.register_module(&handler);
	}
}

void php_rlock_session_let_go(void)
{
	struct php_rlock_session *session = RLOCK_G(session).first;

	for (; session; session = session->link.next) {
		let_go(session);
	}
}

void php_rlock_session_finish(void)
{
	while (RLOCK_G(session).first) {
		end_session(RLOCK_G(session).first);
	}
}
#endif
