/*
 * The queue for both kinds: who is woken, when, and in which order. Scripts are atomic steps. Time passes only when nothing else
 * can happen, so each delay is the protocol's own. A tick is the window (WIN, 1 s). N clients take the lock R times each, of a
 * kind that is chosen anew: exclusively (0), a share (9), or a share while fewer than two are held (2; -DLIMITS).
 *
 * Asserted, whenever time passes: the lock is not left alone for more than BOUND ticks in a row, that is, the waiter that came
 * first (of those alive) could not have been granted what it waits for. When somebody is granted the lock, nobody alive has been
 * parked for longer (as long as nothing has happened that ends the order: a fault, a lease that ran out, a cooldown, an
 * upgrade past a waiter). Never an exclusive owner beside another owner, and no more shares than a grant's limit.
 *
 * DEAD   so many waiters vanish, wherever they are, with what they have: their place, a pass, the turnstile
 * DIES   so many holders vanish: what they hold ends with its lease
 * LEAVER a waiter gives up at any time: by its last ask, or as an exception makes it
 * DROP   L is deleted once        FLAGLOSS the waiting flag is evicted once
 * COOL   a share is given back with a delay, once     UP, DOWN  owners change their kind
 */
#ifndef N
#define N 3
#endif
#ifndef R
#define R 2
#endif
#ifndef BOUND
#define BOUND 0
#endif
#ifndef DEAD
#define DEAD 0
#endif
#ifndef DIES
#define DIES 0
#endif
#define NET 4      /* 8 s */
#define WIN 1
#define LEASE 6
#define TURN 2     /* for how long the turnstile is kept: its waiter asks at each tick */
#define MAXT 60

#define FREE 0
#define TOKEN 1
#define BATON 2
#define SHARED 3
#define TICKET 1
#define WAITER 2
#define NUDGE 255
#define Q_LIST 0
#define ROOM 1
#define ASK_ENTER 2

byte now, Lk, Lid, Lx;              /* L: its kind, whose or which baton, its end */
byte S[N], cool;                    /* the shares' ends, and the cooldown's */
byte Tk, Tid, Tn, Tx;               /* the turnstile: kind, which ticket or whose, its limit, its end */
byte W, Q, Qx, P, Px;               /* the flag's end; what lies in the wake list and in the room */
byte bq[N], bl, pq[N], pl;          /* who is parked on the wake list, and on the room */
byte got[N], seat[N], want[N], came, names, alone, fin, dead, died, cnt, z;
bit waiting[N], owns[N], unordered, fault, used;

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define PASS(x) ((x) != 0 && (x) != NUDGE)

inline count() { z = 0; cnt = 0; do :: z < N -> if :: S[z] != 0 -> cnt++ :: else fi; z++ :: else -> break od; z = 0 }
inline settle() { z = 0; Lx = cool; do :: z < N -> Lx = MAX(Lx, S[z]); z++ :: else -> break od; z = 0 }
inline drop_shares() { z = 0; cool = 0; do :: z < N -> S[z] = 0; z++ :: else -> break od; z = 0 }
inline close_turnstile() { Tk = 0; Tid = 0; Tn = 0; Tx = 0 }
inline leave_wake(i) { z = 0; y = 0;
	do :: z < bl -> if :: bq[z] != i + 1 -> bq[y] = bq[z]; y++ :: else fi; z++ :: else -> break od;
	z = y; do :: z < bl -> bq[z] = 0; z++ :: else -> break od; bl = y; y = 0; z = 0 }
inline leave_room(i) { z = 0; y = 0;
	do :: z < pl -> if :: pq[z] != i + 1 -> pq[y] = pq[z]; y++ :: else fi; z++ :: else -> break od;
	z = y; do :: z < pl -> pq[z] = 0; z++ :: else -> break od; pl = y; y = 0; z = 0 }
inline unpark(i) { leave_wake(i); leave_room(i) }
inline push_wake(item, life) { Q = item; Qx = now + life;
	if :: bl > 0 -> x = bq[0] - 1; got[x] = Q; Q = 0; Qx = 0; leave_wake(x); x = 0 :: else fi }
inline push_room(item) { P = item; Px = now + WIN;
	if :: pl > 0 -> x = pq[0] - 1; got[x] = P; P = 0; Px = 0; leave_room(x); x = 0 :: else fi }
inline raise_flag() { W = MAX(W, now + flag) }

/* The parts of the scripts that pass the lock, or the right of way, on. */
inline pass_on() {
	if
#ifdef M_NO_TICKET
	:: 0 -> skip
#else
	:: now < W -> names++; Tk = TICKET; Tid = names; Tn = 0; Tx = now + WIN; push_wake(names, WIN)
#endif
	:: else -> close_turnstile()
	fi }
inline baton_to_wake() {
	if :: now < W -> names++; Lk = BATON; Lid = names; Lx = now + WIN; push_wake(names, WIN) :: else -> Lk = FREE; Lid = 0; Lx = 0 fi }
inline hand_over() {
	if
#ifndef M_ROOM_NOT_FIRST
	:: Tk == WAITER -> names++; Lk = BATON; Lid = names; Lx = now + WIN; Tx = MAX(Tx, now + WIN); push_room(names)
#endif
#ifndef M_TICKET_LOST
	:: Tk == TICKET -> Lk = BATON; Lid = Tid; Lx = now + WIN; Qx = now + WIN; close_turnstile()
#endif
	:: else -> baton_to_wake()
	fi }
inline leave(i, delay) {
	S[i] = 0; if :: delay -> cool = MAX(cool, now + 2) :: else fi; count();
	if
	:: cnt == 0 && cool == 0 -> hand_over()
	:: else -> settle();
#ifndef M_NO_NUDGE
		if :: Tk == WAITER && cnt < Tn -> push_room(NUDGE) :: else fi
#endif
	fi; cnt = 0 }
inline granted(i) {
	ours = 1;
	y = 0; do :: y < N -> if :: y != i && owns[y] -> assert(want[i] != 0 && want[y] != 0) :: else fi;
		assert(unordered || fault || y == i || !waiting[y] || seat[y] == 0 || (seat[i] != 0 && seat[i] < seat[y])); y++ :: else -> break od; y = 0;
	count(); assert(want[i] == 0 || cnt <= want[i]); cnt = 0;
	owns[i] = 1; waiting[i] = 0 }

inline acquire(i, pass) {
	ours = 0; where = Q_LIST; left = Lx;
	if
	:: Lk == SHARED -> where = ASK_ENTER
	:: Lk == FREE || (Lk == BATON && (Lid == pass || Lid == Q)) ->
		if :: Lk == BATON && Lid == Q -> Q = 0; Qx = 0 :: else fi;
		Lk = TOKEN; Lid = i + 1; Lx = now + LEASE; granted(i)
	:: else -> Q = 0; Qx = 0; raise_flag()
	fi }
inline enter(i, pass) {
	ours = 0; where = Q_LIST; left = Lx;
	mine = (Tk == WAITER && Tid == i + 1);
	if
	:: Lk == SHARED ->
		right = (Tk == 0 || mine || (Tk == TICKET && (Tid == pass || Tid == Q)));
#ifdef M_NO_TURNSTILE
		right = 1;
#endif
		if :: Tk != 0 -> Q = 0; Qx = 0 :: else fi; count();
#ifdef M_LIMIT
		if :: right && want[i] != 0 && cool == 0 ->
#elif defined(M_COOL)
		if :: right && want[i] != 0 && cnt < want[i] ->
#else
		if :: right && want[i] != 0 && cool == 0 && cnt < want[i] ->
#endif
			S[i] = now + LEASE; settle(); pass_on(); granted(i)
		:: else ->
			if
#ifndef M_NO_FIRST
			:: right && flag != 0 -> Tk = WAITER; Tid = i + 1; Tn = MAX(1, want[i]); Tx = now + TURN;
				P = 0; Px = 0; raise_flag(); where = ROOM; if :: seat[i] == 0 -> came++; seat[i] = came :: else fi;
				if :: cool != 0 -> left = cool :: else fi
#endif
#ifndef M_LAST_ASK
			:: right && flag == 0 && Tk != 0 -> pass_on()
#endif
			:: else -> raise_flag()
			fi
		fi; cnt = 0
	:: Lk == FREE || (Lk == BATON && (Lid == pass || Lid == Q || (mine && Lid == P))) ->
		if :: Lk == BATON && Lid == Q -> Q = 0; Qx = 0 :: else fi;
		if :: Tk == WAITER && !mine -> push_room(NUDGE) :: else fi;
#ifndef M_STALE_TURN
		close_turnstile();
#endif
		if
		:: want[i] == 0 -> Lk = TOKEN; Lid = i + 1; Lx = now + LEASE
		:: else -> drop_shares(); Lk = SHARED; Lid = 0; S[i] = now + LEASE; settle(); pass_on()
		fi; granted(i)
	:: else -> Q = 0; Qx = 0; raise_flag(); if :: mine -> close_turnstile() :: else fi
	fi; right = 0; mine = 0 }
/* What a waiter that stops waiting has of the turnstile, or a pass that it does not need. */
inline give_back(i, pass) {
	if
#ifdef M_DROP_PASS
	:: 1 -> skip
#endif
	:: Lk == SHARED && ((Tk == TICKET && PASS(pass) && Tid == pass) || (Tk == WAITER && Tid == i + 1)) -> pass_on()
	:: Lk == BATON && ((PASS(pass) && Lid == pass) || (Tk == WAITER && Tid == i + 1 && Lid == P)) ->
		P = 0; Px = 0; close_turnstile(); baton_to_wake()
	:: else -> if :: Tk == WAITER && Tid == i + 1 -> close_turnstile() :: else fi
	fi }

inline take_parked(i) { unpark(i); b = got[i]; got[i] = 0; parked = 2 }

proctype Client(byte i) {
	byte r, x, y, flag, left, look, pause, b, where, parked;  /* parked: 0 wake list, 1 room, 2 nowhere */
	bit ours, right, mine;
	parked = 2;
	do
	:: r < R ->
		if :: want[i] = 0 :: want[i] = 9
#ifdef LIMITS
		:: want[i] = 2
#endif
		fi;
		atomic { r++; waiting[i] = 1; pause = 1; flag = 2; if :: want[i] == 0 -> acquire(i, 0) :: else -> enter(i, 0) fi };
		do
		:: ours -> break
		:: atomic { !ours && where == ASK_ENTER -> flag = (parked == Q_LIST -> pause + 1 : 2); enter(i, b); b = 0; goto answered }
		:: else ->
			atomic {
				if
				:: parked == 2 ->
					if :: seat[i] == 0 -> came++; seat[i] = came :: else fi;
					if
					:: where == Q_LIST && Q != 0 -> got[i] = Q; Q = 0; Qx = 0
					:: where == Q_LIST && Q == 0 -> bq[bl] = i + 1; bl++
					:: where == ROOM && P != 0 -> got[i] = P; P = 0; Px = 0
					:: where == ROOM && P == 0 -> pq[pl] = i + 1; pl++
					fi; parked = where
				:: else
				fi;
				look = MIN((left > now -> left : now + 1), now + (parked == ROOM -> 1 : pause)); left = 0 };
			if
			:: atomic { got[i] != 0 -> b = got[i]; got[i] = 0; flag = 2;
				if
				:: parked == Q_LIST && want[i] == 0 -> parked = 2; acquire(i, b)
				:: else -> parked = 2; enter(i, b)
				fi; if :: where == ASK_ENTER -> skip :: else -> b = 0 fi }
#ifndef M_NO_NET
			:: atomic { got[i] == 0 && now >= look ->
				if :: parked == Q_LIST -> pause = MIN(pause * 2, NET) :: else fi;
				flag = (parked == Q_LIST -> pause + 1 : 2);
#ifdef M_FLAG_SHORT
				flag = 1;
#endif
				if :: parked == Q_LIST && want[i] == 0 -> acquire(i, 0) :: else -> enter(i, 0) fi
				}
#endif
#ifdef LEAVER
			:: atomic { !used -> used = 1; take_parked(i); flag = 0;
				if
				:: want[i] == 0 && Lk != SHARED && !(Tk == WAITER && Tid == i + 1) -> acquire(i, b)
				:: want[i] != 0 || Lk == SHARED || (Tk == WAITER && Tid == i + 1) -> enter(i, b)
				:: ours = 0; give_back(i, b)
				fi; b = 0;
				if :: !ours -> waiting[i] = 0; seat[i] = 0; goto next :: else fi }
#endif
			:: atomic { dead < DEAD -> dead++; fault = 1; unpark(i); waiting[i] = 0; seat[i] = 0 }; goto out
			fi;
answered:		atomic {
				if
				:: parked != 2 && (ours || (where != ASK_ENTER && where != parked)) ->
					take_parked(i);
					if
					:: b != 0 && ours -> give_back(i, b); b = 0
					:: b != 0 && !ours -> got[i] = b; b = 0; parked = where;   /* what has come is used */
						if :: got[i] == NUDGE -> got[i] = 0; parked = 2 :: else fi
					:: else
					fi
				:: else
				fi }
		od;
		atomic { seat[i] = 0; where = 0; left = 0; look = now };
		if :: skip :: look = now + 1 :: look = now + 3 fi; now >= look;
#if DIES
		if :: atomic { died < DIES -> died++; fault = 1; owns[i] = 0; look = 0 }; goto out :: skip fi;
#endif
#ifdef DOWN
		if
		:: atomic { Lk == TOKEN && Lid == i + 1 -> Lk = SHARED; Lid = 0; drop_shares(); S[i] = Lx; want[i] = 9;
#ifdef M_DOWN_SILENT
			close_turnstile()
#else
			pass_on()
#endif
			}; look = now + 1; now >= look
		:: skip
		fi;
#endif
#ifdef UP
		if
		:: atomic { Lk == SHARED && S[i] != 0 && cool == 0 -> count();
			if
			:: cnt == 1 -> drop_shares(); Lk = TOKEN; Lid = i + 1; want[i] = 0;
				if :: Tk != 0 -> unordered = 1 :: else fi;
#ifndef M_UP_SILENT
				if :: Tk == WAITER -> push_room(NUDGE) :: else fi;
#endif
				close_turnstile()
			:: else
			fi; cnt = 0 }; look = now + 1; now >= look
		:: skip
		fi;
#endif
		atomic { owns[i] = 0; look = 0; pause = 0;
			if
			:: Lk == TOKEN && Lid == i + 1 -> baton_to_wake()
			:: Lk == SHARED && S[i] != 0 ->
#ifdef COOL
				if :: !unordered -> unordered = 1; leave(i, 1) :: leave(i, 0) fi
#else
				leave(i, 0)
#endif
			:: else
			fi };
next:		skip
	:: else -> break
	od;
out:	fin++
}

/* Whether the waiter that came first could be granted what it wants. */
inline look_around() {
	f = N; k = 0;
	do :: k < N -> if :: waiting[k] && seat[k] != 0 && (f == N || seat[k] < seat[f % N]) -> f = k :: else fi; k++ :: else -> break od;
	k = 0; count();
	idle = f < N && (Lk == FREE || Lk == BATON || (Lk == SHARED && cool == 0 && want[f % N] != 0 && cnt < want[f % N]));
	cnt = 0; f = 0 }

proctype Clock() {
	byte f, k; bit idle;
	do
	:: fin == N -> break
	:: atomic { timeout && fin < N ->
		look_around();
		if :: idle -> alone++; assert(alone <= BOUND) :: else -> alone = 0 fi;
		now++; assert(now < MAXT);
		k = 0; do :: k < N -> if :: S[k] != 0 && now >= S[k] -> S[k] = 0 :: else fi; k++ :: else -> break od; k = 0;
		if :: cool != 0 && now >= cool -> cool = 0 :: else fi;
		if :: Lk != FREE && now >= Lx -> Lk = FREE; Lid = 0; Lx = 0; drop_shares() :: else fi;
		if :: Tk != 0 && now >= Tx -> close_turnstile() :: else fi;
		if :: Q != 0 && now >= Qx -> Q = 0; Qx = 0 :: else fi;
		if :: P != 0 && now >= Px -> P = 0; Px = 0 :: else fi }
#ifdef FLAGLOSS
	:: atomic { W > now && !fault -> W = 0; fault = 1 }
#endif
#ifdef DROP
	:: atomic { Lk == SHARED && !fault -> Lk = FREE; Lid = 0; Lx = 0; drop_shares(); fault = 1; k = 0;
		do :: k < N -> owns[k] = 0; k++ :: else -> break od; k = 0 }
#endif
	od
}
init { atomic { byte i = 0; do :: i < N -> run Client(i); i++ :: else -> break od; run Clock() } }
