/*
 * Shared locks: the queue. Who comes in when, and how long can nobody, while somebody alive waits?
 *
 * N clients take the lock R times each. A tick passes only when nothing else can happen (timeout), so that every delay
 * that is seen is the protocol's own. Each waiter asks again when L ends, or after NET; a waiter that has a turn, one tick
 * before its cooldown ends. Who is inside leaves at once or after one tick (ONE_MANY:
 * after one).
 *
 * What is asserted:
 *   - a lock, or a place in it, that somebody alive waits for and could have is not left alone for longer than BOUND;
 *   - (ORDER) nobody comes in before one that was parked before it first asked, but for those that parked only during
 *     a cooldown, which have no turn;
 *   - nobody waits for longer than PATIENCE;
 *   - everybody has had every turn before MAXT;
 *   - nobody is inside beside one that has the lock exclusively, and no more than LIMIT in all (0: any number);
 *   - nobody is granted anything before a cooldown or a delay is over, but for who has the turn, and waits for its end.
 *
 *   KINDS    binary, client 0 lowest: 1 wants the lock exclusively. ANYKIND: each chooses, each time
 *   ONE_MANY only the last client has R rounds, the others one; and (with FDEL) L is deleted while somebody is first
 *   AGAIN    only the last client has R rounds
 *   UPDOWN   who has the lock may downgrade and upgrade it
 *   DELAY=n  what is given back may leave a delay
 *   LEAVE    waiters may stop waiting
 *
 * What can go wrong (-D):
 *   DIE=n    up to n clients vanish: inside, while they wait, or with what they were passed
 *   FIRST    client 0 has the scripts of exclusive locks alone: to it, a ticket is no news
 *   LATE     one ask arrives of a client that has given up
 *   FDEL     somebody deletes L, once
 *   EVICT_x  one key is evicted, once: the Turnstile, wake (Q), the Room, the flag (W), the Shares
 *
 * Mutations, each of which must be found (run.sh):
 *   M_NOFIRST    a share does not look at the turnstile
 *   M_NOPASS     a share that comes in passes no ticket on
 *   M_NONUDGE    who leaves does not nudge the first one
 *   M_LYING      the last share that leaves frees the lock while a ticket lies in the list: somebody is about to park
 *   M_UPKEEP     an upgrade leaves a ticket in the list, which acquire drops
 *   M_UPFORGET   it is not remembered that a grant is an upgraded one: the first one goes to wake, and is the last there
 *   M_TICKET_VOID  a cooldown's turn goes to wake although a ticket is on its way
 *   M_TICKET_LOST  no turn is made of a ticket that comes during a cooldown
 *   M_TURN_WAKE  a cooldown's turn goes to wake although the turnstile names somebody
 *   M_TURN_OPEN  who has a share by its turn lets others in before the delay is over
 *   M_STAYS      the first one stays in the room whoever has the lock: batons go to wake, and it is passed again and again
 */
#ifndef N
#define N 3
#endif
#ifndef R
#define R 1
#endif
#ifndef MAXT
#define MAXT 40
#endif
#ifndef LEASE
#define LEASE 3
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef NET
#define NET 2
#endif
#ifndef LIMIT
#define LIMIT 0
#endif
#ifndef KINDS
#define KINDS 1
#endif
#ifndef DIE
#define DIE 0
#endif
#ifndef DELAY
#define DELAY 0
#endif
#ifndef PATIENCE
#define PATIENCE 255
#endif
#ifndef BOUND
#define BOUND 0
#endif
#if defined(ONE_MANY) || defined(AGAIN)
#define ROUNDS(i) ((i) == N - 1 -> R : 1)
#else
#define ROUNDS(i) R
#endif
#define FLAG (NET + 1)
#define TOKS  (N * R + 1)
#define STRAY (N * R) /* of nobody that waits for an answer */

#define NOTHING 0   /* L */
#define TOKEN 1
#define BATON 2
#define SHARED 3
#define KEPT 4
#define COOLDOWN 5

#define TICKET 1 /* the turnstile */
#define NAMED 2

#define A_BATON 1
#define A_TICKET 2
#define A_NUDGE 3
#define A_TURN 4

#define ON_WAKE 0
#define ON_ROOM 1
#define STALE 2
#define OURS 3

#if defined(FDEL) || defined(EVICT_T) || defined(EVICT_Q) || defined(EVICT_R) || defined(EVICT_W) || defined(EVICT_S) || defined(LATE)
#define FAULTS 1
#else
#define FAULTS 0
#endif
#if DIE > 0 || defined(LEAVE) || FAULTS
#define RESTLESS restless = 1;
#else
#define RESTLESS
#endif

byte now = 0;
byte l_kind = NOTHING, l_id = 0, l_end = 0;
byte s_end[TOKS];
byte upgraded = 0;                  /* the fence of an exclusive grant that was a share before */
byte t_kind = 0, t_id = 0, t_need = 0, t_end = 0;
byte q_kind = 0, q_id = 0, q_end = 0;     /* the wake list */
byte r_kind = 0, r_end = 0;           /* the room list */
byte delay_end = 0;                 /* no share comes in before that */
byte order = 0;
byte cool_order = 255;              /* ghost: who parked after it came after the last cooldown began, and has no turn */
byte cool_until = 0;                /* ghost: nobody may be inside before that */
byte cools = 0;                     /* the name of the present cooldown */
byte flag_end = 0;
byte fence = 0, names = 0;
byte queue[N], queued = 0, room[N], roomed = 0;
byte got[N], got_id[N];
bit gone[N];

byte inside_as[N], safe[N];               /* 1 share, 2 exclusive */
byte dead = 0, done_n = 0;

byte parked_at[N];                  /* order of parking; 0: not parked */

bit wants[N], wantsx[N];
byte waits_since[N];
byte stall = 0;
bit fault = 0, stray = 0;
bit restless = 1;                   /* until the next tick something may still go wrong, or somebody give up */

#define BELIEVES(j) (inside_as[j] != 0 && now < safe[j])
#define OWNER(t) ((t) / R)
#define WAITED (flag_end > now)
#define TICKET_LIES (t_kind == TICKET && q_kind == A_TICKET && q_id == t_id)
#ifdef M_TICKET_VOID
#define TICKET_FLIES false
#else
#define TICKET_FLIES (t_kind == TICKET && !TICKET_LIES)
#endif
#ifdef M_TICKET_LOST
#define HAS_TURN(pass) false
#else
#define HAS_TURN(pass) (first && l_kind == COOLDOWN && (pass == A_TICKET || (t_kind == NAMED && r_kind == A_TURN)))
#endif
#ifdef M_TURN_WAKE
#define TO_ROOM false
#else
#define TO_ROOM (t_kind == NAMED)
#endif
#ifdef M_STAYS
#define STAYS  true
#else
#define STAYS  (l_kind == SHARED || (l_kind == TOKEN && t_kind != 0 && upgraded == fence))
#endif

inline count_shares()
{
	alive = 0; most = 0; j = 0;
	do
	:: j < TOKS ->
		if
		:: s_end[j] > now -> alive++;
			if
			:: s_end[j] > most -> most = s_end[j]
			:: else
			fi
		:: else -> s_end[j] = 0
		fi;
		j++
	:: else -> break
	od;
	j = 0
}

inline clear_shares()
{
	j = 0;
	do
	:: j < TOKS -> s_end[j] = 0; j++
	:: else -> break
	od;
	j = 0
}

inline clear_t() { t_kind = 0; t_id = 0; t_need = 0; t_end = 0 }
inline clear_q() { q_kind = 0; q_id = 0; q_end = 0 }
inline clear_l() { l_kind = NOTHING; l_id = 0; l_end = 0 }

inline unqueue(who)
{
	k = 0; j = 0;
	do
	:: j < queued ->
		if
		:: queue[j] != who + 1 -> queue[k] = queue[j]; k++
		:: else
		fi;
		j++
	:: else -> break
	od;
	j = k;
	do
	:: j < queued -> queue[j] = 0; j++
	:: else -> break
	od;
	queued = k; k = 0; j = 0
}

inline unroom(who)
{
	k = 0; j = 0;
	do
	:: j < roomed ->
		if
		:: room[j] != who + 1 -> room[k] = room[j]; k++
		:: else
		fi;
		j++
	:: else -> break
	od;
	j = k;
	do
	:: j < roomed -> room[j] = 0; j++
	:: else -> break
	od;
	roomed = k; k = 0; j = 0
}

/* Whoever is parked longest gets what lies in the list. */
inline serve()
{
	if
	:: q_kind != 0 && queued > 0 ->
		z = queue[0] - 1;
		if
		:: !gone[z] -> got[z] = q_kind; got_id[z] = q_id
		:: else
		fi;
		clear_q();
		unqueue(z);
		z = 0
	:: else
	fi
}

inline serve_room()
{
	if
	:: r_kind != 0 && roomed > 0 ->
		z = room[0] - 1;
		if
		:: !gone[z] -> got[z] = r_kind; got_id[z] = cools
		:: else
		fi;
		r_kind = 0; r_end = 0;
		unroom(z);
		z = 0
	:: else
	fi
}

inline push_ticket()
{
	names++;
	t_kind = TICKET; t_id = names; t_need = 0; t_end = now + WINDOW;
	q_kind = A_TICKET; q_id = names; q_end = now + WINDOW;
	serve()
}

inline pass_on()
{
	if
#ifndef M_NOPASS
	:: WAITED -> push_ticket()
	:: !WAITED -> clear_t()
#else
	:: 1 -> clear_t()
#endif
	fi
}

inline do_nudge()
{
	if
	:: t_end < now + WINDOW -> t_end = now + WINDOW
	:: else
	fi;
#ifndef M_NONUDGE
	r_kind = A_NUDGE; r_end = now + WINDOW;
	serve_room()
#endif
}

inline hand_over()
{
	if
	:: WAITED ->
		fence++; names++;
		l_kind = BATON; l_id = fence; l_end = now + WINDOW;
		q_kind = A_BATON; q_id = fence; q_end = now + WINDOW;
		serve()
	:: else -> clear_l()
	fi
}

/* Whoever is parked longest comes next after the cooldown. */
inline turn_to_wake()
{
	if
	:: WAITED -> clear_q(); q_kind = A_TURN; q_id = cools; q_end = l_end + WINDOW; serve()
	:: else
	fi
}

/* Nobody may take L before; who comes next is told. */
inline cool(until)
{
	names++; cools = names;
	l_kind = COOLDOWN; l_id = cools; l_end = until; cool_until = until; cool_order = order;
	if
	:: TO_ROOM ->
		t_end = (t_end < until + WINDOW -> until + WINDOW : t_end);
		r_kind = A_TURN; r_end = until + WINDOW;
		serve_room()
	:: !TO_ROOM && TICKET_FLIES /* who has it comes next */
	:: !TO_ROOM && !TICKET_FLIES ->
		if
		:: t_kind == TICKET -> clear_t() /* there is but one right to come next */
		:: else
		fi;
		turn_to_wake()
	fi
}

inline room_empty()
{
	if
	:: t_kind == NAMED -> l_kind = KEPT; l_id = 0; l_end = now + WINDOW; do_nudge()
	:: t_kind == TICKET && !(q_kind == A_TICKET && q_id == t_id) -> l_kind = KEPT; l_id = 0; l_end = t_end
#ifdef M_LYING
	:: t_kind == TICKET && q_kind == A_TICKET && q_id == t_id -> clear_l(); clear_t(); clear_q()
#else
	:: t_kind == TICKET && q_kind == A_TICKET && q_id == t_id -> clear_t(); clear_q(); hand_over()
#endif
	:: t_kind == 0 -> hand_over()
	fi
}

#define BATON_LIES  (l_kind == BATON && q_kind == A_BATON && q_id == l_id)
#define TURN_HAS_COME(pass, pass_id) (pass == A_TURN && l_kind == COOLDOWN && l_id == pass_id && l_end - now <= 1)
#ifdef M_TURN_OPEN
#define TURN_DELAY 0
#else
#define TURN_DELAY (life > LEASE -> now + life - LEASE : 0)
#endif

/* enter.lua */
inline run_enter(token, ex, pass, pass_id, stay)
{
	count_shares();
	if
	:: l_kind == TOKEN && l_id == token + 1 ->
		v = OURS
	:: l_kind == SHARED && s_end[token] != 0 && !ex ->
		v = OURS
	:: else ->
		nobody = (l_kind == NOTHING || l_kind == KEPT); life = LEASE;
		if
		:: pass == A_BATON -> first = (l_kind == BATON && l_id == pass_id); nobody = nobody || first
		:: pass == A_TICKET -> first = (t_kind == TICKET && t_id == pass_id)
		:: pass != A_BATON && pass != A_TICKET && l_kind == NOTHING -> first = 1
		:: else ->
			if
			:: BATON_LIES -> first = 1; nobody = 1
			:: TURN_HAS_COME(pass, pass_id) -> first = 1; nobody = 1; life = LEASE + l_end - now
			:: else ->
				first = (t_kind == 0 -> l_kind == SHARED || l_kind == KEPT : TICKET_LIES || (t_kind == NAMED && t_id == token + 1))
			fi;
			clear_q()
		fi;
#ifdef M_NOFIRST
		if
		:: pass == 0 && !ex -> first = 1
		:: else
		fi;
#endif
		if
		:: pass != 0 && pass != A_TURN && !first -> v = STALE
		:: else ->
			grant = first && (nobody || (l_kind == SHARED && !ex && delay_end <= now && alive > 0 &&
				(LIMIT == 0 || alive < LIMIT)));
			if
			:: grant && ex ->
				fence++;
				l_kind = TOKEN; l_id = token + 1; l_end = now + life;
				clear_t();
				v = OURS
			:: grant && !ex ->
				if
				:: nobody ->
					clear_shares();
					delay_end = TURN_DELAY;
					l_kind = SHARED; l_id = 0; l_end = now + life
				:: else ->
					if
					:: l_end < now + LEASE -> l_end = now + LEASE
					:: else
					fi
				fi;
				fence++;
				s_end[token] = now + life;
				pass_on();
				v = OURS
			:: !grant && stay ->
				if
				:: flag_end < now + FLAG -> flag_end = now + FLAG
				:: else
				fi;
				if
				:: first && (STAYS || HAS_TURN(pass)) ->
					if
					:: HAS_TURN(pass) -> r_kind = A_TURN; r_end = l_end + WINDOW
					:: else -> r_kind = 0; r_end = 0
					fi;
					t_kind = NAMED; t_id = token + 1; t_end = now + FLAG;
					if
					:: ex -> t_need = 1
					:: else -> t_need = (LIMIT > 1 -> LIMIT : 1)
					fi;
					v = ON_ROOM
				:: first && !(STAYS || HAS_TURN(pass)) -> clear_t(); v = ON_WAKE
				:: else -> v = ON_WAKE
				fi
			:: !grant && !stay ->
				if
				:: first && t_kind != 0 ->
					if
					:: l_kind == SHARED -> pass_on()
					:: HAS_TURN(pass) -> clear_t(); r_kind = 0; r_end = 0; turn_to_wake()
					:: else -> clear_t()
					fi
				:: else
				fi;
				v = ON_WAKE
			fi
		fi
	fi;
	first = 0; nobody = 0; grant = 0; alive = 0; most = 0; life = 0
}

/* acquire.lua; `old`: of the first version, which pops a ticket */
inline run_acquire(token, pass, pass_id, stay, old)
{
	if
	:: l_kind == TOKEN && l_id == token + 1 -> v = OURS
	:: TURN_HAS_COME(pass, pass_id) ->
		clear_q();
		fence++;
		l_kind = TOKEN; l_id = token + 1; l_end = l_end + LEASE; v = OURS
	:: l_kind == NOTHING || BATON_LIES ->
		if
		:: l_kind == BATON -> clear_q()
		:: else
		fi;
		fence++;
		l_kind = TOKEN; l_id = token + 1; l_end = now + LEASE; v = OURS
	:: (l_kind == SHARED || l_kind == KEPT) && !old -> v = STALE /* go on with enter */
	:: else ->
		clear_q();
		if
		:: stay && flag_end < now + FLAG -> flag_end = now + FLAG
		:: else
		fi;
		v = ON_WAKE
	fi
}

/* claim.lua */
inline run_claim(token, baton)
{
	if
	:: l_kind == BATON && l_id == baton -> l_kind = TOKEN; l_id = token + 1; l_end = now + LEASE; v = OURS
	:: l_kind == TOKEN && l_id == token + 1 -> v = OURS
	:: else -> v = STALE
	fi
}

/* leave.lua; w: 1 freed, 2 late, 3 lost. tic: a ticket is given back */
inline run_leave(token, delay, tic)
{
	count_shares();
	if
	:: tic == 0 && l_kind == TOKEN && l_id == token + 1 && delay == 0 -> w = 1; room_empty()
	:: tic == 0 && l_kind == TOKEN && l_id == token + 1 && delay != 0 -> w = 1; cool(now + delay)
	:: tic == 0 && l_kind == SHARED && s_end[token] != 0 ->
		w = 1; s_end[token] = 0;
		if
		:: delay != 0 && delay_end < now + delay -> delay_end = now + delay; cool_until = delay_end
		:: else
		fi;
		count_shares();
		if
		:: alive == 0 && delay_end > now -> cool(delay_end)
		:: alive == 0 && delay_end <= now -> room_empty()
		:: alive > 0 ->
			l_end = (most > delay_end -> most : delay_end);
			if
			:: t_kind == NAMED && alive < t_need && delay_end <= now -> do_nudge()
			:: else
			fi
		fi
	:: else ->
		if
		:: (tic == 0 && t_kind == NAMED && t_id == token + 1) || (tic != 0 && t_kind == TICKET && t_id == tic) ->
			clear_t();
			if
			:: l_kind == KEPT -> room_empty()
			:: l_kind == SHARED && WAITED -> push_ticket()
			:: l_kind == COOLDOWN && (tic != 0 || r_kind == A_TURN) -> r_kind = 0; r_end = 0; turn_to_wake()
			:: else
			fi
		:: else
		fi;
		w = 2
	fi;
	alive = 0; most = 0
}

/* release.lua: the grant was exclusive from its beginning */
inline run_release(token, delay)
{
	if
	:: l_kind == TOKEN && l_id == token + 1 && delay == 0 -> w = 1; hand_over()
	:: l_kind == TOKEN && l_id == token + 1 && delay != 0 -> /* it knows of no turnstile */
		w = 1;
		names++; cools = names;
		l_kind = COOLDOWN; l_id = cools; l_end = now + delay; cool_until = l_end; cool_order = order;
		if
		:: WAITED -> q_kind = A_TURN; q_id = cools; q_end = now + delay; serve()
		:: else
		fi
	:: else -> w = 3
	fi
}

inline run_downgrade(token)
{
	if
	:: l_kind == TOKEN && l_id == token + 1 ->
		clear_shares();
		l_kind = SHARED; l_id = 0; s_end[token] = l_end;
		if
		:: t_kind != 0 -> r_kind = A_NUDGE; r_end = now + WINDOW; serve_room()
		:: t_kind == 0 && WAITED -> push_ticket()
		:: else
		fi;
		v = OURS
	:: else -> v = STALE
	fi
}

inline run_upgrade(token)
{
	count_shares();
	if
	:: l_kind == SHARED && s_end[token] != 0 && alive == 1 && delay_end <= now ->
		fence++;
#ifndef M_UPFORGET
		upgraded = fence;
#endif
		s_end[token] = 0;
		l_kind = TOKEN; l_id = token + 1; l_end = now + LEASE; v = OURS;
#ifndef M_UPKEEP
		if
		:: TICKET_LIES -> clear_q(); clear_t()
		:: else
		fi
#endif
	:: else -> v = STALE
	fi;
	alive = 0; most = 0
}

/* About to believe. */
inline believe(i, what, until)
{
	if
	:: now < until ->
		j = 0; alive = 0;
		do
		:: j < N ->
			if
			:: j != i && BELIEVES(j) ->
				assert(fault || (what == 1 && inside_as[j] == 1));
				alive++
			:: else
			fi;
			j++
		:: else -> break
		od;
		assert(fault || what == 2 || LIMIT == 0 || alive < LIMIT);
		j = 0; alive = 0;
		inside_as[i] = what; safe[i] = until; stall = 0
	:: else
	fi
}

inline served(i)
{
	if
	:: v == OURS ->
	/* Of those that were parked before we first asked, nobody waits still. */
	wants[i] = 0;
#ifdef ORDER
	j = 0;
	do
	:: j < N ->
		if
		:: j != i && wants[j] && parked_at[j] != 0 ->
			assert(parked_at[j] >= came || parked_at[j] > cool_order)
		:: else
		fi;
		j++
	:: else -> break
	od;
	j = 0;
#endif
	parked_at[i] = 0
	:: else
	fi
}

#ifdef FIRST
#define OLD(i) (i == 0)
#else
#define OLD(i) 0
#endif

/* When it asks again, at the latest; and when what was granted for after a cooldown begins. */
inline note_due() /* and a share, where the first one ends */
{
	due = now + NET;
	if
	:: v == OURS -> begins = (turn != 0 -> cool_until : 0); turn = 0; assert(fault || begins != 0 || now >= cool_until)
	:: v != OURS && v != STALE && l_kind == COOLDOWN && l_id == turn -> due = l_end - 1
	:: v != OURS && v != STALE && !(l_kind == COOLDOWN && l_id == turn) ->
		turn = 0;
		if
		:: l_kind != NOTHING && l_end < due -> due = l_end
		:: else
		fi;
		if
		:: v == ON_ROOM && delay_end > now && delay_end < due -> due = delay_end
		:: v == ON_ROOM && delay_end <= now && !ex ->
			j = 0;
			do
			:: j < TOKS -> due = (s_end[j] > now && s_end[j] < due -> s_end[j] : due); j++
			:: else -> break
			od;
			j = 0
		:: else
		fi
	:: else
	fi
}

proctype Client(byte i)
{
	byte r = 0, token, t0, t1, v = 0, w = 0;
	byte j = 0, k = 0, z = 0, alive = 0, most = 0;
	byte pass = 0, pass_id = 0, where = 0, came = 0, leaves_at = 0, due = 0, turn = 0, begins = 0, life = 0;
	bit ex, told, /* it has been told that the lock is held shared, or wants a share: it goes on with enter and leave */
		 first = 0, nobody = 0, grant = 0, last, net;

	do
	:: r < ROUNDS(i) ->
		r++; token = i * R + r - 1;
		last = 0; pass = 0; pass_id = 0;
#ifdef ANYKIND
		if
		:: ex = 1
		:: ex = 0
		fi;
#else
		ex = (KINDS >> i) & 1;
#endif
#ifdef FIRST
		if
		:: i == 0 -> ex = 1
		:: else
		fi;
#endif
		atomic { told = !ex; came = order + 1; wants[i] = 1; wantsx[i] = ex };
ask:
		t0 = now;
asking:
		atomic {
			if
			:: ex && !told -> run_acquire(token, pass, pass_id, !last, OLD(i))
			:: else -> run_enter(token, ex, pass, pass_id, !last)
			fi;
			pass = 0; pass_id = 0;
			note_due();
			served(i);
			if
			:: net && (v == OURS || (v == ON_ROOM && where == 0) || (v == ON_WAKE && where == 1)) ->
				/* It leaves the queue, and passes on what came meanwhile, but for a turn. */
				unqueue(i); unroom(i);
				t0 = t1;
				if
				:: got[i] == A_TICKET -> run_leave(token, 0, got_id[i]); w = 0
				:: got[i] == A_TURN && v != OURS && l_kind == COOLDOWN && l_id == got_id[i] -> turn = l_id; due = l_end - 1
				:: else
				fi;
				got[i] = 0; got_id[i] = 0
			:: else
			fi
		};
		if
		:: net && v == STALE -> net = 0; told = 1; goto parked
		:: net && ((v == ON_ROOM && where == 1) || (v == ON_WAKE && where == 0)) -> net = 0; goto parked
		:: else -> net = 0
		fi;
answer:
		if
		:: v == OURS -> goto granted
		:: v == STALE -> told = 1; goto ask
		:: v == ON_WAKE && !last -> where = 0
		:: v == ON_ROOM && !last -> where = 1
		:: else -> goto out
		fi;
park:
		atomic {
			if
			:: parked_at[i] == 0 -> order++; parked_at[i] = order; waits_since[i] = now
			:: else
			fi;
			if
			:: where == 0 ->
				if
				:: q_kind != 0 -> got[i] = q_kind; got_id[i] = q_id; clear_q()
				:: else -> queue[queued] = i + 1; queued++
				fi
			:: else ->
				if
				:: r_kind != 0 -> got[i] = r_kind; got_id[i] = cools; r_kind = 0; r_end = 0
				:: else -> room[roomed] = i + 1; roomed++
				fi
			fi;
			t1 = now
		};
parked:
		if
		:: atomic { got[i] != 0 -> pass = got[i]; pass_id = got_id[i]; got[i] = 0; got_id[i] = 0 };
use:
			if
#ifdef FIRST
			:: i == 0 && pass == A_TICKET -> pass = 0; pass_id = 0; goto ask /* no baton: no news to it */
#endif
			:: pass == A_NUDGE -> pass = 0; told = 1; goto ask
			:: pass == A_TURN -> turn = pass_id; goto ask
#ifdef RIDE
			:: pass == A_BATON && ex && now < t0 + WINDOW ->
				atomic { believe(i, 2, t0 + WINDOW) };
				if
				:: skip
#if DIE > 0
				:: atomic { restless && dead < DIE -> dead++; gone[i] = 1 }; goto finish
#endif
				fi;
				atomic { run_claim(token, pass_id); pass = 0; pass_id = 0; served(i) };
				goto inside
#endif
			:: pass == A_BATON && ex ->
				t1 = now;
				atomic { run_claim(token, pass_id); pass = 0; pass_id = 0; served(i) };
				if
				:: v == OURS -> t0 = t1; goto granted
				:: else -> goto ask
				fi
			:: else -> told = 1; goto ask
			fi
		:: got[i] == 0 && turn != 0 && now >= due ->
			/* It comes next: it asks with its turn. */
			atomic { unqueue(i); unroom(i); pass = A_TURN; pass_id = turn };
			goto ask
		:: got[i] == 0 && turn == 0 && now >= due ->
			/* The safety net, on a second connection. */
			atomic { t1 = now; net = 1 };
			goto asking
#ifdef LEAVE
		:: restless -> last = 1;
			/* The end of the wait: what came instead is used, and a turn goes to the next. */
			atomic { unqueue(i); unroom(i);
				if
				:: got[i] == A_TURN -> turn = got_id[i]; got[i] = 0; got_id[i] = 0
				:: else
				fi;
				if
				:: turn != 0 && l_kind == COOLDOWN && l_id == turn && WAITED -> q_kind = A_TURN; q_id = turn; q_end = l_end; serve()
				:: else
				fi;
				turn = 0;
				parked_at[i] = 0 /* it gives up its place */
			};
			if
			:: got[i] != 0 -> atomic { pass = got[i]; pass_id = got_id[i]; got[i] = 0; got_id[i] = 0 }; goto use
			:: else -> goto ask
			fi
#endif
#if DIE > 0
		:: atomic { restless && dead < DIE -> dead++; gone[i] = 1; got[i] = 0; got_id[i] = 0 }; goto finish
#endif
		fi;

granted:
		now >= begins;
#if DIE > 0
		if
		:: atomic { restless && dead < DIE -> dead++; gone[i] = 1 }; goto finish
		:: skip
		fi;
#endif
		atomic {
			if
			:: ex -> believe(i, 2, t0 + LEASE)
			:: else -> believe(i, 1, t0 + LEASE)
			fi
		};
inside:
		leaves_at = now;
		if
#ifndef ONE_MANY
		:: skip
#endif
		:: leaves_at++ /* it takes a tick */
		fi;
		now >= leaves_at;
#ifdef UPDOWN
		if
		:: atomic { ex && BELIEVES(i) -> inside_as[i] = 0; t1 = safe[i]; run_downgrade(token) };
			if
			:: v == OURS -> ex = 0; told = 1; atomic { believe(i, 1, t1) }
			:: else -> goto out
			fi
		:: skip
		fi;
		if
		:: atomic { !ex && BELIEVES(i) -> t0 = now; run_upgrade(token) };
			if
			:: v == OURS -> ex = 1; atomic { inside_as[i] = 0; believe(i, 2, t0 + LEASE) }
			:: else
			fi;
			/* it takes a tick */
			leaves_at = now;
			if
			:: skip
			:: leaves_at++
			fi;
			now >= leaves_at
		:: skip
		fi;
#endif
		inside_as[i] = 0;
		atomic {
#if DELAY > 0
			if
			:: w = DELAY
			:: skip
			fi;
#endif
			k = w;
			if
			:: !told -> run_release(token, k)
			:: else -> run_leave(token, k, 0)
			fi;
			k = 0
		};
out:
		atomic { wants[i] = 0; parked_at[i] = 0 };
		atomic { safe[i] = 0; inside_as[i] = 0; v = 0; w = 0; where = 0; t0 = 0; t1 = 0; got[i] = 0; got_id[i] = 0; leaves_at = 0; came = 0; due = 0; turn = 0; begins = 0 }
	:: else -> break
	od;
finish:
	atomic { wants[i] = 0; parked_at[i] = 0 };
	atomic { done_n++ }
}

#ifdef ONE_MANY
#define DELETES (l_kind == SHARED && t_kind == NAMED)
#else
#define DELETES (l_kind == TOKEN || l_kind == SHARED)
#endif
#define DISBELIEVE \
	j = 0; \
	do \
	:: j < N -> inside_as[j] = 0; j++ \
	:: else -> break \
	od; \
	j = 0

#define TICK \
	now++; \
	RESTLESS \
	j = 0; \
	do \
	:: j < N -> assert(!wants[j] || parked_at[j] == 0 || now - waits_since[j] <= PATIENCE); j++ \
	:: else -> break \
	od; \
	j = 0; \
	if \
	:: l_kind != NOTHING && now >= l_end -> clear_l() \
	:: else \
	fi; \
	if \
	:: t_kind != 0 && now >= t_end -> clear_t() \
	:: else \
	fi; \
	if \
	:: q_kind != 0 && now >= q_end -> clear_q() \
	:: else \
	fi; \
	if \
	:: r_kind != 0 && now >= r_end -> r_kind = 0; r_end = 0 \
	:: else \
	fi; \
	if \
	:: now >= flag_end -> flag_end = 0 \
	:: else \
	fi; \
	if \
	:: now >= delay_end -> delay_end = 0 \
	:: else \
	fi; \
	count_shares(); alive = 0; most = 0

active proctype World()
{
	byte j = 0, k = 0, z = 0, alive = 0, most = 0, v = 0, w = 0, life = 0;
	bit first = 0, nobody = 0, grant = 0;

	do
	:: atomic {
		timeout && done_n < N ->
		/* Is there anybody that could be inside, and is not? */
		alive = 0; z = 0; k = 255;
		do
		:: j < N ->
			if
			:: BELIEVES(j) -> alive++; z = (z > inside_as[j] -> z : inside_as[j])
			:: else
			fi;
			if
			:: wants[j] && parked_at[j] != 0 && (k == 255 || parked_at[j] < parked_at[k]) -> k = j
			:: else
			fi;
			j++
		:: else -> break
		od;
		j = 0;
		if
		:: t_kind == NAMED && t_id - 1 != STRAY && wants[OWNER(t_id - 1)] && parked_at[OWNER(t_id - 1)] != 0 -> k = OWNER(t_id - 1)
		:: else
		fi;
		if
		:: k != 255 && now >= cool_until && (alive == 0 || (z == 1 && !wantsx[k] && (LIMIT == 0 || alive < LIMIT))) ->
			stall++;
			assert(stall <= BOUND)
		:: else -> stall = 0
		fi;
		alive = 0; z = 0; k = 0;
		assert(now < MAXT);
		TICK
	   }
	:: done_n == N -> break
#if DIE > 0 || defined(LEAVE) || FAULTS
	:: restless -> restless = 0
#endif
#if defined(FDEL)
	:: atomic { restless && !fault && DELETES -> fault = 1; clear_l(); DISBELIEVE }
#elif defined(EVICT_T)
	:: atomic { restless && !fault && t_kind != 0 -> fault = 1; clear_t() }
#elif defined(EVICT_Q)
	:: atomic { restless && !fault && q_kind != 0 -> fault = 1; clear_q() }
#elif defined(EVICT_R)
	:: atomic { restless && !fault && r_kind != 0 -> fault = 1; r_kind = 0; r_end = 0 }
#elif defined(EVICT_W)
	:: atomic { restless && !fault && flag_end != 0 -> fault = 1; flag_end = 0 }
#elif defined(EVICT_S)
	:: atomic { restless && !fault && l_kind == SHARED -> fault = 1; clear_shares() }
#endif
#if DIE > 0
	/* The server sees that a connection was closed. */
	:: atomic { gone[0] && (queued > 0 || roomed > 0) -> unqueue(0); unroom(0); gone[0] = 0 }
	:: atomic { gone[1] && (queued > 0 || roomed > 0) -> unqueue(1); unroom(1); gone[1] = 0 }
#if N > 2
	:: atomic { gone[2] && (queued > 0 || roomed > 0) -> unqueue(2); unroom(2); gone[2] = 0 }
#endif
#endif
#ifdef LATE
	:: atomic { restless && !stray -> stray = 1; run_enter(STRAY, 1, 0, 0, 1); v = 0 }
	:: atomic { restless && !stray -> stray = 1; run_enter(STRAY, 0, 0, 0, 1); v = 0 }
	:: atomic { restless && !stray -> stray = 1; run_acquire(STRAY, 0, 0, 1, 0); v = 0 }
#endif
	od
}

init
{
	atomic {
		byte i = 0;
		do
		:: i < N -> run Client(i); i++
		:: else -> break
		od
	}
}
