/*
 * How long a lock is left alone while somebody waits, and in which order waiters come in. Time
 * passes only when nothing else can happen, so each delay is the protocol's own. N clients take the
 * lock R times each. A waiter asks, parks, and asks again, keeping its place, when the present
 * lease ends, and otherwise after 1, 2, 4, 4 ... ticks: 4 stands for 8 s. A baton's window is 1 tick.
 *
 * What may go wrong, once: DEAD waiters that are never heard of again, with their place or with
 * what they were told; the flag is lost (FLAGLOSS); the lock is deleted (DELETED); a holder dies (DIES);
 * one release has a delay (COOL); a waiter gives up at any time (LEAVER). POPS: a BLPOP ends by
 * itself when its waiter asks, so that the dead leave the queue, and the living go to its end. ALONE:
 * the same where nobody can open a second connection: a waiter asks only when its BLPOP has ended,
 * after NET ticks.
 *
 * Asserted: while somebody waits, nobody has the lock for at most BOUND ticks without one in which
 * somebody has, and for SUM in all; all come in, since time is bounded; and if nothing goes wrong,
 * nobody comes in before one that parked earlier (not with POPS).
 */
#ifndef N
#define N 3
#endif
#ifndef R
#define R 1
#endif
#ifndef SUM
#define SUM 99
#endif
#ifndef BOUND
#define BOUND (SUM == 99 -> 0 : SUM)
#endif
#ifndef DEAD
#define DEAD 0
#endif
#define NET 4
#ifdef M_SHORT_FLAG
#define FLAG 1
#else
#define FLAG NET + 1
#endif
#define WINDOW 1
#ifdef ALONE
#define POPS
#define FIRST NET
#else
#define FIRST 1
#endif
#define LEASE 5
#define MAXT 60
#define NUDGE 99 /* what the list brings besides batons: ask */

mtype = { FREE, TOKEN, BATON, COOLDOWN };
mtype Lk = FREE; byte Lid, Lx;    /* what L holds: whose or which, and until when */
byte Q, Qx, W, batons;            /* the list; the flag's end; batons so far */
bit doubt;                        /* the flag holds '~': nobody that was told has asked since */
byte queue[N], parked, got[N];    /* who is parked, in order; what it was told */
byte now, waiting, ended, dead, came, seat[N];
byte alone, alone_in_all;         /* ticks in which nobody had the lock and somebody waited */
bit fault, left_already;

inline unpark(i) {
	k = 0; j = 0;
	do
	:: j < parked -> if :: queue[j] != i + 1 -> queue[k] = queue[j]; k++ :: else fi; j++
	:: else -> break
	od;
	j = k;
	do :: j < parked -> queue[j] = 0; j++ :: else -> break od;
	parked = k; k = 0; j = 0
}
inline push(what, life) {
	Q = what; Qx = now + life;
	if
	:: parked > 0 -> z = queue[0] - 1; got[z] = Q; Q = 0; Qx = 0; unpark(z); z = 0
	:: else
	fi
}
inline pass_on() {
	if
	:: now >= W -> Lk = FREE; Lid = 0; Lx = 0
#ifdef M_DOUBT
	:: now < W ->
#else
	:: now < W && doubt ->
		Lk = FREE; Lid = 0; Lx = 0;
#ifndef M_NO_NUDGE
		push(NUDGE, WINDOW)
#endif
	:: now < W && !doubt ->
#endif
		batons++; Lk = BATON; Lid = batons; Lx = now + WINDOW; doubt = 1; push(batons, WINDOW);
#ifdef M_TAKES_DOWN
		W = 0
#endif
	fi
}
inline take(i) { Lk = TOKEN; Lid = i + 1; Lx = now + LEASE; ours = 1 }
/* The script acquire. */
inline acquire(i, heard, flag) {
	if :: heard != 0 -> doubt = 0 :: else fi;
	if
	:: Lk == FREE || Lk == BATON && Lid == heard -> take(i)
#ifndef M_LYING
	:: Lk == BATON && Lid != heard && Q == Lid -> Q = 0; Qx = 0; doubt = 0; take(i)
#endif
	:: else -> Q = 0; Qx = 0; if :: now + flag > W -> W = now + flag :: else fi; left = Lx
	fi
}

proctype Client(byte i) {
	byte r, j, k, z, left, look, pause;
	bit ours, is_parked;
	do
	:: r < (i < DEAD -> 1 : R) ->
		atomic { r++; ours = 0; waiting++; pause = FIRST; acquire(i, 0, FLAG) };
		do
		:: ours -> break
		:: !ours ->
			atomic {
				if
				:: !is_parked ->
#ifndef POPS
					came++; seat[i] = came;
#endif
					if
					:: Q != 0 -> got[i] = Q; Q = 0; Qx = 0
					:: else -> queue[parked] = i + 1; parked++; is_parked = 1
					fi
				:: else
				fi;
#ifdef ALONE
				look = now + NET };
#else
				look = (left < now + pause -> left : now + pause) };
#endif
			if
			:: atomic { got[i] != 0 -> z = got[i]; got[i] = 0; is_parked = 0; k = z; z = 0;
				acquire(i, k, FLAG); k = 0 }
#ifndef M_NO_NET
			:: atomic { got[i] == 0 && now >= look ->
				pause = (pause < NET -> pause * 2 : NET);
#ifdef POPS
				if :: is_parked -> unpark(i); is_parked = 0 :: else fi;
#endif
				acquire(i, 0, FLAG);
				if :: ours && is_parked -> unpark(i); is_parked = 0 :: else fi }
#endif
#ifdef LEAVER
			:: atomic { i == N - 1 && !left_already -> fault = 1; left_already = 1; waiting--;
				unpark(i); is_parked = 0;
				if
#ifndef M_LEAVES_WITH_BATON
				:: got[i] != 0 && got[i] != NUDGE -> /* passes it on, if it is still good */
					if :: Lk == BATON && Lid == got[i] -> doubt = 0; pass_on() :: else fi
#endif
				:: got[i] == NUDGE -> /* asks, and gives back what it gets */
					acquire(i, NUDGE, 0);
					if :: ours -> pass_on(); ours = 0 :: else fi
				:: else
				fi;
				got[i] = 0 };
				goto out
#endif
			:: atomic { dead < DEAD && i < DEAD -> dead++; fault = 1; waiting--;
					skip };
#ifdef POPS
				atomic { now >= look -> unpark(i) };
#endif
				goto out
			fi
		od;
		atomic { waiting--; got[i] = 0;
			j = 0;
			do
			:: j < parked -> assert(fault || seat[i] == 0 || seat[queue[j] - 1] > seat[i]); j++
			:: else -> break
			od;
			j = 0; seat[i] = 0;
			if :: look = now :: look = now + 1 :: look = now + 4 fi }; /* until then it has it */
		now >= look;
#ifdef DIES
		if :: atomic { !fault -> fault = 1 }; goto out :: skip fi;
#endif
		atomic {
			if
			:: Lk == TOKEN && Lid == i + 1 ->
#ifdef COOL
				if
				:: !fault -> fault = 1; Lk = COOLDOWN; Lid = 0; Lx = now + 2;
					if
#ifndef M_COOLS_SILENTLY
					:: now < W -> push(NUDGE, 2)
#endif
					:: else
					fi
				:: pass_on()
				fi
#else
				pass_on()
#endif
			:: else
			fi;
			left = 0; look = 0; pause = 0 }
	:: else -> break
	od;
out:	ended++
}

proctype Clock() {
	do
	:: ended == N -> break
	:: atomic { timeout && ended < N ->
		if
		:: Lk != TOKEN && Lk != COOLDOWN && waiting > 0 ->
			alone++; alone_in_all++; assert(alone <= BOUND && alone_in_all <= SUM)
		:: else -> alone = 0
		fi;
		now++; assert(now < MAXT);
		if :: Lk != FREE && now >= Lx -> Lk = FREE; Lid = 0; Lx = 0 :: else fi;
		if :: Q != 0 && now >= Qx -> Q = 0; Qx = 0 :: else fi;
		if :: now >= W -> doubt = 0 :: else fi }
#ifdef FLAGLOSS
	:: atomic { W > now && !fault -> W = 0; doubt = 0; fault = 1 }
#endif
#ifdef DELETED
	:: atomic { Lk == TOKEN && !fault -> Lk = FREE; Lid = 0; Lx = 0; fault = 1 }
#endif
	od
}

init {
	atomic {
		byte i = 0;
		do :: i < N -> run Client(i); i++ :: else -> break od;
		run Clock()
	}
}
