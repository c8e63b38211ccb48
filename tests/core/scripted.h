/*
 * One or two servers that do what a script says, one word of it for each request, and write down
 * what they saw. They know the calls of scripted_call, scripted_undo and scripted_next alone. The
 * clock is stopped.
 *
 * The words are separated by ", ". "3x " before one: three times.
 *
 *   :1  -OOM  *2 :1 :5   this is the answer; @1 and @2 in it are a slot and a server's address, @0
 *                        one where nobody listens
 *   ANSWER &             it is sent together with the next one
 *   drip ANSWER          each byte is sent once the one before it was read
 *   late ANSWER          it comes 5 ms before the deadline
 *   die ANSWER           and nobody listens there any more
 *   cut [ANSWER]         the connection ends instead, or within the answer: behind `cut_at` bytes
 *   halt [ANSWER]        the same, but there is silence, and it is the deadline
 *   reset                the connection ends, and what was on its way is lost
 *   hold                 there is no answer
 *   leave                the same, and the next connection is served
 *   first ANSWER         that is answered there, and nothing here
 *   both ANSWER          it is answered there, and then here
 *   torn, stuck          the request is too long to be taken whole; then as cut and halt
 *   (cut  (halt  (-ERR  (first :1   so the next connection is greeted
 *
 * What was seen: A: and B: are new connections to the first and the second server, a: and b: one
 * that was there before.
 *
 *   h  the call, by the script's hash; H: it says until when it may run, as the server's clock is
 *   t  the same, by the script's text; T
 *   1  behind these: with one key
 *   u  the undo, by its text
 *   n  the next call, which is answered
 *   w  WAIT
 *   ?  ASKING
 *   m  a question for a cluster's map, which is answered: the first server has all slots but one
 *   X  anything else
 */
#ifndef SCRIPTED_H
#define SCRIPTED_H

#include "hostile.h"

#include "base/system.h"
#include "redis/script.h"

#define SCRIPTED_REPLICAS 2                /* WAIT is for these */
#define SCRIPTED_TIME     (10 * RL_SECOND) /* from the beginning until the deadline */

struct scripted {
	struct hostile servers[2];
	const char *rest; /* of the script */
	char seen[256];
	rl_time deadline;
	rl_time sendings[32]; /* when each of the call was seen */
	size_t sending_count;
	size_t cut_at, cuts; /* how long an answer is that is cut */
	bool closes;         /* the connection, once the next call is answered */
	atomic_bool silent, dead;
	/* what follows is its own */
	unsigned repeated;
	const struct hostile *last_server; /* where something was seen last, and on which connection */
	unsigned last_connection;
	rl_time clock_ahead; /* as LATE has told it */
	char held[64];       /* what is sent together with the next answer */
	int left;            /* a connection that is not served any more, or -1 */
	int first;           /* it is served again, behind the one after it; or -1 */
};

extern struct scripted scripted;
extern const struct rl_script scripted_call, scripted_undo, scripted_next;

/* One in this folder, or NULL: two at ports. */
bool scripted_start(const char *folder);
void scripted_stop(void);
/* From now on this is the script, and nothing was seen. */
void scripted_say(const char *script);
/* Notes what has come on a connection that was left, until the other side closes it. */
void scripted_hear_left(void);

#endif
