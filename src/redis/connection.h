/*
 * One connection to one server: a stream of commands and replies. handshake.h makes one.
 *
 * hiredis parses; formatting, sending, receiving and waiting are our own, so that every call has
 * one absolute deadline whatever happens (a server that sends byte by byte, silence, signals).
 * After a timeout or a protocol error nothing more may be read from a connection, because a late
 * reply would pass for the answer to the next command. rl_connection_is_usable() is false then, and
 * the connection has to be closed.
 *
 *   rl_connection_append()      once or several times
 *   rl_connection_try_flush()   until all is sent
 *   rl_connection_try_read()    once for each command, or
 *   rl_connection_defer()       where nobody waits for the answer
 *
 * None of these waits, and rl_connection_add_polls() adds what is waited for. Where that is one
 * answer alone, the wait may be within receiving (poll.h).
 */
#ifndef RL_CONNECTION_H
#define RL_CONNECTION_H

#include "address.h"
#include "../base/poll.h"
#include "facts.h"
#include "output.h"
#include "reply.h"
#include "transport.h"

/*
 * An answer that nobody waits for. It is read before the next answer on the connection, and told to
 * on_reply(). After that the connection has forgotten it, and it may be freed.
 */
struct rl_deferred {
	/* `reply` NULL: the connection ended before the answer came. */
	void (*on_reply)(struct rl_deferred *deferred, const struct rl_reply *reply);
	struct rl_connection *connection; /* where it is awaited */
	rl_time sent_at;                  /* its command, or later */
	bool need_not_run;                /* its command: rl_connection_drain() does not wait for it */
	struct rl_deferred *next;
};

struct rl_script;

/* More than are noted. */
#define RL_SCRIPTS_MAX 8

struct rl_connection {
	struct rl_transport *transport; /* `plain`, or TLS over it */
	redisReader *reader;
	struct rl_reply_space replies;    /* where the reader puts them */
	struct rl_output output;          /* queued, and not sent yet */
	const struct rl_address *address; /* the server's, which outlives its connections */
	rl_time sent_at;                  /* before the first byte of what was written last */
	size_t unanswered;                /* commands whose reply has not been read */
	struct rl_deferred *deferred;     /* the first of these that nobody waits for, in order */
	size_t deferred_count;
	/* which the server has run on this connection */
	const struct rl_script *scripts_run[RL_SCRIPTS_MAX];
	/* since when, at the longest, the first deferred answer has been out */
	rl_time owed_since;
	/* the last look at which no deferred answer had come */
	rl_time silent_at;
	/* a caller has waited for a deferred answer until its deadline */
	bool overdue;
	bool broken;
	int64_t id;      /* by which the server knows it; 0: not asked yet; -1: it does not say */
	bool is_renamed; /* it was given another name than the process', which is to go back */
	bool cut_off;    /* the server has ended it */
	bool misplaced;  /* the server takes no writes now: the next one may lead elsewhere */
	bool patient;    /* the first receive of an answer may wait */
	bool has_slept;  /* for the answer that is awaited */
	/* what came of that, which is not taken in yet */
	bool has_received;
	int receive_failure;
	size_t received;
	rl_time opened_at;
	rl_time used_at;       /* when it was last given back, or a deferred answer came */
	struct rl_facts facts; /* the server's */
	uint64_t generation;   /* of the process that dialled */
	/* While it is idle, in the list of cache.h. */
	struct rl_connection *newer, *older;
	struct rl_transport plain;
	char buffer[4096]; /* what it receives into: a fiber's stack is small */
};

/*
 * A connection over a connected socket, without a greeting. Takes the socket over, also on failure.
 * The address must outlive the connection. NULL: out of memory.
 */
struct rl_connection *rl_connection_on(int fd, const struct rl_address *address);
/*
 * Closes the connection once the server has answered everything, or has owed an answer for
 * `timeout`; at once if no command that is out has to run. A server that finds a connection
 * closed when it answers one request drops the requests behind it unread, and one of them may be a
 * release.
 */
void rl_connection_drain(struct rl_connection *connection, rl_time timeout);
/* Otherwise it is the parent's, after a fork. */
static inline bool rl_connection_is_ours(const struct rl_connection *connection)
{
	return connection->generation == rl_system_generation();
}
/* In a forked child this touches nothing but the child's own descriptor. */
void rl_connection_close(struct rl_connection *connection);

/*
 * Safe to reuse: it is neither broken nor misplaced, every reply was read except deferred ones, and
 * no bytes came unasked.
 */
bool rl_connection_is_usable(const struct rl_connection *connection);
/*
 * So recently that a look whether the server has closed it is not worth a system call: it might as
 * well close it right after.
 */
bool rl_connection_was_just_used(const struct rl_connection *connection, rl_time now);
/* Usable, and the server has neither closed it nor sent anything while it was idle. */
bool rl_connection_is_still_usable(struct rl_connection *connection, rl_time now);

/* From now on reads wait in receiving, and do not poll first. Over TLS this does nothing. */
void rl_connection_be_patient(struct rl_connection *connection);

/* Queues a command. */
enum rl_status rl_connection_append(struct rl_connection *connection, size_t count,
	const struct rl_text *words, struct rl_error *error);
/*
 * Sends as much as the system takes at once. RL_OK; RL_NO: not all of it, go on when it is
 * writable; RL_UNREACHABLE.
 */
enum rl_status rl_connection_try_flush(struct rl_connection *connection, struct rl_error *error);
bool rl_connection_has_unsent(const struct rl_connection *connection);
/* Whether any byte of what was queued last has been sent. */
bool rl_connection_has_sent(const struct rl_connection *connection);
/*
 * The next reply, valid until the next read. An error reply is RL_OK here. RL_NO: it is not
 * complete yet; or RL_UNREACHABLE.
 */
enum rl_status rl_connection_try_read(struct rl_connection *connection,
	const struct rl_reply **reply, struct rl_error *error);
/*
 * Takes in what has come, for a peer that waits until its answers are taken before it takes more.
 * RL_OK or RL_UNREACHABLE.
 */
enum rl_status rl_connection_fill(struct rl_connection *connection, struct rl_error *error);

/* Adds what it waits for: to write what is unsent, otherwise to read. */
void rl_connection_add_polls(const struct rl_connection *connection, struct rl_polls *polls);
/* The same, where all is written: whoever waits for the answer alone may receive it at once. */
void rl_connection_awaits_answer(struct rl_connection *connection, struct rl_polls *polls);

/*
 * Whether the server has run this script on this connection. Its script cache may have been flushed
 * since.
 */
bool rl_connection_has_run(const struct rl_connection *connection, const struct rl_script *script);
void rl_connection_note_run(struct rl_connection *connection, const struct rl_script *script);

/* The deadline has passed: RL_UNREACHABLE, and the connection is not used again. */
enum rl_status rl_connection_too_late(struct rl_connection *connection, struct rl_error *error);

/*
 * What came is the answer to something else: RL_UNREACHABLE, and the connection is not used again,
 * since the answer to what was sent comes next, and would pass for one to what is sent then.
 */
enum rl_status rl_connection_out_of_step(
	struct rl_connection *connection, struct rl_error *error);

/* Whether a part of an answer has come, and not all of it. */
bool rl_connection_is_amid_answer(const struct rl_connection *connection);

/* Nobody waits for the answer to the last command. No answer that somebody waits for may be out. */
void rl_connection_defer(struct rl_connection *connection, struct rl_deferred *deferred);
/*
 * The same, and nobody is told when the answer comes. `has_to_run`: it is waited for all the same
 * before the connection is closed (rl_connection_drain()). False: out of memory.
 */
bool rl_connection_defer_to_nobody(struct rl_connection *connection, bool has_to_run);
/*
 * Before the connection is lent: reads the deferred answers that have come, unless it looked just
 * now.
 */
void rl_connection_catch_up(struct rl_connection *connection);
/* Reads the deferred answers that have come. Does nothing in a forked child. */
void rl_connection_read_deferred(struct rl_connection *connection);

/*
 * Tells the server that nothing more will be sent, upon which it drops what it has not answered
 * yet, and closes. Answers that were already on their way can still be read.
 */
void rl_connection_hang_up(struct rl_connection *connection);

/*
 * Notes what the server's clock showed, in microseconds since 1970, when it ran something that was
 * sent at `sent_at` or later. A request may be under way for any time, so times calculated from
 * this may be late, but are never early.
 */
void rl_connection_note_clock(struct rl_connection *connection, int64_t clock_us, rl_time sent_at);

/*
 * Learns from a refusal what we have to know better: the server does not know a script by its hash
 * (NOSCRIPT); or its clock (LATE), which it showed when it ran what was sent at `sent_at` or later.
 * False: it says nothing of the kind.
 */
bool rl_connection_learn(
	struct rl_connection *connection, const struct rl_reply *refusal, rl_time sent_at);

/*
 * Turns an error reply into RL_REFUSED, with its code, and its text made printable. If the refusal
 * says that this may be the wrong server, or has no code of its own, the connection is not used
 * again once what is out on it has been read.
 */
enum rl_status rl_connection_refusal(struct rl_connection *connection,
	const struct rl_reply *reply, struct rl_error *error);

#endif
