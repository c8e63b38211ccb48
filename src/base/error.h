/*
 * How a part of the core says that something went wrong: a status for the program and an
 * error struct for the person. The core never throws, prints or aborts.
 */
#ifndef RL_ERROR_H
#define RL_ERROR_H

#include <stdarg.h>

#include "system.h"
#include "text.h"

enum rl_status {
	RL_OK = 0,
	RL_NO,        /* a plain no: busy, not held, not yet */
	RL_TIMED_OUT, /* verdict: our lease ran out, no rlock client has had the lock since */
	RL_LOST,      /* verdict: another has had it, or that cannot be excluded */
	/* no connection, no answer before the deadline, or an answer that makes no sense */
	RL_UNREACHABLE,
	RL_REFUSED,     /* the server answered with an error; `code` has its first word */
	RL_INTERRUPTED, /* the wait hook asked to stop; or nobody wants it any more (stack.h) */
	/*
	 * cannot be done here, whatever a server says: not held, inherited across a fork, a wait that
	 * cannot end
	 */
	RL_MISUSE,
	RL_INVALID, /* an argument that no call could use */
	RL_NO_MEMORY,
	/* what was asked about is not what it was before: the core looks again, and tells nobody */
	RL_AGAIN
};

#define RL_ERROR_MESSAGE_SIZE 512
#define RL_ERROR_CODE_SIZE    32

enum rl_cause {
	RL_CAUSE_OTHER = 0,
	RL_CAUSE_CLOSED, /* the server took the connection, and has closed it */
	/*
	 * The same, before it had answered the greeting: over TLS a server that is full does, or a
	 * proxy whose server is away.
	 */
	RL_CAUSE_TURNED_AWAY,
	RL_CAUSE_NAME /* the server's name was not resolved */
};

struct rl_error {
	char message[RL_ERROR_MESSAGE_SIZE]; /* printable, complete: what, which key, which server */
	char code[RL_ERROR_CODE_SIZE];       /* RL_REFUSED: "OOM", "NOAUTH", "READONLY", "ERR", ... */
	/* of a verdict on another key than the call's; otherwise without data */
	struct rl_text key;
	rl_time late_by;  /* verdicts: how long after the deadline; 0 if before it */
	rl_time deadline; /* verdicts: of the call; what explains it is asked for until then */
	bool held;        /* RL_TIMED_OUT by prolongate: it is ours again */
	/*
	 * RL_LOST because no answer came: whoever may have it now cannot be asked either; or a change
	 * of mode of which it is not known whether it was done: the lock is not held any more
	 */
	bool unanswered;
	enum rl_cause cause; /* of RL_UNREACHABLE */
};

/*
 * Fills `error` and returns `status`, so that a caller can `return rl_fail(...)`. The message is
 * made printable as by rl_text_printable(). All other members are reset; the caller sets those that
 * apply afterwards. The arguments may point into `error`.
 */
enum rl_status rl_fail(struct rl_error *error, enum rl_status status, const char *format, ...)
	RL_CHECK_FORMAT(3, 4);
/* A message alone. The arguments may point into it. */
void rl_error_put_message(
	char message[RL_ERROR_MESSAGE_SIZE], const char *format, va_list arguments);
/* Fills `error` and returns RL_NO_MEMORY. */
enum rl_status rl_fail_for_memory(struct rl_error *error);
/* Nobody wants what is waited for any more: fills `error` and returns RL_INTERRUPTED. */
enum rl_status rl_fail_unwanted(struct rl_error *error);
/* Whether the server took the connection, and has closed it, early or late. */
bool rl_error_is_closed(const struct rl_error *error);

#endif
