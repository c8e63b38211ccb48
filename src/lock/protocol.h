/*
 * The protocol's steps as calls: which script, which keys, which arguments, and how to read
 * what it answers. docs/protocol.md explains them.
 *
 * A step points into the lease, the keys and the texts that it was made from, and into itself:
 * it is not copied or moved.
 */
#ifndef RL_PROTOCOL_H
#define RL_PROTOCOL_H

#include "../call/call.h"
#include "lease.h"

/* A fence is kept for the lease and this long after it. */
#define RL_GRACE_MS 3600000
/* How long a baton waits for its claim. */
#define RL_CLAIM_WINDOW_MS 1000
/* In the last of a cooldown the waiter that comes next may take the lock, and lets the rest of it pass. */
#define RL_TURN_MS 20

struct rl_step {
	struct rl_call call;
	char numbers[RL_CALL_ARGS][24]; /* arguments as text */
	char baton[RL_BATON_SIZE], cooldown[1 + RL_BATON_SIZE];
	const struct rl_lease *lease; /* that it is about; NULL: it is about a lock, whoever holds it */
	size_t fence_arg;             /* which of the arguments is the lease's fence: each node of a majority has its own */
	size_t close_arg;             /* that only nodes are told where copies may still take the lock; 0: all of them, or none */
};

/* A step that takes the lock, and the release that takes it back if its answer does not come in time. */
struct rl_take {
	struct rl_step step;
	const struct rl_lease *lease;
	struct rl_step undo; /* formed when it is needed */
};

/* `flag_ms`: how long to keep the waiting flag up; 0: only ask. `turn`: of the cooldown after which we come next; or NULL. */
void rl_protocol_acquire(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, int64_t flag_ms, const char *turn);
/* After one of the two: it is taken back if its answer does not come in time. */
void rl_protocol_undo(struct rl_take *take, const struct rl_lease *lease);
void rl_protocol_claim(struct rl_step *step, const struct rl_lease *lease, struct rl_text baton, int64_t lease_ms);
void rl_protocol_release(struct rl_step *step, const struct rl_lease *lease, int64_t delay_ms);
/* Frees or passes on a baton that came too late to be used. */
void rl_protocol_pass_on(struct rl_step *step, const struct rl_keys *keys, struct rl_text baton);
/* Tells whoever waits longest now that it comes next after the cooldown of this name. */
void rl_protocol_pass_turn_on(struct rl_step *step, const struct rl_keys *keys, const char *turn);
/* With the lease's serial, which is new for each. `again`: may set it anew if it is gone and nobody took it. */
void rl_protocol_extend(struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms, bool again);
/* Puts the lease's token in the place of `old`, whose holder's fence the lease has. `lease_ms` 0: what is left. */
void rl_protocol_replace(struct rl_step *step, const struct rl_lease *lease, struct rl_text old, int64_t lease_ms,
	bool is_taken_over);
/*
 * Of an extend that was answered. With its first key alone it leaves no serial behind: an earlier one that
 * was not answered is not overtaken then, and what that may do stays the limit.
 */
bool rl_protocol_leaves_doubt(const struct rl_step *step, const struct rl_lease *lease);
rl_time rl_protocol_extended_until(const struct rl_step *step, const struct rl_lease *lease, int64_t lease_ms);
void rl_protocol_inspect(struct rl_step *step, const struct rl_keys *keys);
/* `seen`: what inspect saw in L, empty if it was no string. `names`: whose random part names the baton. */
void rl_protocol_break(struct rl_step *step, const struct rl_keys *keys, struct rl_text seen, const struct rl_token *names);

/* acquire's answer. */
struct rl_grant {
	bool ours;
	int64_t fence;   /* if ours */
	int64_t busy_ms; /* else how long it stays taken; -1: for ever, or for longer than any lease */
};

/* claim's, release's, extend's and break's answers. */
enum rl_answer {
	RL_ANSWER_OTHER = 0,   /* break: it is not what was looked at any more */
	RL_ANSWER_OURS = 1,    /* claimed, freed, extended */
	RL_ANSWER_GONE = 2,    /* L is gone, nobody took it */
	RL_ANSWER_TAKEN = 3,   /* L is another's, or was since */
	RL_ANSWER_UNKNOWN = 4, /* the fence is gone: counts as taken */
	RL_ANSWER_PASSED = 5   /* release: handed to a waiter */
};

/* False: it is none of ours. */
bool rl_protocol_parse_grant(const struct rl_reply *reply, struct rl_grant *grant);

/* Fails as RL_UNREACHABLE; the connection is not used again. */
enum rl_status rl_protocol_fail(const struct rl_session *session, struct rl_error *error);

/* RL_OK, or RL_UNREACHABLE when the answer is none of ours; the connection is then not used again. */
enum rl_status rl_protocol_read_grant(const struct rl_session *session, const struct rl_reply *reply,
	struct rl_grant *grant, struct rl_error *error);
enum rl_status rl_protocol_read_answer(const struct rl_session *session, const struct rl_reply *reply,
	enum rl_answer *answer, struct rl_error *error);

/* Runs the step on the one server that the route names, and reads an rl_answer. */
enum rl_status rl_protocol_run(struct rl_route *route, struct rl_step *step, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error);

#endif
