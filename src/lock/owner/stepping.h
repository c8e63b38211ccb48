/*
 * One step that is stepped from outside: rl_owner_run() for those who may not wait.
 *
 *   rl_stepping_begin()
 *   rl_stepping_go_on()      sends it, and until it is true: it is over
 *   rl_stepping_end()        at any time
 *
 * Its lease is a copy, since the owner may end its own between two steps. Where the step changes
 * what is held so that a request about it as it was would be misunderstood, whoever makes such a
 * request has to know what became of the change first: that is rl_owner_use_alone().
 */
#ifndef RL_STEPPING_H
#define RL_STEPPING_H

#include "internal.h"

/* Not copied while it is under way. */
struct rl_stepping {
	struct rl_step step;
	/*
	 * A change: the name of its lock, and what takes over what it has come to; true: another step
	 * follows, which it has set. Otherwise NULL.
	 */
	struct rl_text key;
	bool (*changed)(struct rl_stepping *stepping);
	/* out */
	bool is_over;
	enum rl_status status;     /* RL_OK: it was answered */
	struct rl_outcome outcome; /* RL_OK */
	struct rl_error error;     /* otherwise */
	/* its own */
	struct rl_owner *owner;
	struct rl_errand errand;
	struct rl_words words;
	void *kept; /* the backend's */
	RL_LINK(struct rl_stepping, link);
};

/* The caller has set its first members. */
void rl_stepping_begin(struct rl_stepping *stepping, struct rl_owner *owner, rl_time deadline);
/* Unless it is over, what it waits for is added. */
bool rl_stepping_go_on(struct rl_stepping *stepping, struct rl_polls *polls);
void rl_stepping_end(struct rl_stepping *stepping);

/* Whether it may have been done. */
bool rl_stepping_may_be_done(const struct rl_stepping *stepping);
/*
 * Another step behind the one that is out to the only server, at once: nobody hears what came of
 * the first. False: it is not out, and nothing has changed.
 */
bool rl_stepping_follow(
	struct rl_stepping *stepping, const struct rl_step *next, rl_time deadline);

/* A change of that lock that is under way; without data: of any lock. NULL: there is none. */
struct rl_stepping *rl_stepping_find(const struct rl_owner *owner, struct rl_text key);

#endif
