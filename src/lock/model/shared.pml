/*
 * Shared locks: who may rely on what.
 *
 * As in late.pml, every request may go unanswered and reach the server at any later time: up to COPIES of them
 * are on their way at one time, and each runs once or never. Each script is one atomic step. A tick may pass between any
 * two steps. There is no queue here (turnstile.pml has it): whoever asks is granted what harms nobody, and what is
 * given back becomes, by chance, free, kept for one that asks with enter, or (RIDE) a baton.
 *
 *   holder   takes the lock GRANTS times, shared or exclusively; prolongs it up to EXTENDS times, for SHORT or LONG, before
 *            its deadline or after it (`again`); downgrades and upgrades it up to CHANGES times; looks; gives it back.
 *            Each request is sent until it is answered, or is given up; a lease counts from the first sending. A change
 *            that was given up ends the grant
 *   others   OTHERS times somebody takes what is free exclusively, by the scripts of exclusive locks alone, and SHARERS
 *            times somebody takes a share; both rely on it until its very end
 *
 * What is asserted:
 *   - nobody is inside beside one that has the lock exclusively, and no more than LIMIT in all (0: any number);
 *   - who has it exclusively enters with a higher fence than all before, who has a share with a higher one than all that
 *     had it exclusively; no fence falls;
 *   - the verdicts are true (1: ours all the time; 2: nobody was granted it exclusively since; 3: somebody was);
 *   - as long as the holder relies on the lock, the server has it for the holder, for that long, under its fence;
 *   - a copy of what has been answered, or was sent before that, changes nothing;
 *   - once the holder is through with its token, the lock is never taken under it again; nor, if it died, beyond its
 *     calls' deadlines;
 *   - nobody comes in before a delay is over.
 *
 * What can go wrong besides (-D):
 *   DIE          the holder vanishes
 *   RIDE         the holder waits for a baton, and relies on it before its claim has run if it wants the lock exclusively
 *   FDEL         somebody deletes L, once; whoever is inside works on until it looks
 *   BREAK        likewise, somebody breaks the lock
 *   BREAK_SHARE  likewise, somebody breaks one share; that request, too, may come late
 *   EVICT        the shares are evicted, once: nobody else comes in until L ends
 *   DELAY=n      shares are given back with a delay
 *   CROWD        one share lasts all the time, on which nobody relies
 *
 * Mutations, each of which must be found (run.sh):
 *   M_BESIDE          enter takes the lock exclusively beside the last share
 *   M_FREE            a share that leaves frees the lock
 *   M_LEXP            L expires with the share that came last
 *   M_LEXP_EXTEND     ... with the share that was prolonged last
 *   M_LIMIT           one share more than the limit
 *   M_AGAIN_LIMIT     ... by `again`
 *   M_EMPTYSET        (with EVICT) enter joins shares that were evicted
 *   M_OLDSHARES       (with FDEL) a new occupancy finds the shares of the last one
 *   M_ERA             a verdict does not look at the era
 *   M_NOFENCE         ... nor at the last share's fence
 *   M_TWICE_LENGTHENS an enter that arrives twice lengthens
 *   M_NOSERIAL        an extend sets the lease that it was sent with, whenever it runs
 *   M_NOBOUND         an extend without an answer leaves `safe` as it was
 *   M_LAST_SENDING    a lease counts from the last sending
 *   M_SAMETOKEN       a waiter asks again with the same token although one sending was not answered
 *   M_EXTEND_TOKEN    an extend believes the token of a share, whatever its fence is
 *   M_LEAVE_TOKEN     ... a leave that closes does
 *   M_UPGRADE_TOKEN   ... an upgrade does
 *   M_DOWN_TOKEN      a downgrade believes the token in L, whatever the fence is
 *   M_UP_TWICE        an upgrade that finds its token in L has arrived twice, whatever the serial is
 *   M_DOWN_TWICE      a downgrade that finds its token among the shares has arrived twice, whatever the fence is
 *   M_UP_NOSERIAL     an upgrade runs whatever its serial is
 *   M_DOWN_NOROW      `again` takes an exclusive grant back whatever its serial is, also before a downgrade
 *   M_UP_NOFENCE      an upgrade does not raise the fence
 *   M_UP_OTHERS       an upgrade does not look for other shares
 *   M_NOCLOSE         leave does not close its token
 *   M_NOCLOSE_FREED   ... where it ends the grant
 *   M_NOCLOSE_GONE    ... where there is none
 *   M_NOLOOK          enter does not look whether its token has been closed
 *   M_NOLOOK_AGAIN    ... `again` does not
 *   M_NOUNTIL         (with DIE) enter has no `until`
 *   M_AGAIN_NOUNTIL   (with DIE) ... `again` has none
 *   M_UP_NOUNTIL      (with DIE) ... an upgrade has none
 *   M_BREAK_NOUNTIL   (with BREAK_SHARE) ... what ends one share has none
 *   M_DELAY           (with DELAY) enter does not look at the delay
 *   M_AGAIN_DELAY     (with DELAY, CROWD) ... `again` does not
 *   M_DELAY_UP        (with DELAY) ... upgrade does not
 *   M_DELAY_FREE      (with DELAY) the last share that leaves frees the lock
 */
#ifndef GRANTS
#define GRANTS 1
#endif
#ifndef EXTENDS
#define EXTENDS 1
#endif
#ifndef CHANGES
#define CHANGES 1
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef SHARERS
#define SHARERS 1
#endif
#ifndef COPIES
#define COPIES 1
#endif
#ifndef MAXT
#define MAXT 4
#endif
#ifndef LIMIT
#define LIMIT 0
#endif
#ifndef DELAY
#define DELAY 0
#endif
#define SHORT  1
#ifndef LONG
#define LONG   3
#endif
#define WINDOW 2
#define CALL   1 /* a call's deadline, from its beginning */
#define AHEAD  1 /* by how much the upper estimate of the server's clock is ahead of it */

/* Tokens: the holder's, 1 to GRANTS, and these. */
#define OTHER     (GRANTS + 1) /* of the one that has it exclusively */
#define SHARER    (GRANTS + 2)
#define CROWD_    (GRANTS + 3) /* of a share that lasts */
#define TOKENS    (GRANTS + 4)

/* What L may hold. */
#define NOTHING   0
#define TOKEN     1
#define BATON     2
#define SHARED    3
#define KEPT      4 /* for one that asks with enter */
#define COOLDOWN  5

/* Requests. */
#define NONE      0
#define ACQUIRE   1
#define ENTER     2
#define EXTEND    3
#define EXTEND_SHARED 4
#define LEAVE     5
#define DOWNGRADE 6
#define UPGRADE   7
#define CLAIM     8
#define BREAK_    9

/* Answers. */
#define BUSY      0
#define OURS      1
#define GONE      2
#define TAKEN     3
#define LATE      9

typedef request {
	byte kind, token;
	byte fence;   /* of the share; of a claim and of a pass, the baton; 0: not known */
	byte serial, lease, until;
	bit again;    /* an extend may set it anew; a leave closes its token */
};

byte now = 0;

/* The server's keys: L, the fence with what is kept with it, the shares. */
byte l_kind = NOTHING, l_id = 0, l_end = 0;
byte fence = 1, kept = 0;
bit closed[TOKENS];
byte s_end[TOKENS], s_fence[TOKENS], s_serial[TOKENS];
byte era = 0, last_share = 0, delay_end = 0;
byte baton = 0; /* on its way to the holder; 0: it lies in the list */

request copies[COPIES];

/* What the clients know. */
byte fence_of[TOKENS];
byte inside = 0, safe = 0;       /* the holder: its token, and until when it relies on it */
bit shared = 0;
byte token = 0;                  /* its present one */
bit open = 0;                    /* what takes the lock under it was sent, and not answered */
bit changing = 0;                /* a change goes unanswered: it relies on a share, but may have the lock exclusively */
bit parked = 0;
byte other_until = 0, sharer_until = 0;

/* Ghosts: only the assertions see them. */
byte used = 0, used_alone = 0;   /* the highest fence that anybody, ... that one alone entered with */
byte last_alone = 0;             /* the last fence of one that was granted the lock exclusively */
byte settled = 0;                /* the highest serial of the present token that has been answered */
byte nobody_until = 0;
byte others = 0, sharers = 0;
bit broken = 0;                  /* the holder's grant was broken or deleted */
bit wiped = 0;                   /* the shares were evicted */
bit untold = 0;                  /* ... or one was broken: somebody may hear 3 without a cause */
bit over[TOKENS];                /* the holder is through with it */
byte dead_until = 0;             /* it is dead, and none of its calls goes on for longer */
#ifdef BREAK_SHARE
byte break_until = 255;          /* then the one that breaks has given up */
#endif

#define IN           (inside != 0 && now < safe && !broken)
#define ALONE_IN     (IN && !shared)
#define SHARE_IN     (IN && shared)
#define OTHER_IN     (now < other_until)
#define SHARER_IN    (now < sharer_until)
#define ALIVE(t)     (l_kind == SHARED && s_end[t] > now)
#define FENCE_IS(t)  (fence == fence_of[t])
#define SHARE_IS(t)  (s_fence[t] == fence_of[t])
#define SHARER_LEASE 2
/* A share may be said to be lost that is not, where that cannot be told. */
#define TRUE_TAKEN(t) assert((shared -> last_alone : fence) > fence_of[t] || broken || untold || l_kind == COOLDOWN)
#define DEADLINE     (now + CALL + AHEAD) /* of a call that begins now, by the latest estimate of the server's clock */
#define DELAYED      (delay_end > now)


#ifdef M_NOUNTIL
#define ENTER_PAST(last)   false
#else
#define ENTER_PAST(last)   (now > last)
#endif
#ifdef M_UP_NOUNTIL
#define UP_PAST(last)      false
#else
#define UP_PAST(last)      (now > last)
#endif
#ifdef M_NOLOOK
#define ENTER_CLOSED(t)    false
#else
#define ENTER_CLOSED(t)    closed[t]
#endif
#ifdef M_DELAY
#define ENTER_DELAYED      false
#else
#define ENTER_DELAYED      DELAYED
#endif
#ifdef M_DELAY_UP
#define UP_DELAYED         false
#else
#define UP_DELAYED         DELAYED
#endif

#if defined(M_NOCLOSE) || defined(M_NOCLOSE_FREED)
#define SHUTS_FREED(closes) false
#else
#define SHUTS_FREED(closes) closes
#endif
#if defined(M_NOCLOSE) || defined(M_NOCLOSE_GONE)
#define SHUTS_GONE(closes) false
#else
#define SHUTS_GONE(closes) closes
#endif
#ifdef M_DELAY_FREE
#define LEAVES_DELAY       false
#else
#define LEAVES_DELAY       DELAYED
#endif

/* What must be true after each step. */
inline check()
{
	assert(!(ALONE_IN && OTHER_IN) && !(ALONE_IN && SHARER_IN) && !(SHARE_IN && OTHER_IN) && !(OTHER_IN && SHARER_IN));
	assert(LIMIT == 0 || SHARE_IN + SHARER_IN <= LIMIT);
	assert(!ALONE_IN || (l_kind == TOKEN && l_id == inside && l_end >= safe && FENCE_IS(inside)) || baton != 0);
	assert(!SHARE_IN || wiped || (l_end >= safe && ((l_kind == SHARED && s_end[inside] >= safe) || (changing && l_id == inside))));
	assert(l_kind != TOKEN || !over[l_id])
}

inline set_lock(kind, t, end)
{
	l_kind = kind; l_id = t; l_end = end; baton = 0
}

inline clear_lock()
{
	set_lock(NOTHING, 0, 0)
}

inline clear_share(t)
{
	s_end[t] = 0; s_fence[t] = 0; s_serial[t] = 0
}

/* The shares of an occupancy that is over; forgotten: with their serials. */
inline clear_shares(forgotten)
{
	k = 0;
	do
	:: k < TOKENS ->
		s_end[k] = 0;
		if
		:: forgotten -> clear_share(k)
		:: else
		fi;
		k++
	:: else -> break
	od;
	delay_end = 0; k = 0
}

/* How many shares are alive, and when the last of them ends, or the delay. */
inline count_shares()
{
	alive = 0; most = delay_end; k = 0;
	do
	:: k < TOKENS ->
		if
		:: s_end[k] > now ->
			alive++;
			if
			:: s_end[k] > most -> most = s_end[k]
			:: else
			fi
		:: else -> s_end[k] = 0
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

inline end_count()
{
	alive = 0; most = 0
}

/* The lock is taken under this token. */
inline check_taken(t)
{
	assert(!over[t] && (t > GRANTS || dead_until == 0 || now <= dead_until))
}

/* Somebody is granted the lock exclusively. */
inline grant(t, end)
{
	assert(now >= nobody_until);
	check_taken(t);
	fence++; kept = 0; last_alone = fence;
	set_lock(TOKEN, t, end)
}

/* Nobody is inside any more. */
inline room_empty()
{
	if
	:: clear_lock()
	:: set_lock(KEPT, 0, now + WINDOW)
#ifdef RIDE
	:: fence++; kept = 0; last_alone = fence;
		set_lock(BATON, 0, now + WINDOW);
		if
		:: parked -> parked = 0; baton = fence
		:: else
		fi
#endif
	fi
}

/* acquire.lua, and enter.lua for one that wants the lock exclusively */
inline run_acquire(t, length, last)
{
	if
	:: now > last || closed[t] -> v = LATE
	:: else ->
		count_shares();
		if
		:: l_kind == NOTHING || l_kind == KEPT || (l_kind == BATON && baton == 0) -> grant(t, now + length); v = OURS
#ifdef M_BESIDE
		:: l_kind == SHARED && alive == 1 -> grant(t, now + length); v = OURS
#endif
		:: l_kind == TOKEN && l_id == t -> v = OURS
		:: else -> v = BUSY
		fi;
		end_count()
	fi
}

/* enter.lua, for a share; pass: the baton that was received, or 0 */
inline run_enter(t, length, last, pass)
{
	if
	:: ENTER_PAST(last) || ENTER_CLOSED(t) -> v = LATE
	:: !(ENTER_PAST(last) || ENTER_CLOSED(t)) && ALIVE(t) ->
#ifdef M_TWICE_LENGTHENS
		if
		:: s_end[t] < now + length ->
			s_end[t] = now + length;
			if
			:: l_end < s_end[t] -> l_end = s_end[t]
			:: else
			fi
		:: else
		fi;
#endif
		v = OURS
	:: else ->
		count_shares();
		if
		:: l_kind == NOTHING || l_kind == KEPT || (l_kind == BATON && (baton == 0 || baton == pass)) ->
			if
			:: last_share != fence -> era = fence + 1; clear_shares(1)
#ifdef M_OLDSHARES
			:: else
#else
			:: else -> clear_shares(0)
#endif
			fi;
			set_lock(SHARED, 0, now + length);
			v = OURS
		:: l_kind == SHARED && !ENTER_DELAYED &&
#ifndef M_EMPTYSET
				alive > 0 &&
#endif
#ifdef M_LIMIT
				(LIMIT == 0 || alive <= LIMIT) ->
#else
				(LIMIT == 0 || alive < LIMIT) ->
#endif
			if
#ifdef M_LEXP
			:: true -> l_end = now + length
#else
			:: most < now + length -> l_end = now + length
#endif
			:: else
			fi;
			v = OURS
		:: else -> v = BUSY
		fi;
		if
		:: v == OURS ->
			assert(now >= nobody_until);
			check_taken(t);
			fence++; kept = 0; last_share = fence;
			s_end[t] = now + length; s_fence[t] = fence; s_serial[t] = 0
		:: else
		fi;
		end_count()
	fi
}

/* What one hears that had a share, and has it no more. */
inline verdict(f)
{
	if
#if defined(M_ERA)
	:: l_kind != TOKEN && l_kind != BATON && l_kind != COOLDOWN && (fence == f || fence == last_share) -> v = GONE
#elif defined(M_NOFENCE)
	:: l_kind != TOKEN && l_kind != BATON && l_kind != COOLDOWN && f >= era -> v = GONE
#else
	:: l_kind != TOKEN && l_kind != BATON && l_kind != COOLDOWN &&
			(fence == f || (fence == last_share && f >= era)) -> v = GONE
#endif
	:: else -> v = TAKEN
	fi
}

#ifdef M_EXTEND_TOKEN
#define EXTENDS_IT(t, f) true
#else
#define EXTENDS_IT(t, f) (s_fence[t] == f)
#endif

#ifdef M_NOSERIAL
#define NEWER(number, t) true
#else
#define NEWER(number, t) (number > s_serial[t])
#endif
#ifdef M_NOLOOK_AGAIN
#define AGAIN_CLOSED(t)  false
#else
#define AGAIN_CLOSED(t)  closed[t]
#endif
#ifdef M_AGAIN_NOUNTIL
#define AGAIN_PAST(last) false
#else
#define AGAIN_PAST(last) (now > last)
#endif
#ifdef M_AGAIN_LIMIT
#define AGAIN_FULL       false
#else
#define AGAIN_FULL       (LIMIT != 0 && alive >= LIMIT)
#endif
#ifdef M_AGAIN_DELAY
#define AGAIN_DELAYED    false
#else
#define AGAIN_DELAYED    DELAYED
#endif

/* extend_shared.lua */
inline run_extend_shared(t, f, number, length, anew, last)
{
	if
	:: ALIVE(t) && EXTENDS_IT(t, f) ->
		if
		:: NEWER(number, t) ->
			s_end[t] = now + length; s_serial[t] = number;
			count_shares();
#ifdef M_LEXP_EXTEND
			l_end = s_end[t];
#else
			l_end = most;
#endif
			end_count()
		:: else
		fi;
		v = OURS
	:: else ->
		verdict(f);
		if
		:: anew && v == GONE ->
			count_shares();
			if
			:: !NEWER(number, t) || AGAIN_CLOSED(t) || AGAIN_PAST(last) || AGAIN_FULL || AGAIN_DELAYED || era == 0 ||
					ALIVE(t) || l_kind == KEPT || l_kind == BATON ->
				v = TAKEN
			:: else ->
				check_taken(t);
				assert(now >= nobody_until);
				if
				:: l_kind == NOTHING -> clear_shares(0); set_lock(SHARED, 0, now + length)
				:: else
				fi;
				s_end[t] = now + length; s_serial[t] = number; s_fence[t] = f; broken = 0;
				l_end = (most > s_end[t] -> most : s_end[t])
			fi;
			end_count()
		:: else
		fi
	fi
}

#ifdef M_DOWN_NOROW
#define KEPT_NEWER(number) true
#else
#define KEPT_NEWER(number) (number > kept)
#endif

/* extend.lua */
inline run_extend(t, f, number, length, anew, last)
{
	if
	:: l_kind == TOKEN && l_id == t && fence == f ->
		if
		:: number > kept -> l_end = now + length; kept = number
		:: else
		fi;
		v = OURS
	:: l_kind == NOTHING && fence == f && anew && KEPT_NEWER(number) && !closed[t] && now <= last ->
		kept = number;
		check_taken(t);
		set_lock(TOKEN, t, now + length); broken = 0;
		v = GONE
	:: l_kind == NOTHING && fence == f && !anew -> v = GONE
	:: else -> v = TAKEN
	fi
}

#ifdef M_LEAVE_TOKEN
#define LEAVES_IT(t, f)  true
#else
#define LEAVES_IT(t, f)  ((f) == 0 || s_fence[t] == (f))
#endif
#define RELEASES_IT(f, closes) (!(closes) || (f) == 0 || fence == (f))

/* leave.lua, and release.lua for one that never had a share; f: the fence, 0 if it is not known */
inline run_leave(t, f, delay, closes)
{
	if
	:: l_kind == TOKEN && l_id == t ->
		v = (RELEASES_IT(f, closes) -> OURS : TAKEN);
		room_empty();
		if
		:: SHUTS_FREED(closes) -> closed[t] = 1
		:: else
		fi
	:: ALIVE(t) ->
		if
		:: LEAVES_IT(t, f) -> v = OURS
		:: else -> verdict(f)
		fi;
		clear_share(t);
		if
		:: delay != 0 && v == OURS && delay_end < now + delay -> delay_end = now + delay; nobody_until = delay_end
		:: else
		fi;
		count_shares();
		if
#ifdef M_FREE
		:: true -> room_empty()
#else
		:: alive == 0 && !LEAVES_DELAY -> room_empty()
		:: alive == 0 && LEAVES_DELAY -> set_lock(COOLDOWN, 0, delay_end)
		:: alive > 0 -> l_end = most
#endif
		fi;
		end_count();
		if
		:: SHUTS_FREED(closes) -> closed[t] = 1
		:: else
		fi
	:: else ->
		verdict(f);
		if
		:: SHUTS_GONE(closes) -> closed[t] = 1
		:: else
		fi
	fi
}

#ifdef M_DOWN_TOKEN
#define DOWN_IS(f)       true
#else
#define DOWN_IS(f)       (fence == (f))
#endif

/* downgrade.lua: what is left of the lease, and the same fence */
inline run_downgrade(t, f, number)
{
	if
	:: l_kind == TOKEN && l_id == t && DOWN_IS(f) && number > kept ->
		kept = number;
		most = l_end;
		clear_shares(1);
		set_lock(SHARED, 0, most);
		fence = f; era = f; last_share = f;
		assert(fence >= last_alone);
		s_end[t] = most; s_fence[t] = f; s_serial[t] = number;
		most = 0;
		v = OURS
#ifdef M_DOWN_TWICE
	:: ALIVE(t) -> v = OURS
#else
	:: ALIVE(t) && s_fence[t] == f -> v = OURS
#endif
	:: else -> v = TAKEN
	fi
}

#ifdef M_UPGRADE_TOKEN
#define UPGRADES_IT(t, f)  true
#else
#define UPGRADES_IT(t, f)  (s_fence[t] == (f))
#endif
#ifdef M_UP_NOSERIAL
#define UP_NEWER(number, t) true
#else
#define UP_NEWER(number, t) (number > s_serial[t])
#endif
#ifdef M_UP_OTHERS
#define ONLY_ONE           true
#else
#define ONLY_ONE           (alive == 1)
#endif

/* upgrade.lua */
inline run_upgrade(t, f, number, length, last)
{
	if
#ifdef M_UP_TWICE
	:: l_kind == TOKEN && l_id == t -> v = OURS
#else
	:: l_kind == TOKEN && l_id == t && kept >= number -> v = OURS
#endif
	:: ALIVE(t) && UPGRADES_IT(t, f) ->
		if
		:: UP_PAST(last) -> v = LATE
		:: !UP_PAST(last) && !UP_NEWER(number, t) -> v = BUSY
		:: else ->
			s_serial[t] = number;
			count_shares();
			if
			:: ONLY_ONE && !UP_DELAYED ->
				most = (s_end[t] > now + length -> s_end[t] : now + length);
				clear_share(t);
				assert(last_alone <= f); /* it was ours all the time */
				grant(t, most);
				kept = number;
#ifdef M_UP_NOFENCE
				fence--;
#endif
				v = OURS
			:: else -> v = BUSY
			fi;
			end_count()
		fi
	:: else -> v = TAKEN
	fi
}

#ifdef RIDE
/* claim.lua */
inline run_claim(t, number, length)
{
	if
	:: l_kind == BATON && fence == number && !closed[t] -> set_lock(TOKEN, t, now + length); assert(!over[t]); v = OURS
	:: l_kind == TOKEN && l_id == t && !closed[t] -> v = OURS
	:: else -> v = TAKEN
	fi
}
#endif

#ifdef BREAK_SHARE
#ifdef M_BREAK_NOUNTIL
#define BREAK_PAST(last) false
#else
#define BREAK_PAST(last) (now > last)
#endif

/* break_shared.lua, and the leave behind it: the share with this fence ends */
inline run_break(f, last)
{
	k = 0;
	do
	:: k < TOKENS && !(ALIVE(k) && s_fence[k] == f) -> k++
	:: else -> break
	od;
	if
	:: k < TOKENS && !BREAK_PAST(last) ->
		assert(now <= break_until);
		untold = 1;
		if
		:: k == SHARER -> sharer_until = 0
		:: k == inside -> broken = 1
		:: else
		fi;
		fence++; kept = 0; last_share = fence;
		era = (era > f -> era : f + 1);
		number = k;
		run_leave(number, 0, 0, 1);
		number = 0
	:: else
	fi;
	k = 0; v = 0
}
#endif

inline enter_inside(f, exclusively)
{
	assert((exclusively && f >= used) || (!exclusively && f >= used_alone));
	used = (f > used -> f : used);
	used_alone = (exclusively && f > used_alone -> f : used_alone)
}

/* A copy that nobody waits for any more is on its way. */
inline post(what, t, f, number, length, last, anew)
{
	i = 0;
	do
	:: copies[i].kind != NONE -> i++
	:: else -> break
	od;
	copies[i].kind = what; copies[i].token = t; copies[i].fence = f; copies[i].serial = number;
	copies[i].lease = length; copies[i].until = last; copies[i].again = anew;
	i = 0
}

#if COPIES == 1
#define ROOM (copies[0].kind == NONE)
#elif COPIES == 2
#define ROOM (copies[0].kind == NONE || copies[1].kind == NONE)
#endif

/* A copy arrives. */
inline deliver(n)
{
	kind = copies[n].kind; whose = copies[n].token; known = copies[n].fence; number = copies[n].serial;
	length = copies[n].lease; last = copies[n].until; anew = copies[n].again;
	copies[n].kind = NONE; copies[n].token = 0; copies[n].fence = 0; copies[n].serial = 0;
	copies[n].lease = 0; copies[n].until = 0; copies[n].again = 0;
	was = (l_kind == SHARED -> s_end[whose] : 0); was_kind = l_kind; end = l_end;
	if
	:: kind == ACQUIRE -> run_acquire(whose, length, last)
	:: kind == ENTER -> run_enter(whose, length, last, known)
	:: kind == EXTEND -> run_extend(whose, known, number, length, anew, last)
	:: kind == EXTEND_SHARED -> run_extend_shared(whose, known, number, length, anew, last)
	:: kind == LEAVE -> run_leave(whose, known, 0, anew)
	:: kind == DOWNGRADE -> run_downgrade(whose, known, number)
	:: kind == UPGRADE -> run_upgrade(whose, known, number, length, last)
#ifdef RIDE
	:: kind == CLAIM -> run_claim(whose, known, length)
#endif
#ifdef BREAK_SHARE
	:: kind == BREAK_ -> run_break(known, last)
#endif
	fi;
	/* What was answered, or sent before that, changes nothing; nor does a second enter of a share that is there. */
	assert(number == 0 || whose != token || number > settled || (was_kind == l_kind && end == l_end && (was == 0 || was == s_end[whose])));
	assert(kind != ENTER || was == 0 || was == s_end[whose]);
	kind = NONE; whose = 0; known = 0; number = 0; length = 0; last = 0; anew = 0; was = 0; was_kind = 0; end = 0; v = 0;
	check()
}

/* Until there is an answer, the lease may have been made as short as this. */
inline bound(end)
{
#ifndef M_NOBOUND
	if
	:: end < safe -> safe = end
	:: else
	fi
#else
	skip
#endif
}

/* Nothing of the call that has ended matters any more. */
#define FORGET t0 = 0; lease = 0; last = 0; asked = 0; anew = 0; v = 0

inline choose_lease()
{
	if
	:: lease = SHORT
	:: lease = LONG
	fi
}

/* From now on it relies on the lock, if it still can. */
inline go_in(exclusively, f, end)
{
	fence_of[token] = f; inside = token; shared = !exclusively; safe = end;
	if
	:: now < safe -> enter_inside(f, exclusively)
	:: else
	fi
}

/* What the answer to an extend means: v. */
inline note_extend()
{
	if
	:: v == OURS || (v == GONE && anew) ->
		assert((shared -> last_alone : fence) <= fence_of[token]);
		assert(v == GONE || !broken);
		broken = 0; safe = t0 + lease; settled = serial
	:: v == GONE && !anew -> assert((shared -> last_alone : fence) <= fence_of[token]); safe = 0
	:: v == TAKEN ->
		if
		:: !anew -> TRUE_TAKEN(token)
		:: else
		fi;
		safe = 0
	fi;
	FORGET;
	check()
}

active proctype Holder()
{
	byte t0;            /* when the call's first request was sent */
	byte lease, last, serial, changes, pass, asked, had, alones, delay;
	byte v, alive, most, i, k;
	bit alone, anew;

	do
	:: token < GRANTS ->
		atomic {
			token++; settled = 0; serial = 0; changes = 0; open = 0; broken = 0;
			if
			:: alone = 0
			:: alone = 1
			fi;
			choose_lease()
		};
ask:
		atomic { last = DEADLINE; t0 = now };
asking:
		if
		:: atomic { ROOM -> post((alone -> ACQUIRE : ENTER), token, pass, 0, lease, last, 0); open = 1 };
			if
#ifdef M_LAST_SENDING
			:: t0 = now; goto asking
#else
			:: goto asking
#endif
			:: goto leave
			fi
		:: atomic {
				if
				:: alone -> run_acquire(token, lease, last)
				:: else -> run_enter(token, lease, last, pass)
				fi;
				pass = 0;
				if
				:: v == OURS && alone -> go_in(1, fence, t0 + lease)
				:: v == OURS && !alone -> go_in(0, s_fence[token], t0 + lease)
				:: else
				fi;
				check()
			}
		fi;
		if
		:: atomic { inside != 0 -> FORGET }
#ifdef M_SAMETOKEN
		:: atomic { inside == 0 && v == BUSY && now < MAXT -> v = 0 }; goto ask
#else
		:: atomic { inside == 0 && v == BUSY && now < MAXT && !open -> v = 0 }; goto ask
#endif
#ifdef RIDE
		:: atomic { inside == 0 && v == BUSY && !open -> parked = 1; asked = t0; v = 0 }; goto park
#endif
		:: atomic { inside == 0 -> FORGET }; goto leave
		fi;

critical:
		if
#ifdef DIE
		:: atomic { dead_until = DEADLINE }; goto end
#endif
		:: goto leave
		:: atomic { shared && ALIVE(token) && SHARE_IS(token) -> assert(last_alone <= fence_of[token] && !broken) }; goto leave
		:: atomic {
				serial < EXTENDS + changes -> serial++; t0 = now; last = DEADLINE;
				if
				:: now >= safe -> anew = 1
				:: skip
				fi;
				choose_lease()
			};
			goto extend
		:: atomic { changes < CHANGES -> changes++; serial++; t0 = now; last = DEADLINE; changing = 1; choose_lease() };
			if
			:: shared -> goto upgrade
			:: atomic { !shared -> shared = 1 }; goto downgrade /* from here on it relies on a share alone */
			fi
		fi;

extend:
		if
		:: atomic { ROOM ->
				bound(t0 + lease); open = open || anew;
				post((shared -> EXTEND_SHARED : EXTEND), token, fence_of[token], serial, lease, last, anew)
			};
			if
			:: goto extend
			:: atomic { FORGET }; goto critical
			fi
		:: atomic { shared -> run_extend_shared(token, fence_of[token], serial, lease, anew, last); note_extend() }
		:: atomic { !shared -> run_extend(token, fence_of[token], serial, lease, anew, last); note_extend() }
		fi;
		if
		:: safe != 0 -> goto critical
		:: else -> goto leave
		fi;

downgrade:
		if
		:: atomic { ROOM -> post(DOWNGRADE, token, fence_of[token], serial, 0, 0, 0) };
			if
			:: goto downgrade
			:: goto given_up
			fi
		:: atomic {
				run_downgrade(token, fence_of[token], serial);
				if
				:: v == OURS -> settled = serial
				:: else -> inside = 0; safe = 0; shared = 0
				fi;
				changing = 0; FORGET; check()
			}
		fi;
		if
		:: inside != 0 -> goto critical
		:: else -> goto leave
		fi;

upgrade:
		if
		:: atomic { ROOM -> post(UPGRADE, token, fence_of[token], serial, lease, last, 0) };
			if
			:: goto upgrade
			:: goto given_up
			fi
		:: atomic {
				run_upgrade(token, fence_of[token], serial, lease, last);
				changing = 0;
				if
				:: v == OURS -> settled = serial; go_in(1, fence, t0 + lease)
				:: v == BUSY -> settled = serial
				:: else -> inside = 0; safe = 0
				fi;
				FORGET; check()
			}
		fi;
		if
		:: inside != 0 -> goto critical
		:: else -> goto leave
		fi;

given_up:
		/* It is not known what the grant is: it ends, and its token is closed. */
		atomic { fence_of[token] = 0; open = 1 };
		goto leave;

#ifdef RIDE
park:
		if
		:: atomic { baton != 0 && alone -> pass = baton; parked = 0; go_in(1, pass, asked + WINDOW); check(); t0 = now; lease = SHORT };
claim:
			if
			:: atomic { ROOM -> post(CLAIM, token, pass, 0, lease, 0, 0); bound(t0 + lease); open = 1 }; goto claim
			:: atomic {
					run_claim(token, pass, lease);
					if
					:: v == OURS -> safe = t0 + lease
					:: else -> inside = 0; safe = 0
					fi;
					pass = 0; FORGET; check()
				}
			fi;
			if
			:: inside != 0 -> goto critical
			:: else -> goto leave
			fi
		:: atomic { baton != 0 && !alone -> pass = baton; parked = 0; asked = 0; lease = SHORT };
			goto ask
		:: atomic { parked = 0; baton = 0; asked = 0; lease = SHORT }; goto ask /* the net; what came is passed on */
		fi;
#endif

leave:
		atomic { inside = 0; safe = 0; changing = 0; parked = 0; pass = 0; FORGET };
leaving:
		if
#ifdef DIE
		:: atomic { dead_until = DEADLINE }; goto end
#endif
		:: atomic { ROOM -> post(LEAVE, token, fence_of[token], 0, 0, 0, open) }; goto leaving
		:: atomic {
				alones = last_alone; had = (shared -> last_alone : fence);
#if DELAY > 0
				if
				:: delay = DELAY
				:: skip
				fi;
#endif
				run_leave(token, fence_of[token], delay, open);
				delay = 0;
				if
				:: fence_of[token] != 0 && v == OURS -> assert(had <= fence_of[token] && !broken)
				:: fence_of[token] != 0 && v == GONE -> assert(alones <= fence_of[token])
				:: fence_of[token] != 0 && v == TAKEN -> TRUE_TAKEN(token)
				:: else
				fi;
				check();
				v = 0; had = 0; alones = 0; over[token] = 1; shared = 0; alone = 0; serial = 0; settled = 0; changes = 0;
				assert(!ALIVE(token))
			}
		fi;
		check()
	:: else -> break
	od;
end:
	skip
}

#ifdef BREAK_SHARE
active proctype Breaker()
{
	byte seen, v, i, k, alive, most, number;

	atomic { ALIVE(1) || ALIVE(SHARER) -> seen = (ALIVE(1) -> s_fence[1] : s_fence[SHARER]); break_until = DEADLINE };
	if
	:: atomic { ROOM -> post(BREAK_, 0, seen, 0, 0, break_until, 0) }
	:: atomic { run_break(seen, break_until); v = 0; check() }
	fi
}
#endif

/* Whoever is inside works on until it looks. */
inline break_all()
{
	clear_lock();
	broken = (inside != 0);
	other_until = 0; sharer_until = 0; nobody_until = 0
}

/* Time, the others, and what arrives late. */
active proctype World()
{
	byte v, i, k, alive, most, kind, whose, known, number, length, last, was, was_kind, end;
	bit anew, done;

	do
	:: atomic {
			token > 0 && now < MAXT -> now++;
			if
			:: l_kind != NOTHING && now >= l_end -> clear_lock()
			:: else
			fi;
			count_shares(); end_count();
			if
			:: !DELAYED -> delay_end = 0; nobody_until = 0
			:: else
			fi;
			if
			:: now >= other_until -> other_until = 0
			:: else
			fi;
			if
			:: now >= sharer_until -> sharer_until = 0
			:: else
			fi;
			check()
		}
	:: atomic { l_kind == NOTHING && others < OTHERS ->
			others++; grant(OTHER, now + SHORT); enter_inside(fence, 1); other_until = now + SHORT; check()
		}
	:: atomic { l_kind == TOKEN && l_id == OTHER -> room_empty(); other_until = 0; check() }
	:: atomic { sharers < SHARERS && s_end[SHARER] == 0 ->
			run_enter(SHARER, SHARER_LEASE, now, 0);
			if
			:: v == OURS -> sharers++; enter_inside(fence, 0); sharer_until = now + SHARER_LEASE
			:: else
			fi;
			v = 0; check()
		}
	:: atomic { ALIVE(SHARER) -> run_leave(SHARER, 0, DELAY, 0); v = 0; sharer_until = 0; check() }
	:: atomic { copies[0].kind != NONE -> deliver(0) }
#if COPIES > 1
	:: atomic { copies[1].kind != NONE -> deliver(1) }
#endif
#ifdef CROWD
	:: atomic { !done && l_kind == NOTHING -> done = 1; run_enter(CROWD_, MAXT, now, 0); v = 0; check() }
#endif
#ifdef FDEL
	:: atomic { !done && l_kind != NOTHING -> done = 1; break_all(); check() }
#endif
#ifdef BREAK
	:: atomic { !done && l_kind != NOTHING ->
			done = 1; fence++; kept = 0; last_alone = fence; break_all(); check()
		}
#endif
#ifdef EVICT
	:: atomic { !done && l_kind == SHARED ->
			done = 1; clear_shares(1); era = 0; last_share = 0; wiped = 1; untold = 1; nobody_until = 0; check()
		}
#endif
	:: now == MAXT -> break
	od
}
