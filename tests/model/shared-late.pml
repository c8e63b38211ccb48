/*
 * Requests about shares that arrive late. Each script is one atomic step. A sending that was not answered stays on its way: up to
 * two of them at a time run once, whenever it may be, or never. A tick may pass between any two steps. What the queue decides
 * (who has the right of way, whether a baton is passed) is chosen freely here, so what holds holds whatever the queue does.
 *
 *   A        enters GRANTS times, each time under another token (NAME: always the same one); does up to OPS things to it: longer,
 *            shorter (anew), upgrade, downgrade, takes it back after its end; gives it back, with a delay (COOL), or lets it end
 *   B        enters once, and gives its share back or lets it end
 *   W        takes the lock exclusively OTHERS times, relies on it to the end, and gives it back or lets it end
 *   Breaker  (BREAK; BREAK=2: two of them) breaks a share that it saw, perhaps late, perhaps twice
 *   Odd      L is deleted (DROP), the shares (EVICT) or their record (FORGET) are evicted: once
 *
 * Asserted: as long as a client relies on a share, it is in the set, and L says so, for at least that long; who relies
 * exclusively is in L; no two rely that must not; no more shares than LIM. Fences rise. Nothing is taken after until. Verdicts:
 * within its lease, a holder that nobody broke hears "ours"; "late" means that nobody was granted the lock exclusively since
 * this fence was, "lost" that somebody was, or that the share was broken, or one of a higher fence.
 */
#ifndef GRANTS
#define GRANTS 1
#endif
#ifndef OPS
#define OPS 1
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef BUDGET
#define BUDGET 2
#endif
#ifndef MAXT
#define MAXT 4
#endif
#ifndef LIM
#define LIM 9
#endif
#define SHORT 1
#define LONG 3
#ifndef ENTERS
#define ENTERS LONG /* the lease that A asks for when it enters */
#endif
#define CALL 1

/* What L holds: 1, 2 a token of A, 3 B's, 4 W's: exclusively */
#define FREE 0
#define BATON 9
#define SH 10
#define EXCL (L != FREE && L != BATON && L != SH)

#define ENTER 1
#define LEAVE 2
#define LONGER 3
#define ANEW 4
#define UP 5
#define DOWN 6
#define ACQ 7
#define REL 8

#define BUSY 0
#define OURS 1
#define GONE 2
#define LOST 3
#define LATE 4
#define NONE 5
#define STILL 6   /* an upgrade is refused */
#define COOLS 1   /* leave: with a delay */
#define BREAKS 2

typedef request { byte k, t, f, l, u, h };
request slot[2];
byte now, L, Lx, F, HL, HE;         /* HL, HE: the record's LAST and ERA */
byte S[4], G[4], cool;              /* each share's end and fence */
byte mode[3], tok[3], safe[3], fen[3]; bit doomed[3];   /* 0 A, 1 B, 2 W. mode 1 a share, 2 exclusively */
byte xseq, xof[64], broke; bit odd; /* ghosts: exclusive grants; how many there were when this fence was granted; the highest broken fence + 1 */
byte rk, rt, rf, rl, ru, rh, an, af, al; /* the request that runs; its answer: verdict, fence, what is left */
byte z, cnt, budget = BUDGET;
chan go = [0] of { bit };
chan done = [0] of { bit };

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define RELIES(i) (mode[i] != 0 && now < safe[i] && !doomed[i])
#define HAS(i) (!RELIES(i) || (L == SH && mode[i] == 1 && S[tok[i] % 4] >= safe[i]) || (L == tok[i] && Lx >= safe[i]))
#define CONFLICT(i, j) (RELIES(i) && RELIES(j) && (mode[i] == 2 || mode[j] == 2))
#define CHECK assert(HAS(0) && HAS(1) && HAS(2)); assert(!CONFLICT(0, 1) && !CONFLICT(0, 2) && !CONFLICT(1, 2))

#ifdef NAME
#define NAMED(t) ((t) <= 2)
#else
#define NAMED(t) 0
#endif
#ifdef M_NO_UNTIL
#define TOO_LATE 0
#else
#define TOO_LATE (now > ru)
#endif
#ifdef M_VERDICT_LAST
#define VERDICT (!EXCL && rf >= HE && HE != 0 -> GONE : LOST)
#elif defined(M_VERDICT_ERA)
#define VERDICT (!EXCL && F == HL -> GONE : LOST)
#else
#define VERDICT (!EXCL && F == HL && HE != 0 && rf >= HE -> GONE : LOST)
#endif
#ifdef M_LEAVE_TOKEN
#define MINE (S[rt] != 0)
#else
#define MINE (S[rt] != 0 && (rf == 0 || G[rt] == rf))
#endif

inline count() { z = 1; cnt = 0; do :: z < 4 -> if :: S[z] != 0 -> cnt++ :: else fi; z++ :: else -> break od; z = 0 }
inline settle() { z = 1; Lx = cool; do :: z < 4 -> Lx = MAX(Lx, S[z]); z++ :: else -> break od; z = 0 }
inline drop_shares() { z = 1; cool = 0; do :: z < 4 -> S[z] = 0; G[z] = 0; z++ :: else -> break od; z = 0 }
inline raise() {
#ifdef M_NO_RAISE
	if :: rk == ENTER || rk == ANEW -> skip :: else -> F = F + 2 fi;
#else
	F = F + 2;
#endif
	assert(F < 64); xof[F] = xseq }
inline share(t, ends) {
	S[t] = ends; G[t] = F; HL = F; settle(); an = OURS; af = F; al = ends - now }
inline pass_or_free() { if :: L = FREE; Lx = 0 :: L = BATON; Lx = now + 1 fi }

inline serve() {
	an = BUSY; af = 0; al = 0;
	if
	:: rk == ENTER ->
		if
		:: TOO_LATE -> an = LATE
#ifndef M_BACK_ANY
		:: !TOO_LATE && rf != 0 && VERDICT != GONE -> an = LOST
		:: !TOO_LATE && !(rf != 0 && VERDICT != GONE) ->
#else
		:: !TOO_LATE ->
#endif
			if
			:: L == rt -> Lx = MAX(Lx, now + rl); an = OURS; af = F; al = Lx - now
			:: L == FREE || L == BATON ->
				assert(now <= ru); assert(rf == 0 || xof[rf] == xseq);
#ifdef M_ERA_STAYS
				cnt = HE;
#elif defined(M_ERA_NEW)
				cnt = 0;
#else
				cnt = (HL == F && F != 0 -> HE : 0);
#endif
				drop_shares(); raise(); HE = (cnt != 0 -> cnt : F); cnt = 0; L = SH; share(rt, now + rl)
			:: L == SH && S[rt] != 0 ->
#ifndef M_NAME_NO_RAISE
				if :: NAMED(rt) -> raise(); HL = F; G[rt] = F :: else fi;
#endif
#ifdef M_TWICE_SETS
				S[rt] = now + rl;
#else
				S[rt] = MAX(S[rt], now + rl);
#endif
				settle(); an = OURS; af = G[rt]; al = S[rt] - now
			:: L == SH && S[rt] == 0 ->
				count();
				if
#ifdef M_EVICTED
				:: cool == 0 && cnt < LIM ->
#elif defined(M_LIMIT)
				:: cool == 0 && cnt > 0 ->
#elif defined(M_COOLING)
				:: cnt > 0 && cnt < LIM ->
#else
				:: cool == 0 && cnt > 0 && cnt < LIM ->
#endif
					assert(now <= ru); assert(rf == 0 || xof[rf] == xseq); assert(now >= cool);
					raise(); share(rt, now + rl); cnt++; assert(cnt <= LIM)
				:: an = BUSY   /* or it has not the right of way */
				fi; cnt = 0
			:: else
			fi
		fi
	:: rk == LEAVE ->
		if
		:: L == SH && MINE ->
			if
			:: rh == BREAKS ->
				broke = MAX(broke, G[rt] + 1);
#ifndef M_BREAK_SILENT
#ifdef M_BREAK_LOWERS
				HE = G[rt] + 1;
#else
				HE = MAX(HE, G[rt] + 1);
#endif
#endif
				if :: tok[0] == rt -> doomed[0] = 1 :: else fi; if :: tok[1] == rt -> doomed[1] = 1 :: else fi
			:: rh == COOLS -> cool = MAX(cool, now + 1)
			:: else
			fi;
			S[rt] = 0; G[rt] = 0; count(); an = OURS;
			if :: cnt == 0 && cool == 0 -> pass_or_free() :: else -> settle() fi; cnt = 0
		:: else -> an = VERDICT
		fi
	:: rk == LONGER ->
		if
#ifdef M_LONGER_TOKEN
		:: L == SH && S[rt] != 0 ->
#else
		:: L == SH && S[rt] != 0 && G[rt] == rf ->
#endif
#ifdef M_LONGER_SETS
			S[rt] = now + rl;
#else
			S[rt] = MAX(S[rt], now + rl);
#endif
			settle(); an = OURS; af = rf; al = S[rt] - now
		:: else -> an = VERDICT
		fi
	:: rk == ANEW ->
		if
		:: L == SH && S[rt] != 0 ->
			if
#ifndef M_ANEW_ANY
			:: G[rt] != rf -> an = OURS; af = G[rt]; al = S[rt] - now
			:: G[rt] == rf && TOO_LATE -> an = LATE
			:: G[rt] == rf && !TOO_LATE -> raise(); share(rt, now + rl)
#else
			:: 1 -> raise(); share(rt, now + rl)
#endif
			fi
		:: else -> an = VERDICT
		fi
	:: rk == UP ->
		if
		:: L == rt -> an = OURS; af = F; al = Lx - now
		:: L == SH && S[rt] != 0 ->
			count(); if :: cool != 0 -> cnt++ :: else fi;
			if
#ifndef M_UP_ANY
			:: G[rt] != rf -> an = STILL; af = G[rt]; al = S[rt] - now
			:: G[rt] == rf && TOO_LATE -> an = LATE
			:: G[rt] == rf && !TOO_LATE && cnt > 1 ->
#else
			:: cnt > 1 ->
#endif
#ifndef M_UP_REFUSED
				raise(); HL = F; G[rt] = F;
#endif
				an = STILL; af = G[rt]; al = S[rt] - now
#ifdef M_UP_BESIDE
			:: G[rt] == rf && !TOO_LATE ->
#elif defined(M_UP_ANY)
			:: cnt == 1 ->
#else
			:: G[rt] == rf && !TOO_LATE && cnt == 1 ->
#endif
				L = rt; Lx = MAX(S[rt], now + rl); drop_shares();
				xseq++;
#ifndef M_UP_NO_RAISE
				raise();
#endif
				an = OURS; af = F; al = Lx - now
			fi; cnt = 0
		:: else -> an = VERDICT
		fi
	:: rk == DOWN ->
		if
#ifdef M_DOWN_TOKEN
		:: L == rt ->
#else
		:: L == rt && F == rf ->
#endif
			drop_shares(); S[rt] = Lx; G[rt] = F; HL = F;
#ifndef M_DOWN_ERA
			HE = F;
#endif
			L = SH; an = OURS; af = F; al = S[rt] - now
		:: L == SH && S[rt] != 0 && G[rt] == rf -> an = OURS; af = rf; al = S[rt] - now
		:: else -> an = (L == FREE && F == rf -> GONE : LOST)
		fi
	:: rk == ACQ ->
		if
		:: L == FREE || L == BATON -> L = rt; Lx = now + rl; xseq++; F = F + 2; assert(F < 64); xof[F] = xseq; an = OURS; af = F; al = rl
		:: else
		fi
	:: rk == REL ->
		if
		:: L == rt && (rf == 0 || F == rf) -> pass_or_free(); an = OURS
		:: else -> an = (L == FREE && F == rf -> GONE : LOST)
		fi
	fi;
	if
	:: rf != 0 && an == GONE && rk != DOWN && rk != REL -> assert(xof[rf] == xseq && rf >= broke)
	:: rf != 0 && an == OURS && rk == LONGER -> assert(xof[rf] == xseq)
	:: rf != 0 && an == LOST && rk != DOWN && rk != REL -> assert(xof[rf] != xseq || rf < broke || odd)
	:: else
	fi;
	CHECK
}
inline clear() { rk = 0; rt = 0; rf = 0; rl = 0; ru = 0; rh = 0; an = 0; af = 0; al = 0 }
inline load(k1, t1, f1, l1, u1, h1) { rk = k1; rt = t1; rf = f1; rl = l1; ru = u1; rh = h1 }
inline put(k1, t1, f1, l1, u1, h1) {
	z = (slot[0].k == 0 -> 0 : 1);
	slot[z].k = k1; slot[z].t = t1; slot[z].f = f1; slot[z].l = l1; slot[z].u = u1; slot[z].h = h1; z = 0 }
inline take(i) {
	load(slot[i].k, slot[i].t, slot[i].f, slot[i].l, slot[i].u, slot[i].h);
	slot[i].k = 0; slot[i].t = 0; slot[i].f = 0; slot[i].l = 0; slot[i].u = 0; slot[i].h = 0 }
#define ROOM (budget > 0 && (slot[0].k == 0 || slot[1].k == 0))

/* Sends until there is an answer, or gives up. The sending that is answered is that of t0. */
inline ask(k2, t2, f2, l2, h2) {
	dl = now + CALL; sent = 0; a = NONE;
	do
	:: atomic { now <= dl -> load(k2, t2, f2, l2, dl, h2); go!1; done?1; a = an; f = af; l = al; t0 = now;
			if :: k2 == ENTER && a == OURS -> doomed[0] = 0 :: else fi; clear(); break }
	:: atomic { now <= dl && ROOM -> put(k2, t2, f2, l2, dl, h2); budget--; sent = 1 }
	:: atomic { sent && budget == 0 || now > dl -> break }
	od }
#define DONE dl = 0; a = 0; f = 0; l = 0; t0 = 0; sent = 0

proctype A() {
	byte g, n, dl, a, f, l, t0, t; bit sent, over, done2;
	do
	:: g < GRANTS ->
#ifdef NAME
		atomic { g++; t = 1; n = 0; over = 0; tok[0] = t };
#else
		atomic { g++; t = g; n = 0; over = 0; tok[0] = t };
#endif
		ask(ENTER, t, 0, ENTERS, 0);
		if
		:: atomic { a == OURS -> if :: now < t0 + l -> fen[0] = f; safe[0] = t0 + l; mode[0] = 1; CHECK :: else -> over = 1 fi; DONE };
		:: atomic { a != OURS && (a == NONE || sent) -> over = 1; DONE };
#ifndef NAME
			ask(LEAVE, t, 0, 0, 0); atomic { DONE }
#endif
		:: atomic { else -> over = 1; DONE }
		fi;
		do
		:: over || n == OPS -> break
		:: !over && n < OPS && mode[0] == 1 && now < safe[0] -> n++; ask(LONGER, t, fen[0], 2, 0);
			atomic { if :: a == OURS -> safe[0] = MAX(safe[0], t0 + l) :: a == GONE || a == LOST -> assert(now >= safe[0] || doomed[0] || a == LOST || odd); mode[0] = 0; over = 1 :: else fi; DONE; CHECK }
		:: !over && n < OPS && mode[0] == 1 && now < safe[0] ->
			atomic { n++;
#ifndef M_NO_MIN
				safe[0] = MIN(safe[0], now + SHORT)
#endif
				};
			ask(ANEW, t, fen[0], SHORT, 0);
			atomic { if :: a == OURS -> fen[0] = f; safe[0] = t0 + l :: a == GONE || a == LOST -> mode[0] = 0; over = 1 :: else -> mode[0] = 0; over = 1 fi; DONE; CHECK }
		:: !over && n < OPS && mode[0] == 1 && now < safe[0] -> n++; ask(UP, t, fen[0], SHORT, 0);
			if
			:: atomic { a == OURS -> fen[0] = f; safe[0] = MAX(safe[0], t0 + l); mode[0] = 2; DONE; CHECK }
			:: atomic { a == STILL -> fen[0] = f; DONE }
			:: atomic { else -> mode[0] = 0; over = 1; DONE };
				/* first where it was, then where it goes */
#ifdef M_UNDO_ORDER
				ask(REL, t, 0, 0, 0); atomic { done2 = (a != NONE) }; ask(LEAVE, t, 0, 0, 0);
#else
				ask(LEAVE, t, 0, 0, 0); atomic { done2 = (a != NONE) }; ask(REL, t, 0, 0, 0);
#endif
				atomic { assert(!done2 || a == NONE || L != t || slot[0].k != 0 || slot[1].k != 0); done2 = 0; DONE }
			fi
		:: !over && n < OPS && mode[0] == 2 && now < safe[0] ->
			atomic { n++; mode[0] = 1 }; /* from now on it relies on no more than a share */
			ask(DOWN, t, fen[0], 0, 0);
			if
			:: atomic { a == OURS -> DONE; CHECK }
			:: atomic { else -> mode[0] = 0; over = 1; DONE };
				ask(REL, t, 0, 0, 0); ask(LEAVE, t, 0, 0, 0); atomic { DONE }
			fi
		:: !over && n < OPS && mode[0] == 1 && now >= safe[0] -> n++; mode[0] = 0; ask(ENTER, t, fen[0], LONG, 0);
			if
			:: atomic { a == OURS && now < t0 + l -> fen[0] = f; safe[0] = t0 + l; mode[0] = 1; DONE; CHECK }
			:: atomic { else -> over = 1; DONE }
			fi
		od;
		if
		:: atomic { !over && mode[0] == 1 -> mode[0] = 0; t0 = now };
			if
#ifdef COOL
			:: ask(LEAVE, t, fen[0], 0, COOLS)
#endif
			:: ask(LEAVE, t, fen[0], 0, 0);
#ifndef NAME /* a late enter by the name raises the fence */
				atomic { if :: a != OURS && a != NONE && !sent -> assert(t0 >= safe[0] || doomed[0] || odd) :: else fi }
#else
				skip
#endif
			fi; atomic { DONE }
		:: atomic { !over && mode[0] == 2 -> mode[0] = 0 }; ask(REL, t, fen[0], 0, 0); atomic { DONE }
		:: atomic { mode[0] = 0 }   /* it ends by itself */
		fi;
		atomic { safe[0] = 0; fen[0] = 0; tok[0] = 0; t = 0 }
	:: else -> break
	od
}
proctype B() {
	atomic { load(ENTER, 3, 0, 2, now, 0); go!1; done?1;
		if :: an == OURS -> tok[1] = 3; fen[1] = af; safe[1] = now + al; mode[1] = 1; doomed[1] = 0 :: else fi; clear(); CHECK };
	if
	:: atomic { now >= safe[1] -> mode[1] = 0 }
	:: skip
	fi;
	atomic { if :: mode[1] == 1 || fen[1] != 0 -> mode[1] = 0; load(LEAVE, 3, fen[1], 0, 0, 0); go!1; done?1; clear() :: else fi; fen[1] = 0; safe[1] = 0 }
}
proctype W() {
	byte n, f;
	do
	:: atomic { n < OTHERS && (L == FREE || L == BATON) -> n++;
		load(ACQ, 4, 0, 2, now, 0); go!1; done?1; f = af; clear(); tok[2] = 4; safe[2] = Lx; mode[2] = 2; doomed[2] = 0; CHECK };
		if
		:: atomic { now >= safe[2] -> mode[2] = 0 }
		:: atomic { mode[2] = 0; load(REL, 4, f, 0, 0, 0); go!1; done?1; clear() }
		fi; f = 0
	:: n == OTHERS || now == MAXT -> break
	od
}
#ifdef BREAK
proctype Breaker() {
	byte t, f;
	if
	:: atomic { L == SH && S[1] != 0 -> t = 1; f = G[1] }
	:: atomic { L == SH && S[3] != 0 -> t = 3; f = G[3] }
	:: now == MAXT -> goto out
	fi;
	if :: atomic { load(LEAVE, t, f, 0, 0, BREAKS); go!1; done?1; clear() } :: atomic { ROOM -> budget--; put(LEAVE, t, f, 0, 9, BREAKS) } fi;
	if :: atomic { load(LEAVE, t, f, 0, 0, BREAKS); go!1; done?1; clear() } :: skip fi;
out:	skip
}
#endif
/* Scripts run one after the other, each to its end: the client's atomic step goes on where its answer arrives. */
active proctype Server() {
end:	do
	:: atomic { go?1 -> serve(); done!1 }
	:: atomic { slot[0].k != 0 -> take(0); serve(); clear() }
	:: atomic { slot[1].k != 0 -> take(1); serve(); clear() }
	od
}
active proctype Clock() {
	byte k;
	do
	:: atomic { now < MAXT -> now++;
		if :: cool != 0 && now >= cool -> cool = 0 :: else fi;
		k = 1; do :: k < 4 -> if :: S[k] != 0 && now >= S[k] -> S[k] = 0; G[k] = 0 :: else fi; k++ :: else -> break od; k = 0;
		if :: L != FREE && now >= Lx -> L = FREE; Lx = 0; drop_shares() :: else fi; CHECK }
#if defined(DROP) || defined(EVICT) || defined(FORGET)
	:: atomic { L == SH && !odd -> odd = 1; doomed[0] = 1; doomed[1] = 1;
#ifdef DROP
		L = FREE; Lx = 0
#elif defined(EVICT)
		k = Lx; drop_shares(); Lx = k; k = 0
#else
		HL = 0; HE = 0; doomed[0] = 0; doomed[1] = 0
#endif
		}
#endif
	:: now == MAXT -> break
	od
}
init { atomic {
	run A(); run B(); run W();
#ifdef BREAK
	run Breaker();
#if BREAK == 2
	run Breaker();
#endif
#endif
	skip
} }
