/*
 * Finding out where to go: servers that may know it are asked one after the other, one exchange
 * with each, until one has told. Each gets a part of the time, so that a dead or frozen one does
 * not cost all of it.
 *
 * An inquiry belongs to the call that needs to know, and is stepped by that call alone. What the
 * first one finds is the route's, and the others are left then. It never waits; where somebody
 * waits for it, rl_route_locate() does.
 */
#ifndef RL_INQUIRY_H
#define RL_INQUIRY_H

#include "../redis/exchange.h"

struct rl_route;
struct rl_inquiry;

/* What a server is asked. */
struct rl_inquiry_question {
	/* As an exchange's, whose context is the inquiry. */
	enum rl_status (*write)(
		void *context, struct rl_exchange *exchange, size_t index, struct rl_error *error);
	size_t reply_nodes;  /* how many the answer may have, if that is more than others have; or 0 */
	bool may_be_refused; /* a refusal is an answer, too */
	/*
	 * Reads the answer of inquiry->exchange.server. RL_OK: it is found out. RL_NO: by asking
	 * further. Otherwise this server has told nothing.
	 */
	enum rl_status (*read)(
		struct rl_inquiry *inquiry, const struct rl_reply *reply, struct rl_error *error);
};

struct rl_inquiry_kind {
	/* Says whom to ask next, by rl_inquiry_ask(). RL_OK; RL_NO: nobody is left; RL_NO_MEMORY. */
	enum rl_status (*next)(struct rl_inquiry *inquiry, struct rl_error *error);
	/* The error is the last one; but a refusal stays, since no other attempt will change it. */
	bool refusal_stays;
	bool tells_all; /* the errors of all that could not be reached */
};

struct rl_inquiry {
	struct rl_route *route;
	const struct rl_inquiry_kind *kind;
	rl_time deadline;
	/* for the kind */
	size_t first, asked;     /* where it began, and how many have been asked */
	struct rl_server *named; /* by the last one that named another, with a reference; or NULL */
	/* its own */
	struct rl_server *next; /* to be asked, with a reference; or NULL */
	const struct rl_inquiry_question *question;
	bool is_asking;
	rl_time asked_until;   /* the last one */
	enum rl_status failed; /* what there is to say if nobody knows */
	bool has_failed;       /* somebody has said nothing */
	struct rl_exchange exchange;
};

/*
 * Goes on with an inquiry, as far as that can be done without waiting; `*inquiry` NULL: begins one.
 * RL_NO: it is under way, and what it waits for is added. Otherwise it is over, and `*inquiry` is
 * NULL: RL_OK, RL_UNREACHABLE, RL_REFUSED or RL_NO_MEMORY. `error` is the same for all steps.
 */
enum rl_status rl_inquiry_go_on(struct rl_inquiry **inquiry, const struct rl_inquiry_kind *kind,
	struct rl_route *route, rl_time deadline, struct rl_polls *polls, struct rl_error *error);
/* Leaves one that is under way. NULL is fine, and is what `*inquiry` is afterwards. */
void rl_inquiry_end(struct rl_inquiry **inquiry);

/* For a kind: this server is asked next. Takes the reference over. */
void rl_inquiry_ask(struct rl_inquiry *inquiry, struct rl_server *server,
	const struct rl_inquiry_question *question);

#endif
