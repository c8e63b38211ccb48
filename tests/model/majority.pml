/*
 * Three independent servers, of which a majority decides. Each script is one atomic step on one of
 * them. A server may lose all that it has at any time (it is restarted empty), and is away then for
 * as long as the longest lease, so that nothing that it has granted counts any more when it is back.
 *
 *   Owner     has the lock on all three. Up to RENEW times it makes the lease longer, and each
 *             server is sent restore: it also sets the lock again where nobody has it and nobody was
 *             granted it since, as far as that server knows
 *   Other     tries up to TRIES times to get the lock, each time under a new token
 *
 * A request may run at any later time, or never, and its answer counts only for the call that it
 * belongs to, which may end at any time. There is one clock, and no margin. NO_CLOCK: servers do not know when it
 * is too late for a request.
 *
 * Asserted: no two rely on the lock at once; and if a majority says that nobody was granted it since
 * the owner was (a late verdict), that is true (not with NO_CLOCK).
 */
#ifndef RENEW
#define RENEW 2
#endif
#ifndef TRIES
#define TRIES 1
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef MAXT
#define MAXT 5
#endif
#define LEASE 2
#define CALL 1   /* a call's timeout */
#define OWNERS 1 /* what L holds; the other's tokens are 2, 3, ... */

/* The servers: the lock and its end, the fence (whose grant was the last), from when it is there. */
byte L[3], Lx[3], F[3], back[3];
/* What each has been sent and has not run yet; until when it may, by the owner and the other. */
bit renews[3], takes[3];
byte until[2];
byte votes, taken;        /* in the present call */
byte safe[2]; bit had;    /* until when each relies on it; ghost: the other has had it */
byte now, token = 1, crashes;
bit calls, asks;          /* the owner's call is not over, and the other's */

#define CHECK assert(now >= safe[0] || now >= safe[1])
#define UNTOUCHED(i) (now >= back[i] && F[i] == OWNERS && L[i] <= OWNERS)
#ifdef NO_CLOCK
#define LATE(who) false
#define TRUE_VERDICT
#else
#define LATE(who) (now > until[who])
#define TRUE_VERDICT assert(!had || UNTOUCHED(0) + UNTOUCHED(1) + UNTOUCHED(2) < 2)
#endif
#ifdef M_ANY_FENCE
#define NOBODYS(i) (L[i] == 0)
#else
#define NOBODYS(i) (L[i] == 0 && F[i] <= OWNERS)
#endif

/* Runs what the owner has sent to i; its answer may be lost. */
inline renew(i) {
	if
	:: L[i] == OWNERS && F[i] <= OWNERS || NOBODYS(i) && !LATE(0) ->
		L[i] = OWNERS; F[i] = OWNERS; Lx[i] = now + LEASE; votes = votes + calls
	:: else
	fi;
	renews[i] = 0
}
inline take(i) {
	if
	:: L[i] == 0 && !LATE(1) ->
		L[i] = token; F[i] = token; Lx[i] = now + LEASE;
		taken = taken + asks
	:: else
	fi;
	takes[i] = 0
}
inline end_of(i) { if :: L[i] != 0 && now >= Lx[i] -> L[i] = 0; Lx[i] = 0 :: else fi }
inline give_back(i) {
	takes[i] = 0; /* a copy of an old token only keeps a server busy */
	if :: L[i] == token -> L[i] = 0; Lx[i] = 0 :: else fi
}
inline crash(i) {
	crashes++; L[i] = 0; Lx[i] = 0; F[i] = 0;
#ifdef M_NO_DELAY
	back[i] = now
#else
	back[i] = now + LEASE
#endif
}

proctype Owner() {
	byte n, t0;
	do
	:: atomic { n < RENEW && now < safe[0] ->
			n++; t0 = now; votes = 0; calls = 1;
			renews[0] = 1; renews[1] = 1; renews[2] = 1; until[0] = now + CALL };
		atomic {
			if
			:: votes >= 2 && t0 + LEASE > safe[0] -> safe[0] = t0 + LEASE
			:: else
			fi;
			votes = 0; calls = 0; t0 = 0; CHECK }
	:: now == MAXT -> break
	od
}

proctype Other() {
	byte n, t0;
	do
	:: atomic { n < TRIES ->
			n++; token++; t0 = now; taken = 0; asks = 1;
			takes[0] = 1; takes[1] = 1; takes[2] = 1; until[1] = now + CALL };
		if
		:: atomic { taken >= 2 && now < t0 + LEASE ->
				safe[1] = t0 + LEASE; had = 1; asks = 0; CHECK };
			if
			:: atomic { now >= safe[1] -> safe[1] = 0 }
			:: atomic { safe[1] = 0 }
			fi
		:: atomic { taken < 2 -> asks = 0 }
		fi;
		if
		:: atomic { give_back(0); give_back(1); give_back(2) }
		:: skip
		fi;
		atomic { t0 = 0; taken = 0 }
	:: now == MAXT -> break
	od
}

active proctype Servers() {
	byte i;
	atomic {
		L[0] = OWNERS; L[1] = OWNERS; L[2] = OWNERS; F[0] = OWNERS; F[1] = OWNERS; F[2] = OWNERS;
		Lx[0] = LEASE; Lx[1] = LEASE; Lx[2] = LEASE; safe[0] = LEASE;
		run Owner(); run Other()
	};
	do
	:: atomic { now < MAXT -> now++; end_of(0); end_of(1); end_of(2); CHECK;
			if :: now >= safe[0] -> TRUE_VERDICT :: else fi }
	:: atomic { i = 0; if :: i = 0 :: i = 1 :: i = 2 fi;
			if
			:: renews[i] && now >= back[i] -> renew(i)
			:: takes[i] && now >= back[i] -> take(i)
			:: crashes < CRASHES && now >= back[i] && (i == 0 || crashes > 0) -> crash(i)
			:: else
			fi;
			i = 0; CHECK;
			if :: now >= safe[0] -> TRUE_VERDICT :: else fi }
	:: now == MAXT -> break
	od
}
