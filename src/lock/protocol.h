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

struct rl_step {
	struct rl_call call;
	char numbers[RL_CALL_ARGS][24]; /* arguments as text */
	char baton[RL_BATON_SIZE];
	const struct rl_lease *lease; /* whose fence is an argument; NULL: there is no such argument */
	/* which argument that is: each node of a majority has a fence of its own */
	size_t fence_arg;
	bool is_of_token; /* and the first argument is the lease's token */
	bool needs_fence; /* it does nothing where that is not known */
	/*
	 * Of a majority, what was known of the lease when the step was formed: another thread may
	 * change that.
	 */
	struct rl_holdings holdings;
	rl_time safe_until;
};

/* In place of a fence: one that no grant has. */
#define RL_NO_GRANT (-1)

/*
 * A step that takes the lock, and the release that takes it back if its answer does not come in
 * time.
 */
struct rl_take {
	struct rl_step step;
	const struct rl_lease *lease;
	struct rl_step undo; /* formed when it is needed */
};

/* --- taking --- */

/* What a waiter says in an ask. */
struct rl_waiting {
	int64_t flag_ms;      /* releases must know for this long that it waits; 0: it does not */
	struct rl_text heard; /* what a list has brought; or without data */
};

void rl_protocol_acquire(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms,
	struct rl_waiting waiting);
/* For a share; or for the lock exclusively, where it is held shared. */
void rl_protocol_enter(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms,
	struct rl_waiting waiting);
/*
 * After one of these two has formed take->step: lets the call take it back if the answer does not
 * come in time.
 */
void rl_protocol_undo(struct rl_take *take, const struct rl_lease *lease);

/* The answer of acquire and enter. */
struct rl_grant {
	bool ours;
	int64_t fence; /* if ours */
	/* if ours: of the lease; otherwise how long the lock stays taken. -1: for ever */
	int64_t left_ms;
	enum {
		RL_PLACE_WAKE = 0, /* a waiter parks on the wake list */
		/* it parks on the room; and acquire: it is held shared, so that enter is to be asked */
		RL_PLACE_ROOM = 1,
		RL_PLACE_OWN = 2 /* the very token has a share, and can but upgrade that */
	} place;
	bool is_exclusive; /* enter for a share: the very token has the lock exclusively */
};
/*
 * The answer to a request for `lease_ms`. False: the scripts give no such answer; nor is a fence
 * that comes alone one of rl_answer.
 */
bool rl_protocol_parse_grant(
	const struct rl_reply *reply, int64_t lease_ms, struct rl_grant *grant);

/* --- what is held --- */

enum rl_extend {
	RL_EXTEND_LONGER, /* the longer of what is left and the given lease; of 0 ms: it only looks */
	/* the same, and sets the lock anew if it is gone and nobody took it; not for shares */
	RL_EXTEND_AGAIN,
	RL_EXTEND_ANEW /* a new grant, also with a shorter lease */
};
void rl_protocol_extend(
	struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, enum rl_extend how);
/*
 * A share that has ended is had again if nobody has had the lock exclusively since. Answered by an
 * rl_grant.
 */
void rl_protocol_reenter(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms);
/*
 * Puts the token of `successor`, a new grant, in the place of the lease's. `lease_ms` 0: what is
 * left.
 */
void rl_protocol_hand_over(struct rl_step *step, const struct rl_lease *lease,
	const struct rl_token *successor, int64_t lease_ms);
/* The same, where only the token `old` is known, in whose place the lease's is put. */
void rl_protocol_adopt(
	struct rl_step *step, const struct rl_lease *lease, struct rl_text old, int64_t lease_ms);
/* Changes the kind of a grant. */
void rl_protocol_upgrade(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms);
void rl_protocol_downgrade(struct rl_step *step, const struct rl_lease *lease);

/* --- giving back --- */

void rl_protocol_release(struct rl_step *step, const struct rl_lease *lease, int64_t delay_ms);
/* Of a grant of which the answer may have been lost: whatever its fence is. */
void rl_protocol_take_back(struct rl_step *step, const struct rl_lease *lease);
/* Passes on what a list has brought to a waiter, `lease`, that has no use for it. */
void rl_protocol_pass_on(struct rl_step *step, const struct rl_lease *lease, struct rl_text pass);
/* The waiter gives up its place at the turnstile. */
void rl_protocol_leave_turnstile(struct rl_step *step, const struct rl_lease *lease);

/* --- looking, and administration --- */

void rl_protocol_inspect(struct rl_step *step, const struct rl_keys *keys);
/* These two need the keys of a lock that may be shared. */
void rl_protocol_sharers(struct rl_step *step, const struct rl_keys *keys);
/* `token`: of the share, as sharers tells it; `names` names the baton. */
void rl_protocol_break_share(struct rl_step *step, const struct rl_keys *keys, struct rl_text token,
	int64_t fence, const struct rl_token *names);
/*
 * `seen`: what inspect saw in L, empty if it was no string. `lease`: its fence is that of the
 * grant.
 */
void rl_protocol_break(struct rl_step *step, const struct rl_lease *lease, struct rl_text seen);

/* --- answers --- */

enum rl_answer {
	RL_ANSWER_OTHER = 0,   /* upgrade: it is not the only share, and stays one */
	RL_ANSWER_OURS = 1,    /* done; or it is ours */
	RL_ANSWER_GONE = 2,    /* L is gone, and nobody was granted it since */
	RL_ANSWER_TAKEN = 3,   /* L is another's, or was since */
	RL_ANSWER_NO_FENCE = 4 /* the fence is gone: counts as taken */
};

/* The answer of every step but acquire, enter, inspect and sharers. */
struct rl_outcome {
	enum rl_answer answer;
	/* OURS: it had ended, and was set anew; or what was asked for had been done before */
	bool was_over;
	int64_t fence;   /* of the grant, if it is ours, or was; 0: the step tells none */
	int64_t left_ms; /* with a fence: of the lease; -1: for ever */
	uint32_t nodes;  /* of a majority: those that have said so */
};
/* The lease has become a new grant. */
void rl_outcome_note_grant(const struct rl_outcome *outcome, struct rl_lease *lease);
/* False: the scripts give no such answer. */
bool rl_protocol_parse_outcome(const struct rl_reply *reply, struct rl_outcome *outcome);

/*
 * For an answer that is not one of our scripts': returns RL_UNREACHABLE, and the connection is not
 * used again.
 */
enum rl_status rl_protocol_fail(const struct rl_session *session, struct rl_error *error);

/*
 * Runs the step on the one server that the route names, whose answer read() understands. False:
 * this is no such answer.
 */
enum rl_status rl_protocol_query(struct rl_route *route, struct rl_step *step, rl_time deadline,
	bool (*read)(void *context, const struct rl_reply *reply), void *context,
	struct rl_error *error);
/* The same, answered by an rl_outcome. */
enum rl_status rl_protocol_run(struct rl_route *route, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error);

#endif
