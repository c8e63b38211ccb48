/*
 * A lock that is asked for in steps (owner.h): what rl_owner_acquire() does, on a stack of its own
 * (../../base/stack.h), which whoever waits for it resumes when its descriptor is readable. So does
 * another call that has to know what becomes of a share that is being made exclusive, or back
 * (../owner/change.h).
 *
 * What is under way is in the owner's list, by its name, so that the owner does not ask for the
 * same lock a second time. What nobody wants any more is in a list of the thread until its stack
 * is over: it leaves the queue, passes on what has come, and takes back what was granted, as it is
 * resumed by rl_owner_tidy(), by the owner's next ask for the same lock, and by the owner's end.
 *
 * What the glue calls, rl_pending_begin() to rl_pending_end() (pending.c), is declared in owner.h.
 * There are two files, since pending.c runs the very call, acquire.c, that asks the other one
 * first: pending_unwanted.c.
 */
#ifndef RL_PENDING_H
#define RL_PENDING_H

#include "../owner/internal.h"
#include "../../base/stack.h"

struct rl_pending {
	struct rl_owner *owner;
	struct rl_acquire terms; /* with copies of key and metadata */
	struct rl_stack *stack;
	bool is_cancelled;      /* nobody wants to know what it comes to */
	bool is_ended;          /* and nobody but the list of the thread has it */
	enum rl_status status;  /* over: what it has come to; an error, until that was told */
	struct rl_error *error; /* over: what explains it; or NULL */
	rl_time began;
	uint64_t generation;
	struct rl_waitset set;
	/* until it is over: in the owner's list, unless it was cancelled; and in one of the thread's */
	RL_LINK(struct rl_pending, link);
	RL_LINK(struct rl_pending, beside);
	char texts[]; /* these */
};

/* Cancels all that are under way; NULL: those of the thread, whoever's they are. */
void rl_pending_cancel_all(struct rl_owner *owner);

/* pending_unwanted.c: RL_OK; RL_MISUSE: the owner waits for that lock already. */
enum rl_status rl_pending_refuse(
	const struct rl_owner *owner, struct rl_text key, struct rl_error *error);
/* Takes over one whose stack is not over, and is in no list beside others. */
void rl_pending_add_unwanted(struct rl_pending *pending);
void rl_pending_free(struct rl_pending *pending);
/* Goes on with what nobody wants any more, in this thread. */
void rl_pending_tidy(void);
/*
 * The same, until the owner's that are for this lock are over, at the latest at `deadline`: what
 * comes to them, or is not given back yet, would be in our own way. RL_OK; or RL_INTERRUPTED.
 */
enum rl_status rl_pending_settle(
	struct rl_owner *owner, struct rl_text key, rl_time deadline, struct rl_error *error);
/*
 * The same, until the owner's are over, or all of them (NULL); at the latest at `deadline`, when
 * they are dropped.
 */
void rl_pending_finish(struct rl_owner *owner, rl_time deadline);

#endif
