/*
 * The protocol's steps as calls: which script, which keys, which arguments, and how to read
 * its answer. docs/protocol.md explains the steps.
 *
 * A step points into the lease, the keys and the texts that it was made from, and into itself,
 * so it must not be copied or moved.
 */
#ifndef RL_PROTOCOL_H
#define RL_PROTOCOL_H

#include "../call/call.h"
#include "lease.h"

/* A fence is kept for the lease and this long after it. */
#define RL_GRACE_MS 3600000
/* How long a baton waits for its claim. */
#define RL_CLAIM_WINDOW_MS 1000

struct rl_step {
	struct rl_call call;
	char numbers[RL_CALL_ARGS][24]; /* arguments as text */
	char baton[RL_BATON_SIZE];
	const struct rl_lease *lease; /* whose fence is an argument; NULL: there is no such argument */
	size_t fence_arg;             /* which argument that is: each node of a majority has a fence of its own */
	size_t close_arg;             /* the argument "close", left out for nodes where no copy can take the lock any more; 0: never left out */
};

/* A step that takes the lock, and the release that takes it back if its answer does not come in time. */
struct rl_take {
	struct rl_step step;
	const struct rl_lease *lease;
	struct rl_step undo; /* formed when it is needed */
};

/*
 * `flag_ms`: the caller waits, and releases must know that for this long; 0: it does not. `pass`: what the wake list has
 * brought to a lease that uses the turnstile; or without data.
 */
void rl_protocol_ask(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, int64_t flag_ms,
	struct rl_text pass);
void rl_protocol_claim(struct rl_step *step, const struct rl_lease *lease, struct rl_text baton, int64_t lease_ms);
/* After one of these two has formed take->step: lets the call take it back if the answer does not come in time. */
void rl_protocol_undo(struct rl_take *take, const struct rl_lease *lease);
void rl_protocol_release(struct rl_step *step, const struct rl_lease *lease, int64_t delay_ms);
/* The same step for another token, which is to be closed. */
void rl_protocol_release_other(struct rl_step *step, const struct rl_token *token);
/* Passes on a baton that we have no use for, or frees the lock. */
void rl_protocol_pass_on(struct rl_step *step, const struct rl_keys *keys, struct rl_text baton);
/* The same with a ticket, which the lease has no use for. */
void rl_protocol_pass_ticket_on(struct rl_step *step, const struct rl_lease *lease, struct rl_text ticket);
/* What an extend does besides. */
enum rl_extend {
	RL_EXTEND_ANEW = 0,  /* nothing: the lease begins anew, longer or shorter */
	RL_EXTEND_AGAIN = 1, /* sets the lock anew if it is gone and nobody took it */
	RL_EXTEND_LONGER = 2 /* leaves the lease as it is if it is longer */
};
/* Sends the lease's serial, which the caller has raised. */
void rl_protocol_extend(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, enum rl_extend how);
/*
 * Puts the lease's token in the place of `old`; the lease has the fence of that token's holder. `lease_ms` 0: what is
 * left.
 */
void rl_protocol_replace(struct rl_step *step, const struct rl_lease *lease, struct rl_text old, int64_t lease_ms,
	bool is_taken_over);
/*
 * After an extend that was answered. One that was sent with the lock's key alone leaves no serial behind, so that it
 * does not overtake an earlier extend that went unanswered: whether the lease is still in doubt, and until when it is
 * safe, since what the earlier one may do stays the limit.
 */
bool rl_protocol_leaves_doubt(const struct rl_step *step, const struct rl_lease *lease);
rl_time rl_protocol_extended_until(const struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms);
/* Changes the kind of a grant. Both send the lease's serial, which the caller has raised. */
void rl_protocol_upgrade(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms);
void rl_protocol_downgrade(struct rl_step *step, const struct rl_lease *lease);
/* `head`: what the token of the share begins with that is looked for, of a lock that is shared; or without data. */
void rl_protocol_inspect(struct rl_step *step, const struct rl_keys *keys, struct rl_text head);
/*
 * `seen`: what inspect saw in L, empty if it was no string. `fence`: of the grant, if it must have this one; otherwise 0.
 * `names`: whose random part names the baton.
 */
void rl_protocol_break(struct rl_step *step, const struct rl_keys *keys, struct rl_text seen, int64_t fence,
	const struct rl_token *names);
/* These two need the keys of a lock that may be shared. `fence`: of the share; 0: all. `token`: for a share of our own. */
void rl_protocol_break_shared(struct rl_step *step, const struct rl_keys *keys, int64_t fence, const struct rl_token *token);
/*
 * Gives a share back that this has answered: the lease has its token. `names`: whose random part names the baton; if it were
 * the share's own, whoever had the share would take it for that of an own release.
 */
void rl_protocol_break_share(struct rl_step *step, const struct rl_lease *lease, const struct rl_token *names);
void rl_protocol_sharers(struct rl_step *step, const struct rl_keys *keys);

/* The answer of acquire and enter. */
struct rl_grant {
	bool ours;
	int64_t fence;   /* if ours */
	int64_t busy_ms; /* otherwise how long the lock stays taken; -1: for ever, or longer than any lease */
	bool may_be_own; /* the name of a detached lock that asks may hold it already: it has to look */
	bool is_shared;  /* acquire: it is held shared, and a waiter goes on with enter */
	bool is_first;   /* enter: the waiter parks on the room */
	bool is_void;    /* enter: the pass was not valid any more, and nothing was done */
};

/* The answers of claim, release, extend and break, and the first part of replace's. */
enum rl_answer {
	RL_ANSWER_OTHER = 0,    /* break: L does not hold any more what was seen there */
	RL_ANSWER_OURS = 1,     /* claimed, freed, extended */
	RL_ANSWER_GONE = 2,     /* L is gone, nobody took it */
	RL_ANSWER_TAKEN = 3,    /* L is another's, or was since */
	RL_ANSWER_NO_FENCE = 4, /* the fence is gone: counts as taken */
	RL_ANSWER_PASSED = 5    /* release: handed to a waiter */
};

/* False: the scripts give no such answer. */
bool rl_protocol_parse_grant(const struct rl_reply *reply, struct rl_grant *grant);
bool rl_protocol_parse_answer(const struct rl_reply *reply, enum rl_answer *answer);

/* The answer of upgrade. */
struct rl_upgraded {
	enum rl_answer answer; /* OTHER: it is not the only share */
	int64_t fence;         /* RL_ANSWER_OURS */
	int64_t left_ms;       /* RL_ANSWER_OURS */
};

/* False: upgrade gives no such answer. */
bool rl_protocol_parse_upgraded(const struct rl_reply *reply, struct rl_upgraded *upgraded);

/* The answer of replace. */
struct rl_replaced {
	enum rl_answer answer;
	const char *fence_text; /* RL_ANSWER_OURS: points into the reply */
	int64_t left_ms;        /* RL_ANSWER_OURS */
};

/* False: replace gives no such answer. */
bool rl_protocol_parse_replaced(const struct rl_reply *reply, struct rl_replaced *replaced);

/* For an answer that is not one of our scripts': returns RL_UNREACHABLE, and the connection is not used again. */
enum rl_status rl_protocol_fail(const struct rl_session *session, struct rl_error *error);

/* RL_OK, or as rl_protocol_fail(). */
enum rl_status rl_protocol_read_grant(const struct rl_session *session, const struct rl_reply *reply,
	struct rl_grant *grant, struct rl_error *error);
enum rl_status rl_protocol_read_answer(const struct rl_session *session, const struct rl_reply *reply,
	enum rl_answer *answer, struct rl_error *error);

/* Runs the step on the one server that the route names, and reads an rl_answer. */
enum rl_status rl_protocol_run(struct rl_route *route, struct rl_step *step, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error);

#endif
