/*
 * One connection to one server: a stream of commands and replies. handshake.h makes one.
 *
 * hiredis formats and parses; sending, receiving and waiting are ours, so that every call has one
 * absolute deadline whatever the server does (drip-fed bytes, silence, signals). After a timeout or a
 * protocol error nothing more may be read here: a late reply would answer the next question.
 * Such a connection calls itself unusable and must be closed.
 */
#ifndef RL_CONNECTION_H
#define RL_CONNECTION_H

#include "address.h"
#include "output.h"
#include "reply.h"
#include "transport.h"

/*
 * An answer that nobody waits for: it is read before the next one, whoever reads that. Once
 * settled it is forgotten here and may be freed.
 */
struct rl_deferred {
	/* `reply` NULL: the connection ended before the answer came. */
	void (*on_reply)(struct rl_deferred *deferred, const struct rl_reply *reply);
	struct rl_connection *connection; /* that it is out on */
	rl_time came_at;                  /* once settled: when the reply came; or before which it surely had not */
	struct rl_deferred *next;
};

struct rl_script;

#define RL_CLOCK_UNKNOWN INT64_MIN

/* All that there are. */
#define RL_SCRIPTS_MAX 8

struct rl_connection {
	struct rl_transport *transport; /* `plain`, or TLS over it */
	redisReader *reader;
	struct rl_reply_space replies;    /* where the reader puts them */
	struct rl_output output;          /* queued, and not sent yet */
	const struct rl_address *address; /* the server's, which outlives its connections */
	size_t unanswered;                /* commands whose reply has not been read */
	struct rl_deferred *deferred;     /* the first of them, in order */
	size_t deferred_count;
	const struct rl_script *scripts_run[RL_SCRIPTS_MAX]; /* that the server has run by their text or their hash */
	rl_time owed_since;                                  /* the first of them, at the longest */
	rl_time silent_at;                                   /* when none of their replies had come for the last time */
	bool overdue;                                        /* somebody has waited for one of them until the deadline */
	bool broken;
	bool patient;        /* may wait in the first receive of an answer */
	rl_time used_at;     /* when it was given back last, or had an answer that was owed */
	bool may_evict;      /* INFO said that full memory evicts keys, locks among them */
	rl_time clock_ahead; /* the server's clock less ours, at most; RL_CLOCK_UNKNOWN */
	uint64_t generation; /* of the process that dialled */
	/* While it is idle, in the list of idle.h. */
	struct rl_connection *newer, *older;
	struct rl_transport plain;
	char room[4096]; /* what it receives into: a fiber's stack is small */
};

/*
 * A connection on a socket that is connected already, without a greeting. Takes the socket over,
 * also on failure; the address must outlive it. NULL: out of memory.
 */
struct rl_connection *rl_connection_on(int fd, const struct rl_address *address);
/*
 * Closes it when the server has answered all that it owes, or has owed an answer for `timeout`; at once where only
 * answers are owed that nobody is to hear. A server that finds a connection closed when it answers one request drops
 * what came behind it unread, be it a release.
 */
void rl_connection_part(struct rl_connection *connection, rl_time timeout);
/* In a forked child this touches nothing but the child's own descriptor. */
void rl_connection_close(struct rl_connection *connection);

/* Nothing is owed either way but deferred answers, and nothing came unasked. */
bool rl_connection_is_usable(const struct rl_connection *connection);
/* So it is not asked whether it lives: what happens so soon might as well have happened while the next request is out. */
bool rl_connection_was_just_used(const struct rl_connection *connection);
/* And after some time idle, up to `now`: the server has neither closed it nor said anything meanwhile. */
bool rl_connection_is_still_usable(struct rl_connection *connection, rl_time now);

/* Answers are waited for by receiving, not by polling first. Over TLS it does nothing. */
void rl_connection_be_patient(struct rl_connection *connection);

/* Queues a command. */
enum rl_status rl_connection_append(struct rl_connection *connection, size_t count,
	const struct rl_text *words, struct rl_error *error);
/* Sends what is queued. RL_OK or RL_UNREACHABLE. */
enum rl_status rl_connection_flush(struct rl_connection *connection, rl_time deadline, struct rl_error *error);
/* Sends what the system takes at once. RL_NO: not all, go on when it is writable. Or RL_UNREACHABLE. */
enum rl_status rl_connection_try_flush(struct rl_connection *connection, struct rl_error *error);
bool rl_connection_has_unsent(const struct rl_connection *connection);
/* Of what was queued last, anything has left us. */
bool rl_connection_has_sent(const struct rl_connection *connection);
/* The next reply, valid until the next read. An error reply is RL_OK here. RL_OK or RL_UNREACHABLE. */
enum rl_status rl_connection_read(struct rl_connection *connection, rl_time deadline,
	const struct rl_reply **reply, struct rl_error *error);
/* The same without waiting: RL_NO if the reply is not complete yet. */
enum rl_status rl_connection_try_read(struct rl_connection *connection,
	const struct rl_reply **reply, struct rl_error *error);

/*
 * Sends one command and waits for its answer. RL_OK, or RL_REFUSED, RL_UNREACHABLE, RL_NO_MEMORY.
 */
enum rl_status rl_connection_exchange(struct rl_connection *connection, const struct rl_text *words, size_t count,
	rl_time deadline, const struct rl_reply **reply, struct rl_error *error);

/* Whether the server has run this script on this connection: it may have been flushed since. */
bool rl_connection_has_run(const struct rl_connection *connection, const struct rl_script *script);
void rl_connection_note_run(struct rl_connection *connection, const struct rl_script *script);

/* The deadline has passed: RL_UNREACHABLE, and it is not used again. */
enum rl_status rl_connection_too_late(struct rl_connection *connection, struct rl_error *error);

/* As rl_connection_read(), but the reply before stays valid. Of this one its type and its number are told; an error is RL_REFUSED. */
enum rl_status rl_connection_read_aside(struct rl_connection *connection, rl_time deadline, struct rl_reply *reply,
	struct rl_error *error);

/* The command sent last is not waited for. Nothing that is waited for may be out. */
void rl_connection_defer(struct rl_connection *connection, struct rl_deferred *deferred);
/* And nobody is to hear its answer. False: out of memory. */
bool rl_connection_defer_to_nobody(struct rl_connection *connection);
/*
 * Before it is lent: reads what has come of the deferred answers, unless that was looked for just now. So what is
 * read while a later answer is waited for has come meanwhile.
 */
void rl_connection_catch_up(struct rl_connection *connection);
/* Reads what has come of the deferred answers; with a later deadline, waits for all of them. In a forked child, nothing. */
void rl_connection_read_deferred(struct rl_connection *connection, rl_time deadline);

/*
 * Says that nothing more will be sent, at which the server drops what it has not answered yet, and
 * closes. Until then answers that were on their way can be read; then reading fails.
 */
void rl_connection_hang_up(struct rl_connection *connection);

/*
 * The server has said what its clock showed, in microseconds since 1970, when it ran what we sent at
 * `sent_at` or later. Only what we calculate from it must not be too early: a request may be under way
 * for any time.
 */
void rl_connection_note_clock(struct rl_connection *connection, int64_t clock_us, rl_time sent_at);

int rl_connection_fd(const struct rl_connection *connection);

/* An error reply as RL_REFUSED: its code, and its text made printable. */
enum rl_status rl_connection_refusal(const struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error);

#endif
