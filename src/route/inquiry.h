/*
 * Finding out where to go: servers that may know it are asked one after the other, one exchange
 * with each, until one has told. Each gets a part of the time, so that a dead or frozen one does
 * not cost all of it.
 *
 * An inquiry belongs to the call that needs to know. What the first of several finds is the
 * topology's, and the others are left then.
 */
#ifndef RL_INQUIRY_H
#define RL_INQUIRY_H

#include "topology.h"
#include "../redis/exchange.h"

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
	/*
	 * The error is the last one. With this, it is of all that could not be reached; and a refusal
	 * stays, since no other attempt will change it.
	 */
	bool tells_all;
};

struct rl_inquiry {
	struct rl_route *route;
	const struct rl_inquiry_kind *kind;
	rl_time deadline; /* moves as an exchange's does */
	/* for the kind */
	size_t first, asked;     /* where it began, and how many have been asked */
	struct rl_server *named; /* by the last one that named another, with a reference; or NULL */
	/* its own */
	struct rl_server *next; /* to be asked, with a reference; or NULL */
	const struct rl_inquiry_question *question;
	unsigned told;         /* how often the topology had been told when it began */
	enum rl_status failed; /* what there is to say if nobody knows */
	bool has_failed;       /* somebody has said nothing */
	struct rl_exchange exchange;
};

/*
 * Waits until the topology has been told, by this inquiry or another. RL_OK, RL_UNREACHABLE,
 * RL_REFUSED or RL_NO_MEMORY; RL_INTERRUPTED: nobody wants to know any more. The deadline moves if
 * nobody has looked until it was over. If it is 0, nobody is asked.
 */
enum rl_status rl_inquiry_run(const struct rl_inquiry_kind *kind, struct rl_route *route,
	rl_time *deadline, struct rl_error *error);

/* For a kind: this server is asked next. Takes the reference over. */
void rl_inquiry_ask(struct rl_inquiry *inquiry, struct rl_server *server,
	const struct rl_inquiry_question *question);

#endif
