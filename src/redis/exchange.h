/*
 * One exchange with one server: commands that are sent together on one connection, and their
 * answers. All that is sent to servers is one, but for the greeting (handshake.c).
 *
 * It is a state machine that is stepped from outside and never waits; rl_exchange_run() is for
 * whoever waits for one alone.
 *
 *   rl_exchange_begin()
 *   rl_exchange_go_on()      while it is RL_NO, when what that has added has come
 *   ...                      exchange.reply is used, or why it failed
 *   rl_exchange_end()        in any case
 *
 *          a command is to be sent again (NOSCRIPT, LATE)
 *        +-------------------------------+--------------+
 *        |                               |              |
 *        v                               |              |
 *   CONNECTING --> SENDING --> AWAITING -+-> TRAILING --+--> DONE
 *                                 |              ^            | ^
 *                                 |              +-- rides on + |
 *                                 +------- no rider ------------+
 *
 *   CONNECTING   a connection is borrowed or opened, unless we have one   rl_server_borrow()
 *   SENDING      the system has not taken all of it                       send()
 *   AWAITING     answers are still to come                                read_answer()
 *   TRAILING     only that of the rider is; to lose it costs the          read_rider()
 *                connection, and not the answers
 *   DONE         also if there was nothing to send, or nobody waits for the answers any more
 *   FAILED       from the first three
 *
 * What is to be tried again on the same server, and at once, is tried here. Two refusals are
 * repaired, because the server did not run the command: it did not know the script (NOSCRIPT), and
 * is sent the text; or by its clock the deadline had passed (LATE), and we correct our notion of
 * that clock. And a connection that breaks is replaced once. All other refusals are answers; which
 * of them pass within a moment, refusal.h says, and whoever goes nowhere else asks later. Where
 * another try may lead elsewhere, it is another exchange, and the caller's to begin.
 *
 * A connection that was idle, and stays silent, may have been forgotten by a firewall; or the
 * server is slow. So after the loan's patience the same is asked on a new one, and both are
 * listened to. What came first said until when it may be run there, so that a late copy does
 * nothing. As long as nothing has been sent on the new one, the answer is heard on the old one.
 * After that the new one's is, since a copy there may be run until it is answered or the deadline
 * has passed; or the old one's, if there is none.
 *
 * Invariants, of which 3, 6, 7, 8 and 10 are asserted:
 *   1. A step never waits (dev/check-waits).
 *   2. Between steps nothing of the caller's commands is kept: writing copies them.
 *   3. Its commands are written only while no answer to one of them is awaited. Behind them goes
 *      nothing but a rider, and what undoes them once nobody waits for the answer.
 *   4. `sent_at` precedes the first byte of what was written last.
 *   5. Once it has failed or ended, `is_unanswered` says that a byte of a command may have been
 *      sent whose answer was not read.
 *   6. The connection is the exchange's from when it is borrowed until the end, until a rider costs
 *      it, or until another exchange follows on it.
 *   7. A step that is not the last one adds a descriptor or a moment.
 *   8. While there is a silent connection, it is not the exchange's other one, and what is sent
 *      there is a repetition.
 *   9. What has come is read before the deadline is judged. If that was over by then, although the
 *      exchange was begun in time, nobody had looked in between, and it moves (rl_time_moved).
 *  10. A command is out on two connections at most: one that breaks is not replaced beside one that
 *      is silent, and only once.
 */
#ifndef RL_EXCHANGE_H
#define RL_EXCHANGE_H

#include "script.h"
#include "server.h"

/* The most commands of one exchange. */
#define RL_EXCHANGE_MAX 1024

/* How a script is named to the server. */
enum rl_naming {
	RL_BY_HASH, /* the server most likely knows it; otherwise it says so, and is told */
	/*
	 * by its text the first time on a connection: nobody may be there to hear that the server does
	 * not know it
	 */
	RL_BY_TEXT_ONCE,
	RL_BY_TEXT /* its script cache may be flushed before it gets there */
};

/* A script, and what it is run with. */
struct rl_eval {
	const struct rl_script *script;
	struct rl_text keys[RL_SCRIPT_KEYS];
	size_t key_count;
	struct rl_text args[RL_SCRIPT_ARGS];
	size_t arg_count;
	/*
	 * The index in `args` of the deadline by the server's clock, in microseconds. The script
	 * refuses a copy that arrives later, when nobody waits for the answer any more. The caller puts
	 * "0" there, which is what is sent as long as the server's clock is not known. 0: the script
	 * has no such argument.
	 */
	size_t until_arg;
};

/*
 * A command behind the others, whose answer is read aside: it leaves the reply as it is, and its
 * refusal refuses nothing else. It belongs to the caller, and is valid until the end.
 */
struct rl_rider {
	/*
	 * Its answer is awaited until the deadline; otherwise for 10 ms. To be set when the last
	 * command's answer is there.
	 */
	bool matters;
	rl_time more_from; /* the caller's own: when it is worth asking once more; RL_FOREVER */
	/* out: RL_OK; or, as the step's error says, RL_REFUSED or RL_UNREACHABLE */
	enum rl_status status;
	size_t count; /* of numbers in its answer, where it consists of at most two */
	int64_t numbers[2];
};

enum rl_exchange_state {
	RL_EXCHANGE_CONNECTING,
	RL_EXCHANGE_SENDING,
	RL_EXCHANGE_AWAITING,
	RL_EXCHANGE_TRAILING,
	RL_EXCHANGE_DONE,
	RL_EXCHANGE_FAILED
};

/* Of its commands, by their index. */
struct rl_exchange_set {
	size_t count;
	uint64_t bits[RL_EXCHANGE_MAX / 64];
};

/* A connection that was idle, and on which nothing has come, and what is out there. */
struct rl_silent {
	struct rl_connection *connection; /* or NULL */
	struct rl_rider *rider;
	struct rl_exchange_set out;
};

struct rl_exchange {
	/* what the caller sets before it begins */
	struct rl_server *server; /* referenced until the end */
	struct rl_loan loan;      /* the terms of it; its deadline is that of the whole exchange */
	size_t count;             /* commands, at most RL_EXCHANGE_MAX */
	/*
	 * Writes a command, by rl_exchange_write() or rl_exchange_write_script(), and what goes ahead
	 * of it, or behind the last one. RL_NO: it is left out. Otherwise the exchange fails.
	 */
	enum rl_status (*write)(
		void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error);
	/*
	 * Writes what takes its one command back, likewise. It goes out behind the command where nobody
	 * waits for that any longer. NULL: nothing takes it back.
	 */
	enum rl_status (*undo)(
		void *context, struct rl_exchange *exchange, struct rl_error *error);
	void *context;
	/*
	 * If its connection breaks before any answer is told, all is asked once more on another: most
	 * likely it was idle for too long, or the server was restarted. Out: it may still do so.
	 */
	bool reconnects;
	enum rl_naming naming;
	size_t reply_nodes; /* how many parts an answer may have beyond what most have */
	/* out */
	enum rl_exchange_state state;
	struct rl_connection *connection; /* from when it is borrowed; or NULL */
	size_t index;                     /* of the command that was answered */
	const struct rl_reply *reply;     /* its answer, valid until the next step with an answer */
	rl_time sent_at;
	bool is_unanswered;
	/* its own */
	rl_time paused_until; /* before it is asked once more; 0: it does not pause */
	unsigned mends;
	bool is_stuck;        /* not all is taken; perhaps the server waits for us to read */
	bool is_late;         /* it was sent after the deadline */
	rl_time silent_until; /* RL_FOREVER: it was not idle, or something has come */
	bool is_silent;       /* nothing had come by then */
	bool has_read;        /* something, perhaps the end, since a look found nothing */
	rl_time looked_at;    /* at that; or when it was sent */
	rl_time trails_until;
	struct rl_rider *rider;
	struct rl_silent silent;               /* for the caller to take over, before the end */
	bool was_silent;                       /* there was one, and what is sent is a repetition */
	bool has_lost;                         /* a connection ended before an answer came */
	bool has_told;                         /* of an answer */
	struct rl_reply_space *aside;          /* where its answer goes */
	struct rl_exchange_set out, to_resend; /* whose answer is out; what is to be sent again */
};

/*
 * Sets what the caller may leave as it is: one command, one connection, which may be idle, and
 * scripts by their hash. The times of the loan are left to it.
 */
void rl_exchange_prepare(struct rl_exchange *exchange, struct rl_server *server,
	enum rl_status (*write)(
		void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error),
	void *context);
/* What the caller sets has been set. Does nothing yet. */
void rl_exchange_begin(struct rl_exchange *exchange);
/* The same, on the connection of one that is over, which has none then. */
void rl_exchange_follow(struct rl_exchange *exchange, struct rl_exchange *other);
/*
 * Goes on as far as that can be done without waiting. RL_OK: `reply` is the answer of command
 * `index`, a refusal perhaps; or, in the state DONE, all of them have been told of, the rider's was
 * heard, and `reply` is still the last one. RL_NO: it is under way. Otherwise it failed: RL_REFUSED
 * while connecting, RL_UNREACHABLE, RL_NO_MEMORY. `error` is the same for all steps.
 */
enum rl_status rl_exchange_go_on(
	struct rl_exchange *exchange, struct rl_polls *polls, struct rl_error *error);
/*
 * Waits for its next answer, or its end. RL_INTERRUPTED: nobody wants that any more, and it is
 * under way.
 */
enum rl_status rl_exchange_run(struct rl_exchange *exchange, struct rl_error *error);
/* The same until all of it is out, and RL_INTERRUPTED then: nobody waits for an answer. */
enum rl_status rl_exchange_send(struct rl_exchange *exchange, struct rl_error *error);
/* It was written, and no answer has come; what the system has not taken follows if it is left. */
static inline bool rl_exchange_is_written(const struct rl_exchange *exchange)
{
	return exchange->state == RL_EXCHANGE_SENDING || exchange->state == RL_EXCHANGE_AWAITING;
}
/* A copy of what it asks was sent before, and may be run, too: for write(). */
static inline bool rl_exchange_is_repeated(const struct rl_exchange *exchange)
{
	return exchange->was_silent || exchange->has_lost;
}
/* All is answered, and what the rider says matters. */
static inline bool rl_exchange_awaits_rider(const struct rl_exchange *exchange)
{
	return exchange->state == RL_EXCHANGE_TRAILING && exchange->rider->matters;
}
/* Until when an answer is waited for on this connection: for write(). */
rl_time rl_exchange_listens_until(const struct rl_exchange *exchange);
/* Where its deadline is by now, for what is to follow an answer. */
rl_time rl_exchange_deadline(struct rl_exchange *exchange);
/*
 * Its connection is broken, as is one on which what came was no answer. True: it goes on, and asks
 * on another. False: it has done so before, or there is no time.
 */
bool rl_exchange_ask_again(struct rl_exchange *exchange);
/*
 * It is over, since the server has refused a connection, or all that was asked. True: that passes,
 * and it goes on, and asks once more after a pause. False: it lasts, or there is no time.
 */
bool rl_exchange_ask_later(struct rl_exchange *exchange, const struct rl_error *refusal);
/*
 * It has failed. False: there is no silent connection; otherwise the answer is awaited there alone.
 */
bool rl_exchange_turn_back(struct rl_exchange *exchange);
/*
 * Nobody waits for the answers that are out: `late` says who is told of each, NULL: nobody. What is
 * unsent goes out with the next exchange there.
 */
void rl_exchange_abandon(
	struct rl_exchange *exchange, struct rl_deferred *(*late)(void *context, size_t index));
/*
 * Nobody wants what it asks for any more: what is out, or was done and counts only with the rider,
 * is undone behind, on both connections if it is out on two. Without an undo it is left.
 */
void rl_exchange_call_off(struct rl_exchange *exchange);
/* Undoes it behind what was sent on this connection, whose answers are not awaited. */
void rl_exchange_undo_on(struct rl_exchange *exchange, struct rl_connection *connection);
/*
 * Gives the connection back, which closes it unless it is safe to reuse. May come at any time, and
 * `is_unanswered` is valid afterwards.
 */
void rl_exchange_end(struct rl_exchange *exchange);

/* For write(). */
enum rl_status rl_exchange_write(struct rl_exchange *exchange, const struct rl_text *words,
	size_t count, struct rl_error *error);
/* The same for a script, which the server may know by its hash, and which has this deadline. */
enum rl_status rl_exchange_write_script(struct rl_exchange *exchange, const struct rl_eval *eval,
	rl_time deadline, struct rl_error *error);
/* A command ahead of the first one, whose answer is told to `deferred`; NULL: to nobody. */
enum rl_status rl_exchange_write_ahead(struct rl_exchange *exchange, const struct rl_text *words,
	size_t count, struct rl_deferred *deferred, struct rl_error *error);
/*
 * Names the connection in the server's list of clients, ahead of the first command. The next
 * exchange that borrows it names it back. Nobody minds if the server refuses.
 */
enum rl_status rl_exchange_rename(
	struct rl_exchange *exchange, struct rl_text name, struct rl_error *error);
/* A rider, behind the last one. */
enum rl_status rl_exchange_ride(struct rl_exchange *exchange, struct rl_rider *rider,
	const struct rl_text *words, size_t count, struct rl_error *error);
/* Once its answer was heard, and the exchange is DONE: it asks once more, and all goes on. */
enum rl_status rl_exchange_ride_on(struct rl_exchange *exchange, struct rl_rider *rider,
	const struct rl_text *words, size_t count, struct rl_error *error);

#endif
