/*
 * What becomes of a server's refusal: the one list of those that pass by themselves. Every place
 * that tries again, waits, or opens another connection after a refusal asks here.
 */
#ifndef RL_REFUSAL_H
#define RL_REFUSAL_H

#include "../base/error.h"
#include "reply.h"

enum rl_refusal {
	RL_REFUSAL_LASTS, /* until somebody changes the server or its address: NOPERM, WRONGPASS, ... */
	/*
	 * Passes as soon as the server has room (OOM) or can write to its disk (MISCONF), and nobody
	 * knows when. Nothing can be acquired meanwhile: a call fails at once, and a wait goes on.
	 */
	RL_REFUSAL_STARVES,
	RL_REFUSAL_PASSES, /* soon: it is worth another try within the call's deadline */
	/*
	 * The same, but perhaps on another server: this one is a replica, or was just started. Its name
	 * may lead to another one by now, so the next try is on a new connection.
	 */
	RL_REFUSAL_MISPLACED
};

/* To be turned away without a word (RL_CAUSE_TURNED_AWAY) is one that passes. */
enum rl_refusal rl_refusal_of(const struct rl_error *refusal);
/* By the refusal's first word alone. */
enum rl_refusal rl_refusal_of_code(const char *code);
/* It refuses a command that rlock never sends: somebody else has written to the connection. */
bool rl_refusal_is_of_others(const struct rl_reply *reply);
/* Whether another try within the call's deadline is worth it, after this pause. */
#define RL_REFUSAL_PAUSE (10 * RL_MILLISECOND)
bool rl_refusal_passes_soon(const struct rl_error *refusal);
/*
 * Whether a server says these words to a new connection before it has read anything: they come in
 * the place of the first answer, and are none.
 */
bool rl_refusal_is_at_the_door(const char *words);

#endif
