/*
 * Requests that arrive late. Each script is one atomic step. A sending whose answer never came is
 * kept: it runs once more at any later time, or never. A tick may pass between any two steps.
 *
 *   Owner     acquires GRANTS times, each time under a new token (NAME: as another process that
 *             says the same name), perhaps by a baton (WAITS); does up to OPS things to the grant;
 *             gives it back, perhaps with a delay or to a waiter (LEAVES); undoes an acquire that
 *             was not answered
 *   Renewal   makes the owner's lease longer RENEW times, as the thread does
 *   Other     takes what is free OTHERS times and relies on it to the end (FOREIGN: by SET NX PX)
 *   Breaker   (BREAK) looks, and breaks what it saw
 *   Adopter   (ADOPT) takes over a token: one that was handed over, or one in use
 *   Namesake  (NAMESAKE) acquires by the owner's name, and undoes that if it was not answered
 *
 * SHORTER: leases are also made shorter, and set again after their end. Fences rise as where TIME
 * is barred, the worst case for a request that recognizes its own work. There is one clock, and no
 * margin.
 *
 * Asserted: while a client relies on the lock, L holds its token, and for at least as long, so that
 * no two rely on it; verdicts are true (not with ONLY_OWNERS); nothing is taken after until. A
 * grant that was adopted, broken, or ended by one that says its name is not relied on any more: its owner
 * learns that when it asks.
 */
#ifndef GRANTS
#define GRANTS 1
#endif
#ifndef OPS
#define OPS 2
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef RENEW
#define RENEW 0
#endif
#ifndef COPIES
#define COPIES 1
#endif
#ifndef MAXT
#define MAXT 4
#endif
#define SHORT 1
#define LONG 3
#define CALL 1 /* a call's timeout */
#define WIN 2  /* a baton's window */

/* What L holds. 1 to 3 are the owner's tokens; a name's is always 1, and Lr tells whose RANDOM. */
#define FREE 0
#define HANDED 4
#define ADOPTED 5
#define OTHER 6
#define BATON 7  /* for the owner */
#define COOL 8
#define PASSED 9 /* a baton for the other */
#define IS_OWNERS(token) ((token) >= 1 && (token) <= 3)
#ifdef NAME
#define IS_NAME(token) ((token) == 1)
#else
#define IS_NAME(token) 0
#endif

#define NONE 0
mtype = { ACQUIRE, RELEASE, LONGER, AGAIN, ANEW, BREAK_IT };      /* requests */
mtype = { BUSY, OURS, GONE, LOST, LATE };                               /* answers */
mtype = { IDLE, HELD, PENDING, WAITING, UNDO };                         /* the owner */

/* kind, token, RANDOM of a name, fence, lease, until; a: the baton, new token, or what is left */
typedef request { mtype k; byte t, r, f, l, u, a };
request copy[COPIES], q;       /* sendings that may yet run; the one that runs */
byte copies_left = COPIES;     /* how many sendings may yet go unanswered */
mtype an = BUSY; byte af, al;  /* the answer: verdict, fence, what is left */

byte now, L, Lr, Lx, F;        /* the lock, until when it lives, and the fence */
bit parked, got;               /* the owner waits; a baton has come for it */
byte tok[3], safe[3], fen; bit in[3]; /* 0 owner, 1 other, 2 the second; the owner's fence */
mtype st = IDLE;               /* PENDING: one that raises the fence was not answered yet */
byte others, own;              /* ghosts: grants to others, and thefts; grants to the owner */

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define HAS(i) (!(in[i] && now < safe[i]) || (L == tok[i] && Lx >= safe[i]))
#define CHECK assert(HAS(0) && HAS(1) && HAS(2))
#ifdef M_NO_UNTIL
#define IS_LATE 0
#else
#define IS_LATE (now > q.u)
#endif

/* A grant is adopted or broken. Its holder is not told, and relies on a lock that it has not. */
inline steal() {
	others++;
	if :: IS_OWNERS(L) -> in[0] = 0 :: else fi;
	if :: L == OTHER -> in[1] = 0 :: else fi;
	if :: L == tok[2] -> in[2] = 0 :: else fi
}
inline lengthen() {
#ifdef M_OWN_SETS
	Lx = now + q.l
#else
	Lx = MAX(Lx, now + q.l)
#endif
}
inline serve() {
	an = BUSY; af = 0; al = 0;
	/* What releases or prolongs a name, and knows the grant, does so for all that say the name. */
	if
	:: IS_NAME(q.t) && IS_NAME(tok[2]) && q.f == F && (q.k == RELEASE || q.k == ANEW) -> in[2] = 0
	:: else
	fi;
	if
	:: q.k == ACQUIRE && IS_LATE -> an = LATE
	:: q.k == ACQUIRE && !IS_LATE ->
		if
		:: L == FREE || (q.a != 0 && L == q.a) ->
			assert(now <= q.u); /* runs after until */
			L = q.t; Lr = q.r; Lx = now + q.l; F = F + 2; an = OURS;
			if :: IS_OWNERS(q.t) -> own++ :: else -> others++ fi
		:: L != FREE && L == q.t ->
			lengthen(); an = OURS;
			if
			:: IS_NAME(q.t) -> /* a new grant; an undo may end only the first */
#ifndef M_NAME_KEEPS_RANDOM
				Lr = (Lr == q.r -> Lr : 0);
#endif
#ifndef M_NAME_NO_RAISE
				F = F + 2;
#endif
				own++
			:: else
			fi
		:: else
		fi
	:: q.k == RELEASE ->
		if
#ifdef M_RELEASE_TOKEN
		:: L == q.t ->
#else
		:: L == q.t && (q.f == 0 || F == q.f) && (q.r == 0 || Lr == q.r) ->
#endif
			an = OURS; L = q.a;
			if
			:: IS_NAME(q.t) && F == q.f -> F = F + 1 /* who renews it elsewhere learns who ended it */
			:: else
			fi;
			Lx = (q.a == FREE -> 0 : (q.a == COOL -> now + 1 : now + WIN))
		:: else ->
			if
			:: q.a != FREE && L == q.a -> an = OURS /* has come twice */
			:: else -> an = (L == FREE && F == q.f -> GONE : LOST)
			fi
		fi
	:: q.k == LONGER || q.k == AGAIN ->
		if
#ifdef M_LONGER_TOKEN
		:: L == q.t ->
#else
		:: L == q.t && F == q.f ->
#endif
#ifdef M_LONGER_SETS
			Lx = now + q.l;
#else
			Lx = MAX(Lx, now + q.l);
#endif
			an = OURS
#ifdef M_AGAIN_ANY
		:: q.k == AGAIN && L == FREE && !IS_LATE ->
#else
		:: q.k == AGAIN && L == FREE && F == q.f && !IS_LATE ->
#endif
			assert(now <= q.u); /* runs after until */
			L = q.t; Lx = now + q.l; an = GONE
		:: else ->
			an = (L != FREE || F != q.f -> LOST : (q.k == AGAIN -> LATE : GONE))
		fi
	:: q.k == ANEW ->
		if
		:: L == q.a && (q.a != q.t || F == q.f + 1) -> an = OURS /* has come twice */
#ifdef M_ANEW_NO_COMPARE
		:: L == q.t && !(q.a == q.t && F == q.f + 1) ->
#else
		:: L == q.t && (q.f == 0 || F == q.f) ->
#endif
			if
			:: IS_LATE -> an = LATE
			:: else ->
				if :: q.a == ADOPTED -> steal() :: else fi;
				L = q.a; Lr = 0; Lx = (q.l == 0 -> Lx : now + q.l); an = OURS;
#ifdef M_ANEW_NO_RAISE
				skip
#elif defined(M_ADOPT_NO_RAISE)
				F = (q.f == 0 -> F : F + 1)
#else
				F = F + (q.f == 0 -> 2 : 1)
#endif
			fi
#ifdef M_ANEW_FORGETS
		:: else -> an = (L == FREE && F == q.f -> GONE : LOST)
#else
		:: else -> an = (L == FREE && (F == q.f || F == q.f + 1) -> GONE : LOST)
#endif
		fi
	:: q.k == BREAK_IT ->
		if
		:: IS_LATE -> an = LATE
#ifdef M_BREAK_TOKEN
		:: !IS_LATE && L != FREE && L == q.t ->
#else
		:: !IS_LATE && L != FREE && L == q.t && F == q.f ->
#endif
			assert(now <= q.u); /* runs after until */
			if
			:: F == q.f -> steal()
			:: else -> others++ /* another grant than was seen: its owner must not lose it */
			fi;
			L = FREE; an = OURS;
#ifdef M_BREAK_NO_RAISE
			skip
#elif defined(M_BREAK_ONE)
			F = F + 1
#else
			F = F + 2
#endif
		:: else -> an = LOST
		fi
	fi;
	if :: L == FREE -> Lx = 0; Lr = 0 :: else fi;
	if :: (an == OURS || an == GONE) && L != FREE -> af = F; al = Lx - now :: else fi;
	CHECK
}
inline form(k0, t1, r0, f0, l0, u0, a0) {
	q.k = k0; q.t = t1; q.r = r0; q.f = f0; q.l = l0; q.u = u0; q.a = a0
}
inline forget() { form(NONE, 0, 0, 0, 0, 0, 0); an = BUSY; af = 0; al = 0 }
#if COPIES == 2
#define ROOM (copy[0].k == NONE || copy[1].k == NONE)
#define PLACE (copy[0].k == NONE -> 0 : 1)
#else
#define ROOM (copy[0].k == NONE)
#define PLACE 0
#endif
#define CAN_LOSE (copies_left > 0 && ROOM)
inline put() {
	copies_left--; z = PLACE;
	copy[z].k = q.k; copy[z].t = q.t; copy[z].r = q.r; copy[z].f = q.f; copy[z].l = q.l;
	copy[z].u = q.u; copy[z].a = q.a; z = 0
}
inline deliver(i) {
	form(copy[i].k, copy[i].t, copy[i].r, copy[i].f, copy[i].l, copy[i].u, copy[i].a);
	copy[i].k = NONE; copy[i].t = 0; copy[i].r = 0; copy[i].f = 0; copy[i].l = 0;
	copy[i].u = 0; copy[i].a = 0; serve(); forget()
}


#define RELY(end) in[0] = (now < (end)); safe[0] = (now < (end) -> (end) : 0); CHECK
#define OVER in[0] = 0; safe[0] = 0
#define ENDS OVER; fen = 0; seen_others = 0; seen_own = 0; st = IDLE
#if defined(ONLY_OWNERS) || defined(NAME)
#define TRUE_VERDICT skip
#else
/* Ours, or late: nobody else was granted it. Lost: somebody was, or a copy of our own acquire. */
#define TRUE_VERDICT if \
	:: an == OURS || an == GONE -> assert(others == seen_others) \
	:: an == LOST -> assert(others != seen_others || own != seen_own || L == OTHER) \
	:: else fi
#endif
#ifdef M_LEASE_ASKED
#define LEFT l
#else
#define LEFT al
#endif

/* What the owner makes of an answer to its request k; w: one of its sendings went unanswered. */
inline heard() {
	if
	:: k == ACQUIRE && an == OURS ->
		st = HELD; fen = af; seen_others = others; seen_own = own; w = 0; RELY(t0 + al)
	:: k == ACQUIRE && an != OURS ->
#ifdef WAITS
		if
		:: an == BUSY && a == 0 -> st = WAITING; parked = 1
		:: else -> st = (w -> UNDO : IDLE)
		fi
#else
		st = (w -> UNDO : IDLE)
#endif
	:: k == RELEASE && st == HELD ->
		TRUE_VERDICT;
		if
		:: IS_NAME(t) && an == LOST && L == t -> fen = F /* it looks, and releases what it sees */
		:: else -> ENDS
		fi
	:: k == RELEASE && st != HELD -> st = (st == WAITING && w -> UNDO : IDLE)
	:: k == LONGER || k == AGAIN ->
		TRUE_VERDICT;
		if
		:: an == OURS || an == GONE && k == AGAIN -> RELY(MAX(safe[0], t0 + al))
		:: an == LOST || an == GONE && k == LONGER -> ENDS
		:: else
		fi
	:: k == ANEW && st == PENDING ->
		TRUE_VERDICT;
		if
		:: an == OURS -> st = HELD; fen = af; RELY(t0 + LEFT)
		:: an == LOST && IS_NAME(t) && L == t -> fen = F /* it looks, and asks again */
		:: an == GONE || an == LOST && !(IS_NAME(t) && L == t) -> ENDS
		:: else
		fi
	:: k == ANEW && st != PENDING -> ENDS /* handed over */
	fi
}
inline unheard() {
	if
	:: k == ACQUIRE -> st = UNDO
	:: k == RELEASE || k == ANEW && st != PENDING -> ENDS
#ifdef M_NO_PENDING
	:: k == ANEW && st == PENDING -> st = HELD
#endif
	:: else
	fi
}
inline ask(k1, l1, a1) { k = k1; l = l1; a = a1; t = tok[0]; f = fen }
inline choose(length) { if :: length = SHORT :: length = LONG fi }

proctype Owner() {
	byte g, ops, t0, dl, t, r, f, l, a, z, lease, seen_others, seen_own;
	mtype k = NONE;
	bit w;
	do
	:: atomic {
		if
		:: st == IDLE && g < GRANTS ->
			g++; ops = 0; w = 0; choose(lease);
#if defined(NAME)
			tok[0] = 1; r = g;
			if
			:: L == 1 -> st = PENDING; fen = F; ask(ANEW, lease, 1) /* it looks, and prolongs */
			:: ask(ACQUIRE, lease, 0)
			fi
#elif defined(M_UNDO_REUSE)
			tok[0] = 1; ask(ACQUIRE, lease, 0)
#else
			tok[0] = g; ask(ACQUIRE, lease, 0)
#endif
		:: st == UNDO ->
			ask(RELEASE, 0, 0); f = 0;
#ifdef M_NAME_UNDO
			r = 0
#endif
#ifdef WAITS
		:: st == WAITING && got -> got = 0; parked = 0; ask(ACQUIRE, lease, BATON)
		:: st == WAITING && got -> got = 0; parked = 0; ask(RELEASE, 0, 0); t = BATON; f = 0
		:: st == WAITING -> got = 0; parked = 0; st = (w -> UNDO : IDLE)
#ifdef M_NO_CLAIM
		:: st == WAITING && got -> tok[0] = BATON; RELY(now + WIN)
#endif
#endif
#ifndef NAME
		:: st == HELD && ops < OPS -> ops++; choose(lease); ask(LONGER, lease, 0)
#endif
#if defined(NAME) || defined(SHORTER)
		:: st == HELD && ops < OPS ->
			ops++; choose(lease); st = PENDING;
			ask(ANEW, lease, tok[0]);
#ifndef M_NO_MINIMUM
			safe[0] = MIN(safe[0], now + lease)
#endif
#ifdef NAME
		:: st == PENDING && ops < OPS -> ENDS /* another process of the name goes on */
#endif
#endif
#ifdef SHORTER
		:: st == HELD && ops < OPS && now >= safe[0] -> ops++; choose(lease); ask(AGAIN, lease, 0)
#endif
		:: st == PENDING -> /* until it is answered, nothing else is sent */
			ask(ANEW, lease, tok[0])
#ifdef ADOPT
		:: st == HELD && ops < OPS -> ops++; OVER; ask(ANEW, 0, HANDED)
#endif
		:: st == HELD ->
			OVER; ask(RELEASE, 0, FREE);
#ifdef NAME
			r = 0;
#endif
#ifdef M_NAME_ANY_FENCE
			f = 0;
#endif
#ifdef LEAVES
			if :: a = FREE :: a = COOL :: a = PASSED fi
#endif
		fi };
		do
		:: k != NONE && t0 == 0 ->
			atomic { t0 = now + 1; dl = (dl == 0 -> now + CALL + 1 : dl) }
		:: atomic { k != NONE && t0 != 0 ->
			t0--; form(k, t, r, f, l, dl - 1, a); serve(); heard(); forget();
			k = NONE; t0 = 0; dl = 0 }
		:: atomic { k != NONE && t0 != 0 && CAN_LOSE ->
			form(k, t, r, f, l, dl - 1, a); put(); forget(); w = (k == ACQUIRE -> 1 : w); t0 = 0;
			if :: skip :: unheard(); k = NONE; dl = 0 fi }
		:: atomic { k == NONE -> t = 0; f = 0; l = 0; a = 0; break }
		od
	:: st == IDLE && g == GRANTS -> break
	od
}

/* Its request takes no time; what it is told may take any. */
proctype Renewal() {
	byte n, t0, t, f, left, z; mtype said;
	do
	:: atomic { n < RENEW && st == HELD && in[0] && now < safe[0] ->
			n++; t0 = now; t = tok[0]; f = fen };
		if
		:: atomic { form(LONGER, t, 0, f, LONG, 9, 0); serve(); said = an; left = al; forget() }
		:: atomic { CAN_LOSE -> form(LONGER, t, 0, f, LONG, 9, 0); put(); forget(); said = BUSY }
		fi;
		atomic {
#ifdef M_RENEWAL_COUNTS
			if :: in[0] && tok[0] == t && now < safe[0] ->
#else
			if :: in[0] && tok[0] == t && now < safe[0] && fen == f && st == HELD ->
#endif
				if
				:: said == OURS -> RELY(MAX(safe[0], t0 + left))
				:: said == LOST -> assert(L != t)
				:: else
				fi
			:: else
			fi;
			said = BUSY; left = 0; t0 = 0; t = 0; f = 0 }
	:: now == MAXT -> break
	od
}

proctype Other() {
	byte n, f;
	do
	:: atomic { n < OTHERS && (L == FREE || L == PASSED) -> n++;
#ifdef FOREIGN
			if :: L == FREE -> L = OTHER; Lx = now + 2 :: else -> goto out fi;
#else
			form(ACQUIRE, OTHER, 0, 0, 2, now, PASSED); serve(); f = F; forget();
#endif
			tok[1] = OTHER; in[1] = 1; safe[1] = Lx; CHECK };
		if
		:: atomic { now >= safe[1] -> in[1] = 0; safe[1] = 0 }
		:: atomic { in[1] = 0; safe[1] = 0;
#ifdef FOREIGN
			if :: L == OTHER -> L = FREE; Lx = 0 :: else fi;
#else
			form(RELEASE, OTHER, 0, f, 0, 0, (parked && !got -> BATON : FREE)); serve();
			if :: L == BATON && an == OURS -> got = 1 :: else fi;
			forget();
#endif
			f = 0 }
		fi
	:: now == MAXT -> break
	od;
out:	skip
}

proctype Breaker() {
	byte t, f, u, z;
	atomic { L != FREE -> t = L; f = F; u = now + CALL };
	if
	:: atomic { form(BREAK_IT, t, 0, f, 0, u, 0); serve(); forget() }
	:: atomic { CAN_LOSE -> form(BREAK_IT, t, 0, f, 0, u, 0); put(); forget() };
		if
		:: atomic { form(BREAK_IT, t, 0, f, 0, u, 0); serve(); forget() }
		:: skip
		fi
	fi
}

/* Adopter and Namesake: one request, relied on to its end, or undone if it was not answered. */
#ifdef ADOPT
#define SECOND form(ANEW, t, 0, 0, LONG, u, ADOPTED)
#define UNDO_IT form(RELEASE, ADOPTED, 0, 0, 0, 0, FREE)
#else
#define SECOND form(ACQUIRE, 1, 3, 0, LONG, u, 0)
#ifdef M_NAME_UNDO
#define UNDO_IT form(RELEASE, 1, 0, 0, 0, 0, FREE)
#else
#define UNDO_IT form(RELEASE, 1, 3, 0, 0, 0, FREE)
#endif
#endif
proctype Second() {
	byte t, t0, u, z; bit undo;
#ifdef ADOPT
	atomic { (L == HANDED || IS_OWNERS(L)) && now < MAXT -> t = L; t0 = now; u = now + CALL };
#else
	atomic { now < MAXT -> t0 = now; u = now + CALL };
#endif
	do
	:: atomic { SECOND; serve(); tok[2] = q.t;
#ifdef ADOPT
			tok[2] = ADOPTED;
#endif
			if :: an == OURS && now < t0 + al -> in[2] = 1; safe[2] = t0 + al; CHECK :: else fi;
			undo = (an != OURS && undo); forget(); break }
	:: atomic { CAN_LOSE -> SECOND; put(); forget(); undo = 1;
			if :: t0 = now :: break fi }
	od;
	if
	:: atomic { undo -> UNDO_IT; serve(); forget() }
	:: !undo
	fi;
	if
	:: atomic { now >= safe[2] -> in[2] = 0; safe[2] = 0 }
	:: atomic { in[2] = 0; safe[2] = 0 }
	fi
}

active proctype Server() {
	do
	:: atomic { now < MAXT -> now++;
			if :: L != FREE && now >= Lx -> L = FREE; Lx = 0; Lr = 0 :: else fi;
			CHECK }
	:: atomic { copy[0].k != NONE -> deliver(0) }
#if COPIES == 2
	:: atomic { copy[1].k != NONE -> deliver(1) }
#endif
	:: now == MAXT -> break
	od
}
init {
	atomic {
		run Owner(); run Other();
#if RENEW > 0
		run Renewal();
#endif
#ifdef BREAK
		run Breaker();
#endif
#if defined(ADOPT) || defined(NAMESAKE)
		run Second();
#endif
		skip
	}
}
