/*
 * Giving one lease back, which may take several sendings:
 *
 *   rl_release_begin()      forms the release of a lease that is out of the owner
 *   rl_release_run()        sends it and waits for the answer; more than once, if need be
 *   rl_release_conclude()   what the answer means, to this one or to one of many
 *   rl_release_is_unconfirmed()    whether the backend's discard() is to repeat it all the same
 */
#ifndef RL_RELEASE_H
#define RL_RELEASE_H

#include "../votes.h"
#include "owner.h"

struct rl_release {
	struct rl_lease *lease; /* not freed by these functions */
	struct rl_step step;
	rl_time sent_at;            /* before the first sending */
	struct rl_guarded *guarded; /* the value that is written; or NULL */
	/* Of a majority, whose nodes' sendings are each in doubt by themselves. */
	struct rl_votes votes; /* once they are asked */
	uint32_t voted;        /* nodes whose votes these are */
	uint32_t copies_out;   /* nodes that did not answer an earlier sending */
};

void rl_release_begin(struct rl_release *release, struct rl_lease *lease, int64_t delay_ms);
/* It also writes this value; NULL: none. */
void rl_release_guard(struct rl_release *release, struct rl_guarded *guarded);
/* RL_OK: `answer` says what became of it; RL_UNREACHABLE, RL_REFUSED, RL_NO_MEMORY. */
enum rl_status rl_release_run(struct rl_owner *owner, struct rl_release *release, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error);
/* Whether it may not have been done, given what it came to. */
bool rl_release_is_unconfirmed(const struct rl_release *release, enum rl_status status);
/* Makes a refusal, as the server said it, one of the release: what becomes of the lock. */
void rl_release_tell_refusal(const struct rl_owner *owner, struct rl_error *error);
/* Time ran out on a try: that it was refused before, as `refusal` says if it was, tells more. */
bool rl_release_is_last_try(
	enum rl_status status, const struct rl_error *refusal, rl_time deadline);
/* What the answer means, which has just been given: RL_OK or a verdict. */
enum rl_status rl_release_conclude(struct rl_owner *owner, const struct rl_release *release,
	enum rl_answer answer, rl_time deadline, struct rl_error *error);

/* Counts what giving one lease back came to. */
void rl_release_count(struct rl_release_summary *summary, const struct rl_lease *lease,
	enum rl_status status, const struct rl_error *error);

#endif
