/*
 * Shared locks: who may rely on what.
 *
 * As in late.pml, every request may go unanswered and reach the server at any later time: up to COPIES of them
 * are on their way at one time, and each runs once or never. Each script is one atomic step of the server, which has one
 * inline for each. A tick may pass between any two steps. There is no queue here (turnstile.pml has it): whoever asks is
 * granted what harms nobody, and what is given back becomes, by chance, free, kept for one that asks with enter, or (RIDE)
 * a baton, which counts as an exclusive grant.
 *
 *   holder   takes the lock GRANTS times, shared or exclusively; prolongs it up to EXTENDS times, for SHORT or LONG, before
 *            its deadline or after it (`again`); downgrades and upgrades it up to CHANGES times; looks; gives it back.
 *            Each request is sent until it is answered, or is given up; a lease counts from the first sending. A change
 *            that was given up ends the grant
 *   others   OTHERS times somebody takes what is free exclusively, by the scripts of exclusive locks alone, and SHARERS
 *            times somebody takes a share; both rely on it until its very end
 *
 * Not here: a name's one share, a detached share whose former token may still enter, an evicted fence, full memory. A share that has ended
 * is remembered without an end, not for a minute.
 *
 * What is asserted:
 *   - nobody is inside beside one that has the lock exclusively, and no more than LIMIT in all (0: any number);
 *   - who has it exclusively enters with a higher fence than all before, who has a share with a higher one than all that
 *     had it exclusively; no fence falls;
 *   - the verdicts are true (1: ours all the time; 2: nobody was granted it exclusively since; 3: somebody was, or it was
 *     broken; or a late copy of enter has taken this share again). Who has lost a share that was broken hears 3;
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
 *   BREAK        likewise, somebody breaks an exclusive grant, or whatever is there as a client of the first version would
 *   BREAK_SHARES likewise, somebody breaks one share, or all of them and the delay: each request of that, too, may come late
 *   EVICT        the shares are evicted, once: nobody else comes in until L ends
 *   DELAY=n      grants are given back with a delay
 *   CROWD        one share lasts all the time, on which nobody relies
 *   LONGER       the holder also takes again what it has: an extend that leaves a longer lease as it is
 *   RENEWS       the share is a detached lock's, which gets a new token up to GRANTS - 1 times, for SHORT, LONG, or what is left,
 *                and is never set anew
 *   DOWN         who has the lock exclusively by the scripts of exclusive locks may downgrade it
 *
 * Mutations, each of which must be found (run.sh):
 *   M_BESIDE          enter takes the lock exclusively beside the last share
 *   M_FREE            a share that leaves frees the lock
 *   M_LEXP            L expires with the share that came last
 *   M_LEXP_EXTEND     ... with the share that was prolonged last
 *   M_LIMIT           one share more than the limit
 *   M_AGAIN_LIMIT     ... by `again`
 *   M_EMPTYSET        (with EVICT) enter joins shares that were evicted
 *   M_AGAIN_EMPTYSET  (with EVICT) ... `again` does
 *   M_OLDSHARES       (with FDEL) a new occupancy finds the shares of the last one
 *   M_ERA             a verdict does not look at the era
 *   M_NOFENCE         ... nor at the last share's fence
 *   M_DOWN_NOERA      (with DOWN) a downgrade begins no era
 *   M_TWICE_LENGTHENS an enter that arrives twice lengthens
 *   M_NOSERIAL        an extend sets the lease that it was sent with, whenever it runs
 *   M_AGAIN_NOSERIAL  ... `again` does
 *   M_SHORTENS        (with LONGER) an extend that is to leave a longer lease as it is sets its own
 *   M_NOBOUND         an extend without an answer leaves `safe` as it was
 *   M_LAST_SENDING    a lease counts from the last sending
 *   M_SAMETOKEN       a waiter asks again with the same token although one sending was not answered
 *   M_EXTEND_TOKEN    an extend believes the token of a share, whatever its fence is
 *   M_LEAVE_TOKEN     ... a leave that closes does
 *   M_UPGRADE_TOKEN   ... an upgrade does
 *   M_DOWN_TOKEN      a downgrade believes the token in L, whatever the fence is
 *   M_UP_TWICE        an upgrade that finds its token in L has arrived twice, whatever the serial is
 *   M_DOWN_TWICE      a downgrade that finds its token among the shares has arrived twice, whatever the serial is
 *   M_UP_NOSERIAL     an upgrade runs whatever its serial is
 *   M_UP_REFUSED      an upgrade that is refused leaves no serial
 *   M_DOWN_NOROW      a downgrade leaves no serial behind the fence, where an `again` of the exclusive grant would find it
 *   M_UP_NOFENCE      an upgrade does not raise the fence
 *   M_UP_OTHERS       an upgrade does not look for other shares
 *   M_NOCLOSE_FREED   leave does not close its token where it ends the grant
 *   M_NOCLOSE_GONE    ... where there is none
 *   M_NOLOOK          enter does not look whether its token has been closed
 *   M_NOLOOK_AGAIN    ... `again` does not
 *   M_NOUNTIL         (with DIE) enter has no `until`
 *   M_AGAIN_NOUNTIL   (with DIE) ... `again` has none
 *   M_UP_NOUNTIL      (with DIE) ... an upgrade has none
 *   M_BREAK_NOUNTIL   (with BREAK_SHARES) ... what marks shares as broken has none
 *   M_END_NOUNTIL     (with BREAK_SHARES) ... the leave that follows has none
 *   M_BREAK_NOERA     (with BREAK_SHARES) breaking begins no era
 *   M_REPLACE_NOUNTIL (with RENEWS, DIE) a replace has no `until`
 *   M_REPLACE_NOLOOK  (with RENEWS) ... does not look whether its new token has been closed
 *   M_REPLACE_TWICE   (with RENEWS) one that arrives twice sets its lease
 *   M_DELAY           (with DELAY, CROWD) enter does not look at the delay
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
#define MAXT 3
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
#ifndef AHEAD
#define AHEAD  1 /* by how much the upper estimate of the server's clock is ahead of it */
#endif
#define SHARER_LEASE 2
#define ANY    255 /* until: whenever it comes */

/* Tokens: the holder's, 1 to GRANTS, and these. */
#define OTHER     (GRANTS + 1) /* of the one that has it exclusively */
#define SHARER    (GRANTS + 2)
#define SPARE     (GRANTS + 3) /* CROWD: of the share that lasts; BREAK_SHARES: of the one that breaks */
#define TOKENS    (GRANTS + 4)

/* What L may hold. */
#define NOTHING   0
#define TOKEN     1
#define BATON     2
#define SHARED    3
#define KEPT      4
#define COOLDOWN  5

/* Requests. */
#define NONE      0
#define ACQUIRE   1
#define ENTER     2
#define EXTEND    3
#define EXTEND_SHARED 4 /* the one after EXTEND */
#define LEAVE     5
#define DOWNGRADE 6
#define UPGRADE   7
#define CLAIM     8
#define BREAK_SHARED 9
#define LEAVE_BROKEN 10 /* with `until` */
#define LENGTHEN  11 /* an extend that leaves a longer lease as it is */
#define LENGTHEN_SHARED 12
#define REPLACE_SHARED 13 /* serial: the new token */

/* Answers. */
#define BUSY      0
#define OURS      1
#define GONE      2
#define TAKEN     3
#define LATE      9

typedef request {
	byte kind, token;
	byte fence;   /* of the grant; of a claim or an enter, the baton; 0: not known */
	byte serial;
	byte lease;   /* of a leave, the delay */
	byte until;
	bit flag      /* an extend may set it anew; a leave closes its token */
};

byte now = 0;

/* The server's keys: L, the fence with what is kept behind it, the shares. */
byte l_kind = NOTHING, l_id = 0, l_end = 0;
byte fence = 1, kept = 0;
bit closed[TOKENS];
byte s_end[TOKENS], s_fence[TOKENS], s_serial[TOKENS];
byte era = 0, last_share = 0, delay_end = 0; /* E, F, - */
byte baton = 0; /* on its way to the holder; 0: it lies in the list */

byte kind, who, known, number, length, last; /* what the server runs, as in a request */
bit flag;
byte v;                 /* what it answers */
request copies[COPIES];
chan go = [0] of { byte, byte, byte, byte, byte, byte, bit };
chan done = [0] of { bit };

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
byte last_taken = 0;             /* ... not by an upgrade */
byte since = 0, since_alone = 0; /* the last fence, ... of one that had it exclusively, before the request that was answered */
bit retaken = 0;                 /* a late copy has taken the lock again under its token */
byte settled = 0;                /* the highest serial of the present token that has been answered */
byte nobody_until = 0;
byte others = 0, sharers = 0;
bit broken = 0;                  /* the holder's grant was broken or deleted */
bit ended = 0;                   /* its share was broken */
byte marked = 0;                 /* the highest fence of a share that was to be broken */
bit wiped = 0;                   /* the shares were evicted */
bit untold = 0;                  /* ... or one was broken: somebody may hear 3 without a cause */
bit over[TOKENS];                /* the holder is through with it */
byte dead_until = 0;             /* it is dead, and none of its calls goes on for longer */
byte break_until = ANY;          /* when the one that breaks has given up */

#define IN           (inside != 0 && now < safe && !broken)
#define ALONE_IN     (IN && !shared)
#define SHARE_IN     (IN && shared)
#define OTHER_IN     (now < other_until)
#define SHARER_IN    (now < sharer_until)
#define ALIVE(t)     (l_kind == SHARED && s_end[t] > now)
#define DELAYED      (delay_end > now)
#define DEADLINE     (now + CALL + AHEAD) /* of a call that begins now, by the latest estimate of the server's clock */

/* A rule that a mutation drops. */
#ifdef M_NOUNTIL
#define ENTER_PAST(last)   false
#else
#define ENTER_PAST(last)   (now > last)
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
#ifdef M_BESIDE
#define BESIDE             (l_kind == SHARED && alive == 1)
#else
#define BESIDE             false
#endif
#ifdef M_EMPTYSET
#define KNOWN              true
#else
#define KNOWN              (alive > 0)
#endif
#ifdef M_LIMIT
#define FULL               (LIMIT != 0 && alive > LIMIT)
#else
#define FULL               (LIMIT != 0 && alive >= LIMIT)
#endif
#if defined(M_ERA)
#define SAME_ERA(f)        (fence == last_share)
#elif defined(M_NOFENCE)
#define SAME_ERA(f)        (f >= era)
#else
#define SAME_ERA(f)        (fence == last_share && f >= era)
#endif
#ifdef M_EXTEND_TOKEN
#define EXTENDS_IT(t, f)   true
#else
#define EXTENDS_IT(t, f)   (s_fence[t] == f)
#endif
#ifdef M_NOSERIAL
#define NEWER(number, t)   true
#else
#define NEWER(number, t)   (number > s_serial[t])
#endif
#ifdef M_SHORTENS
#define SETS(end)          (now + length)
#else
#define SETS(end)          (kind >= LENGTHEN && end > now + length -> end : now + length)
#endif
#ifdef M_AGAIN_NOSERIAL
#define AGAIN_NEWER(number, t) true
#else
#define AGAIN_NEWER(number, t) NEWER(number, t)
#endif
#ifdef M_NOLOOK_AGAIN
#define AGAIN_CLOSED(t)    false
#else
#define AGAIN_CLOSED(t)    closed[t]
#endif
#ifdef M_AGAIN_NOUNTIL
#define AGAIN_PAST(last)   false
#else
#define AGAIN_PAST(last)   (now > last)
#endif
#ifdef M_AGAIN_LIMIT
#define AGAIN_FULL         false
#else
#define AGAIN_FULL         (l_kind == SHARED && LIMIT != 0 && alive >= LIMIT)
#endif
#ifdef M_AGAIN_DELAY
#define AGAIN_DELAYED      false
#else
#define AGAIN_DELAYED      DELAYED
#endif
#ifdef M_AGAIN_EMPTYSET
#define AGAIN_UNKNOWN      false
#else
#define AGAIN_UNKNOWN      (era == 0)
#endif
#ifdef M_LEAVE_TOKEN
#define LEAVES_IT(t, f, closes) true
#else
#define LEAVES_IT(t, f, closes) (!closes || f == 0 || s_fence[t] == f)
#endif
#ifdef M_NOCLOSE_FREED
#define SHUTS_FREED(closes) false
#else
#define SHUTS_FREED(closes) closes
#endif
#ifdef M_NOCLOSE_GONE
#define SHUTS_GONE(closes) false
#else
#define SHUTS_GONE(closes) closes
#endif
#ifdef M_DELAY_FREE
#define LEAVES_DELAY       false
#else
#define LEAVES_DELAY       DELAYED
#endif
#ifdef M_END_NOUNTIL
#define LEAVE_PAST(last)   false
#else
#define LEAVE_PAST(last)   (now > last)
#endif
#ifdef M_DOWN_TOKEN
#define DOWN_IS(f, number) true
#else
#define DOWN_IS(f, number) (fence == f && number > kept)
#endif
#ifdef M_DOWN_TWICE
#define DOWN_DONE(number, t) true
#else
#define DOWN_DONE(number, t) (s_serial[t] >= number)
#endif
#ifdef M_UP_TWICE
#define UP_DONE(number)    true
#else
#define UP_DONE(number)    (kept >= number)
#endif
#ifdef M_UPGRADE_TOKEN
#define UPGRADES_IT(t, f)  true
#else
#define UPGRADES_IT(t, f)  (s_fence[t] == f)
#endif
#ifdef M_UP_NOSERIAL
#define UP_NEWER(number, t) true
#else
#define UP_NEWER(number, t) (number > s_serial[t])
#endif
#ifdef M_UP_NOUNTIL
#define UP_PAST(last)      false
#else
#define UP_PAST(last)      (now > last)
#endif
#ifdef M_UP_OTHERS
#define ONLY_ONE           true
#else
#define ONLY_ONE           (alive == 1)
#endif
#ifdef M_DELAY_UP
#define UP_DELAYED         false
#else
#define UP_DELAYED         DELAYED
#endif
#ifdef M_BREAK_NOUNTIL
#define BREAK_PAST(last)   false
#else
#define BREAK_PAST(last)   (now > last)
#endif

/* ---------------------------------------------------------------- the server */

inline set_lock(kind, t, end)
{
	l_kind = kind; l_id = t; l_end = end; baton = 0
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
	alive = 0; most = (DELAYED -> delay_end : 0); k = 0;
	do
	:: k < TOKENS ->
		if
		:: s_end[k] > now ->
			alive++;
			most = (s_end[k] > most -> s_end[k] : most)
		:: else -> s_end[k] = 0
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

/* The lock is taken under this token. */
inline check_taken(t)
{
	assert(now >= nobody_until);
	assert(!over[t] && (t > GRANTS || dead_until == 0 || now <= dead_until))
}

/* Somebody is granted the lock exclusively. */
inline grant(t, end)
{
	check_taken(t);
	fence++; kept = 0; last_alone = fence; last_taken = fence;
	set_lock(TOKEN, t, end);
	v = OURS
}

/* hand_over: nobody is inside any more. */
inline hand_over()
{
	if
	:: set_lock(NOTHING, 0, 0)
	:: set_lock(KEPT, 0, now + WINDOW)
#ifdef RIDE
	:: fence++; kept = 0; last_alone = fence; last_taken = fence;
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
		:: l_kind == NOTHING || l_kind == KEPT || (l_kind == BATON && baton == 0) || BESIDE -> grant(t, now + length)
		:: l_kind == TOKEN && l_id == t -> v = OURS
		:: else -> v = BUSY
		fi
	fi
}

/* enter.lua, for a share; pass: the baton that was received, or 0 */
inline run_enter(t, length, last, pass)
{
	count_shares();
	if
	:: ENTER_PAST(last) || ENTER_CLOSED(t) -> v = LATE
	:: else ->
		if
		:: ALIVE(t) ->
			v = OURS;
#ifdef M_TWICE_LENGTHENS
			s_end[t] = (s_end[t] < now + length -> now + length : s_end[t]);
			l_end = (l_end < s_end[t] -> s_end[t] : l_end)
#endif
		:: !ALIVE(t) && ((pass == 0 && (l_kind == NOTHING || l_kind == KEPT || (l_kind == BATON && baton == 0))) ||
				(pass != 0 && l_kind == BATON && baton == pass)) ->
			if
			:: last_share != fence -> era = fence + 1; clear_shares(1)
#ifdef M_OLDSHARES
			:: else
#else
			:: else -> clear_shares(0)
#endif
			fi;
			set_lock(SHARED, 0, now + length);
			v = TAKEN
		:: !ALIVE(t) && pass == 0 && l_kind == SHARED && !ENTER_DELAYED && KNOWN && !FULL ->
#ifdef M_LEXP
			l_end = now + length;
#else
			l_end = (most < now + length -> now + length : most);
#endif
			v = TAKEN
		:: else -> v = BUSY
		fi;
		if
		:: v == TAKEN ->
			check_taken(t);
			fence++; kept = 0; last_share = fence;
			s_end[t] = now + length; s_fence[t] = fence;
			v = OURS
		:: else
		fi
	fi
}

/* What one hears that had the lock, and has it no more. */
inline verdict(f)
{
	v = (l_kind != TOKEN && l_kind != BATON && (fence == f || SAME_ERA(f)) -> GONE : TAKEN)
}

/* extend_shared.lua */
inline run_extend_shared(t, f, number, length, anew, last)
{
	count_shares();
	if
	:: ALIVE(t) -> v = (EXTENDS_IT(t, f) -> OURS : TAKEN)
	:: else -> verdict(f)
	fi;
	if
	:: v == GONE && anew && (!AGAIN_NEWER(number, t) || AGAIN_CLOSED(t) || AGAIN_PAST(last) || AGAIN_DELAYED || AGAIN_UNKNOWN ||
			AGAIN_FULL || l_kind == KEPT || l_kind == COOLDOWN) ->
		v = TAKEN
	:: v == GONE && !anew
	:: v == TAKEN
	:: v == OURS && !NEWER(number, t)
	:: else ->
		if
		:: v == GONE -> check_taken(t)
		:: else
		fi;
		if
		:: l_kind == NOTHING -> clear_shares(0); set_lock(SHARED, 0, 0)
		:: else
		fi;
		s_end[t] = SETS(s_end[t]); s_serial[t] = number; s_fence[t] = f;
		count_shares();
#ifdef M_LEXP_EXTEND
		l_end = s_end[t]
#else
		l_end = most
#endif
	fi
}

/* extend.lua */
inline run_extend(t, f, number, length, anew, last)
{
	if
	:: l_kind == TOKEN && l_id == t && fence == f ->
		if
		:: number > kept -> l_end = SETS(l_end); kept = number
		:: else
		fi;
		v = OURS
	:: l_kind == NOTHING && fence == f && anew && number > kept && !closed[t] && now <= last ->
		check_taken(t);
		kept = number;
		set_lock(TOKEN, t, now + length);
		v = GONE
	:: l_kind == NOTHING && fence == f && !anew -> v = GONE
	:: else -> v = TAKEN
	fi
}

/* leave.lua, and release.lua for one that never had a share; f: the fence, 0 if it is not known */
inline run_leave(t, f, delay, closes, last)
{
	if
	:: LEAVE_PAST(last) -> v = LATE
	:: else ->
		if
		:: l_kind == TOKEN && l_id == t ->
			v = (f == 0 || fence == f -> OURS : TAKEN);
			if
			:: delay != 0 -> set_lock(COOLDOWN, 0, now + delay); nobody_until = now + delay
			:: else -> hand_over()
			fi;
			closed[t] = closed[t] | SHUTS_FREED(closes)
		:: ALIVE(t) ->
			v = (LEAVES_IT(t, f, closes) -> OURS : TAKEN);
			clear_share(t);
			if
			:: delay != 0 && delay_end < now + delay -> delay_end = now + delay; nobody_until = delay_end
			:: else
			fi;
			count_shares();
			if
#ifdef M_FREE
			:: true -> hand_over()
#else
			:: alive == 0 && !LEAVES_DELAY -> hand_over()
			:: alive == 0 && LEAVES_DELAY -> set_lock(COOLDOWN, 0, delay_end)
			:: alive > 0 -> l_end = most
#endif
			fi;
			closed[t] = closed[t] | SHUTS_FREED(closes)
		:: else ->
			verdict(f);
			closed[t] = closed[t] | SHUTS_GONE(closes)
		fi
	fi
}

/* downgrade.lua: what is left of the lease, and the same fence */
inline run_downgrade(t, f, number)
{
	if
	:: l_kind == TOKEN && l_id == t && DOWN_IS(f, number) ->
		most = l_end;
		clear_shares(1);
		set_lock(SHARED, 0, most);
		fence = f; last_share = f;
		assert(fence >= last_alone);
#ifndef M_DOWN_NOERA
		era = f;
#endif
#ifndef M_DOWN_NOROW
		kept = number;
#endif
		s_end[t] = most; s_fence[t] = f; s_serial[t] = number;
		v = OURS
	:: ALIVE(t) && DOWN_DONE(number, t) -> v = OURS
	:: else -> v = (fence == f && l_kind == NOTHING -> GONE : TAKEN)
	fi
}

/* upgrade.lua */
inline run_upgrade(t, f, number, length, last)
{
	count_shares();
	if
	:: l_kind == TOKEN && l_id == t && UP_DONE(number) -> v = OURS
	:: !(l_kind == TOKEN && l_id == t && UP_DONE(number)) && !ALIVE(t) -> verdict(f)
	:: ALIVE(t) && !UPGRADES_IT(t, f) -> v = TAKEN
	:: else ->
		if
		:: UP_PAST(last) -> v = LATE
		:: !UP_PAST(last) && UP_NEWER(number, t) && ONLY_ONE && !UP_DELAYED ->
			assert(last_alone <= f); /* it was ours all the time */
			most = (s_end[t] > now + length -> s_end[t] : now + length);
			clear_share(t);
			k = last_taken; grant(t, most); last_taken = k; k = 0;
			kept = number;
#ifdef M_UP_NOFENCE
			fence--
#endif
		:: else ->
			v = BUSY;
#ifndef M_UP_REFUSED
			s_serial[t] = (UP_NEWER(number, t) -> number : s_serial[t])
#endif
		fi
	fi
}

#ifdef RENEWS
#ifdef M_REPLACE_NOUNTIL
#define REPLACE_PAST(last) false
#else
#define REPLACE_PAST(last) (now > last)
#endif
#ifdef M_REPLACE_NOLOOK
#define REPLACE_CLOSED(t) false
#else
#define REPLACE_CLOSED(t) closed[t]
#endif
/* replace_shared.lua; a lease of 0 keeps what is left */
inline run_replace_shared(old, new, f, length, last)
{
	count_shares();
	if
	:: ALIVE(new) ->
#ifdef M_REPLACE_TWICE
		s_end[new] = (length != 0 -> now + length : s_end[new]);
#endif
		v = OURS
	:: !ALIVE(new) && !ALIVE(old) -> verdict(f)
	:: !ALIVE(new) && ALIVE(old) && (s_fence[old] != f || REPLACE_CLOSED(new)) -> v = TAKEN
	:: !ALIVE(new) && ALIVE(old) && s_fence[old] == f && !REPLACE_CLOSED(new) ->
		if
		:: REPLACE_PAST(last) -> v = LATE
		:: else ->
			check_taken(new);
			s_end[new] = (length != 0 -> now + length : s_end[old]); s_fence[new] = f; s_serial[new] = 0;
			clear_share(old);
			v = OURS
		fi
	fi;
	count_shares();
	l_end = (l_kind == SHARED -> most : l_end)
}
#endif

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

#ifdef BREAK_SHARES
/* break_shared.lua; f: of one share; 0: all. The answer has a bit for each token */
inline run_break_shared(f, last)
{
	v = 0;
	count_shares();
	if
	:: l_kind == SHARED && !BREAK_PAST(last) ->
		was = 0;
		do
		:: k < TOKENS ->
			if
			:: s_end[k] > now && (f == 0 || s_fence[k] == f || k == SPARE) -> v = v | (1 << k); was = (s_fence[k] > was -> s_fence[k] : was)
			:: else
			fi;
			k++
		:: else -> break
		od;
		k = 0;
		if
		:: v != 0 || (alive == 0 && (f == 0 || (DELAYED && fence == f))) ->
			assert(now <= break_until);
			untold = 1; marked = (was > marked -> was : marked);
			fence++; kept = 0; last_share = fence;
			if
			:: f == 0 || alive == 0 -> delay_end = 0; nobody_until = 0
			:: else
			fi;
			if
			:: v == 0 -> v = 1 << SPARE; s_end[SPARE] = l_end; s_fence[SPARE] = fence
			:: else
			fi;
#ifndef M_BREAK_NOERA
			era = (era == 0 -> fence : (era > was -> era : was + 1))
#endif
		:: else
		fi;
		was = 0
	:: else
	fi
}
#endif

inline enter_inside(f, exclusively)
{
	assert((exclusively && f >= used) || (!exclusively && f >= used_alone));
	used = (f > used -> f : used);
	used_alone = (exclusively && f > used_alone -> f : used_alone)
}

#define KEEP(at, a, b, c, d, e, f, g) \
	at.kind = a; at.token = b; at.fence = c; at.serial = d; at.lease = e; at.until = f; at.flag = g

inline put(a, b, c, d, e, f, g)
{
	kind = a; who = b; known = c; number = d; length = e; last = f; flag = g
}

/* A request that is answered. It comes first in its atomic sequence: the server may be busy. */
inline send(a, b, c, d, e, f, g)
{
	go!a, b, c, d, e, f, g;
	done?0
}

/* One that goes unanswered: a copy of it is on its way. */
inline post(a, b, c, d, e, f, g)
{
#if COPIES > 1
	if
	:: copies[0].kind == NONE -> KEEP(copies[0], a, b, c, d, e, f, g)
	:: else -> KEEP(copies[1], a, b, c, d, e, f, g)
	fi
#else
	KEEP(copies[0], a, b, c, d, e, f, g)
#endif
}

#if COPIES > 1
#define ROOM (copies[0].kind == NONE || copies[1].kind == NONE)
#else
#define ROOM (copies[0].kind == NONE)
#endif

inline deliver(n)
{
	put(copies[n].kind, copies[n].token, copies[n].fence, copies[n].serial, copies[n].lease, copies[n].until, copies[n].flag);
	KEEP(copies[n], NONE, 0, 0, 0, 0, 0, 0);
	copied = 1
}

/* The answer does not matter any more. */
#define HEARD v = 0; since = 0; since_alone = 0

/* Somebody's share ends by force, or the lock that it has become. */
inline note_broken(t)
{
	if
	:: t == SHARER -> sharer_until = 0
	:: t == inside -> broken = 1; ended = (was_kind == SHARED && fence_of[t] <= marked)
	:: else
	fi
}

active proctype Server()
{
	byte alive, most, k, was, was_kind, end;
	bit copied;

serve:
	atomic {
		if
		:: go?kind, who, known, number, length, last, flag
		:: copies[0].kind != NONE -> deliver(0)
#if COPIES > 1
		:: copies[1].kind != NONE -> deliver(1)
#endif
		:: sharers < SHARERS && s_end[SHARER] == 0 && l_kind != TOKEN -> put(ENTER, SHARER, 0, 0, SHARER_LEASE, ANY, 0)
		:: ALIVE(SHARER) -> put(LEAVE, SHARER, 0, 0, DELAY, ANY, 0); sharer_until = 0
		:: l_kind == TOKEN && l_id == OTHER -> put(LEAVE, OTHER, 0, 0, DELAY, ANY, 0); other_until = 0
#ifdef DOWN
		:: l_kind == TOKEN && l_id == OTHER -> put(DOWNGRADE, OTHER, fence, 1, 0, ANY, 0); other_until = 0
#endif
		fi;
		since = fence; since_alone = last_alone;
		was = (l_kind == SHARED -> s_end[who] : 0); was_kind = l_kind; end = l_end;
		if
		:: kind == ACQUIRE -> run_acquire(who, length, last)
		:: kind == ENTER -> run_enter(who, length, last, known)
#if EXTENDS > 0
		:: kind == EXTEND || kind == LENGTHEN -> run_extend(who, known, number, length, flag, last)
		:: kind == EXTEND_SHARED || kind == LENGTHEN_SHARED -> run_extend_shared(who, known, number, length, flag, last)
#endif
		:: kind == LEAVE || kind == LEAVE_BROKEN -> run_leave(who, known, length, flag, last)
#if CHANGES > 0 || defined(DOWN)
		:: kind == DOWNGRADE -> run_downgrade(who, known, number)
#endif
#if CHANGES > 0
		:: kind == UPGRADE -> run_upgrade(who, known, number, length, last)
#endif
#ifdef RENEWS
		:: kind == REPLACE_SHARED -> run_replace_shared(who, number, known, length, last)
#endif
#ifdef RIDE
		:: kind == CLAIM -> run_claim(who, known, length)
#endif
#ifdef BREAK_SHARES
		:: kind == BREAK_SHARED -> run_break_shared(known, last)
#endif
		fi;
		alive = 0; most = 0;
#ifdef BREAK_SHARES
		if
		:: kind == LEAVE_BROKEN && v == OURS -> assert(now <= break_until); note_broken(who)
		:: else
		fi;
#endif
		if
		:: copied ->
#ifdef RENEWS
			assert(kind != REPLACE_SHARED || number != token || (was_kind == l_kind && end == l_end)); /* it was answered */
#endif
			/* What was answered, or sent before that, changes nothing; nor does a second enter of a share that is there. */
			assert(number == 0 || who != token || number > settled ||
				(was_kind == l_kind && end == l_end && (was == 0 || was == s_end[who])));
			assert(kind != ENTER || was == 0 || was == s_end[who]);
			retaken = retaken || (v == OURS && who == token && fence_of[token] != 0 && (kind == ENTER || kind == ACQUIRE) && fence != since)
		:: else
		fi;
		if
		:: v == GONE && flag && who == token && kind != LEAVE -> broken = 0 /* it was set anew */
		:: else
		fi;
		if
		:: who == SHARER && kind == ENTER && v == OURS ->
			sharers++; enter_inside(fence, 0); sharer_until = now + SHARER_LEASE
		:: else
		fi;
		was = 0; was_kind = 0; end = 0;
		if
		:: copied || who == SHARER || who == OTHER ->
			copied = 0; HEARD; put(NONE, 0, 0, 0, 0, 0, 0); goto serve
		:: else -> put(NONE, 0, 0, 0, 0, 0, 0); done!0; goto serve
		fi
	}
}

/* ---------------------------------------------------------------- the holder */

/* Until there is an answer, the lease may have been made as short as this. */
inline bound(end)
{
#ifndef M_NOBOUND
	safe = (end < safe -> end : safe)
#else
	skip
#endif
}

/* Nothing of the call that has ended matters any more. */
#define FORGET t0 = 0; lease = 0; until = 0; asked = 0; anew = 0; HEARD

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

inline go_out()
{
	inside = 0; safe = 0
}

/* Whether the answer is true, for one that had a share or had the lock alone. */
inline check_answer(share)
{
	assert(!ended || v == TAKEN || v == LATE);
	assert((v != OURS && v != GONE) || (share -> since_alone : since) <= fence_of[token]);
	assert(v != OURS || !broken);
	assert(v != TAKEN || anew || (share -> since_alone : since) > fence_of[token] || broken || untold || retaken)
}

#ifdef RENEWS
#define ANEW 0 /* a detached lock is never set anew */
#else
#define ANEW (now >= safe)
#endif
#define EXTENDING (EXTEND + shared + longer * (LENGTHEN - EXTEND))

active proctype Holder()
{
	byte t0;            /* when the call's first request was sent */
	byte lease, until, serial, changes, pass, asked, delay;
	bit alone, anew, longer;

	do
	:: token < GRANTS ->
		atomic {
			token++; settled = 0; serial = 0; changes = 0; open = 0; broken = 0; ended = 0; retaken = 0;
			if
			:: alone = 0
			:: alone = 1
			fi;
			choose_lease()
		};
ask:
		atomic { until = DEADLINE; t0 = now };
asking:
		if
		:: atomic { ROOM -> post((alone -> ACQUIRE : ENTER), token, pass, 0, lease, until, 0); open = 1 };
			if
#ifdef M_LAST_SENDING
			:: t0 = now; goto asking
#else
			:: goto asking
#endif
			:: goto leave
			fi
		:: atomic {
				send((alone -> ACQUIRE : ENTER), token, pass, 0, lease, until, 0);
				pass = 0;
				if
				:: v == OURS && alone -> go_in(1, fence, t0 + lease)
				:: v == OURS && !alone -> go_in(0, s_fence[token], t0 + lease)
				:: else
				fi
			}
		fi;
		if
		:: atomic { inside != 0 -> FORGET }
#ifdef M_SAMETOKEN
		:: atomic { inside == 0 && v == BUSY && now < MAXT -> HEARD }; goto ask
#else
		:: atomic { inside == 0 && v == BUSY && now < MAXT && !open -> HEARD }; goto ask
#endif
#ifdef RIDE
		:: atomic { inside == 0 && v == BUSY && !open -> parked = 1; asked = t0; HEARD }; goto park
#endif
		:: atomic { inside == 0 -> FORGET }; goto leave
		fi;

critical:
		if
#ifdef DIE
		:: atomic { dead_until = DEADLINE }; goto end
#endif
		:: goto leave
		:: atomic { shared && ALIVE(token) && s_fence[token] == fence_of[token] -> assert(last_alone <= fence_of[token] && !broken) };
			goto leave
#if EXTENDS > 0
		:: atomic {
				serial < EXTENDS + changes -> serial++; t0 = now; until = DEADLINE; anew = ANEW;
#ifdef LONGER
				if
				:: longer = !anew
				:: skip
				fi;
#endif
				choose_lease()
			};
			goto extend
#endif
#ifdef RENEWS
		:: atomic {
				shared && !open && token < GRANTS -> t0 = now; until = DEADLINE;
				if
				:: lease = 0
				:: choose_lease()
				fi
			};
			goto renew
#endif
#if CHANGES > 0
		:: atomic { changes < CHANGES -> changes++; serial++; t0 = now; until = DEADLINE; changing = 1; choose_lease() };
			if
			:: shared -> goto upgrade
			:: atomic { !shared -> shared = 1; lease = 0 }; goto downgrade /* from here on it relies on a share alone */
			fi
#endif
		fi;

#if EXTENDS > 0
extend:
		if
		:: atomic { ROOM ->
				bound(t0 + lease); open = open || anew;
				post(EXTENDING, token, fence_of[token], serial, lease, until, anew)
			};
			if
			:: goto extend
			:: atomic { longer = 0; FORGET }; goto critical
			fi
		:: atomic {
				send(EXTENDING, token, fence_of[token], serial, lease, until, anew);
				check_answer(shared);
				if
				:: v == OURS || (v == GONE && anew) ->
					safe = (longer && safe > t0 + lease -> safe : t0 + lease); settled = serial
				:: else -> go_out()
				fi;
				longer = 0; FORGET
			}
		fi;
		if
		:: inside != 0 -> goto critical
		:: else -> goto leave
		fi;
#endif

#if CHANGES > 0
downgrade:
		if
		:: atomic { ROOM -> post(DOWNGRADE, token, fence_of[token], serial, 0, 0, 0) };
			if
			:: goto downgrade
			:: goto given_up
			fi
		:: atomic {
				send(DOWNGRADE, token, fence_of[token], serial, 0, 0, 0);
				if
				:: v == OURS -> assert(last_taken <= fence_of[token]); settled = serial
				:: else -> check_answer(0); go_out(); fence_of[token] = 0 /* nobody hears what comes of the leave */
				fi;
				changing = 0; FORGET
			}
		fi;
		if
		:: inside != 0 -> goto critical
		:: else -> goto leave
		fi;

upgrade:
		if
		:: atomic { ROOM -> post(UPGRADE, token, fence_of[token], serial, lease, until, 0) };
			if
			:: goto upgrade
			:: goto given_up
			fi
		:: atomic {
				send(UPGRADE, token, fence_of[token], serial, lease, until, 0);
				changing = 0;
				if
				:: v == OURS -> assert(last_taken <= fence_of[token]); settled = serial; lease = t0 + l_end - now; lease = (lease > safe -> lease : safe); go_in(1, fence, lease)
				:: v == BUSY -> settled = serial
				:: v == GONE || v == TAKEN -> check_answer(1); go_out()
				:: v == LATE -> go_out(); fence_of[token] = 0
				fi;
				FORGET
			}
		fi;
		if
		:: inside != 0 -> goto critical
		:: else -> goto leave
		fi;

given_up:
		/* It is not known what the grant is: it ends. No copy of a change takes what is not there, so nothing is to be closed. */
		atomic { fence_of[token] = 0 };
		goto leave;
#endif

#ifdef RENEWS
renew:
		if
		:: atomic { ROOM -> safe = (lease != 0 && t0 + lease < safe -> t0 + lease : safe); post(REPLACE_SHARED, token, fence_of[token], token + 1, lease, until, 0); asked = 1 };
			if
#ifdef DIE
			:: atomic { dead_until = DEADLINE }; goto end
#endif
			:: goto renew
			:: atomic { /* it is given up, and the new token is closed */
					go_out();
					send(LEAVE, token + 1, 0, 0, 0, ANY, 1); HEARD; over[token + 1] = 1
				};
				atomic { FORGET; fence_of[token] = 0 };
				goto leave
			fi
		:: atomic {
				send(REPLACE_SHARED, token, fence_of[token], token + 1, lease, until, 0);
				check_answer(1);
				if
				:: v == OURS ->
					over[token] = 1; open = asked; token++; settled = 0; serial = 0;
					fence_of[token] = fence_of[token - 1]; inside = token;
					safe = (lease != 0 -> t0 + lease : safe)
				:: else -> go_out()
				fi;
				FORGET
			};
			if
			:: inside != 0 -> goto critical
			:: else -> goto leave
			fi
		fi;
#endif

#ifdef RIDE
park:
		if
		:: atomic { baton != 0 && alone -> pass = baton; parked = 0; go_in(1, pass, asked + WINDOW); t0 = now; lease = SHORT };
claim:
			if
			:: atomic { ROOM -> post(CLAIM, token, pass, 0, lease, 0, 0); bound(t0 + lease); open = 1 }; goto claim
			:: atomic {
					send(CLAIM, token, pass, 0, lease, 0, 0);
					if
					:: v == OURS -> safe = t0 + lease
					:: else -> go_out()
					fi;
					pass = 0; FORGET
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
		atomic {
			go_out(); changing = 0; parked = 0; pass = 0; FORGET;
			if
			:: delay = DELAY
			:: delay = 0
			fi
		};
leaving:
		if
#ifdef DIE
		:: atomic { dead_until = DEADLINE }; goto end
#endif
		:: atomic { ROOM -> post(LEAVE, token, fence_of[token], 0, delay, ANY, open) }; goto leaving
		:: atomic {
				send(LEAVE, token, fence_of[token], 0, delay, ANY, open);
				if
				:: fence_of[token] != 0 -> check_answer(shared)
				:: else
				fi;
				delay = 0; FORGET; over[token] = 1;
				shared = 0; alone = 0; serial = 0; settled = 0; changes = 0;
				assert(!ALIVE(token))
			}
		fi
	:: else -> break
	od;
end:
	skip
}

/* ---------------------------------------------------------------- what must always be true */

#define OWNERS  (!(ALONE_IN && OTHER_IN) && !(ALONE_IN && SHARER_IN) && !(SHARE_IN && OTHER_IN) && !(OTHER_IN && SHARER_IN))
#define LIMITED (LIMIT == 0 || SHARE_IN + SHARER_IN <= LIMIT)
#define HAS_LOCK (!ALONE_IN || (l_kind == TOKEN && l_id == inside && l_end >= safe && fence == fence_of[inside]) || baton != 0)
#ifdef RENEWS
#define RENEWED (inside < GRANTS && s_end[inside + 1] >= safe) /* and it has not heard of it yet */
#else
#define RENEWED false
#endif
#define HAS_SHARE (!SHARE_IN || wiped || (l_end >= safe && \
	((l_kind == SHARED && (s_end[inside] >= safe || RENEWED)) || (changing && l_id == inside))))
#define FOR_SOMEBODY (l_kind != TOKEN || !over[l_id])

active proctype Watch()
{
	if
	:: !OWNERS -> assert(OWNERS)
	:: !LIMITED -> assert(LIMITED)
	:: !HAS_LOCK -> assert(HAS_LOCK)
	:: !HAS_SHARE -> assert(HAS_SHARE)
	:: !FOR_SOMEBODY -> assert(FOR_SOMEBODY)
	fi
}

/* ---------------------------------------------------------------- the others */

#ifdef BREAK_SHARES
active proctype Breaker()
{
	byte seen, found, t;
	bit tried;

	atomic {
		l_kind == SHARED -> break_until = DEADLINE;
		if
		:: ALIVE(1) -> seen = s_fence[1]
		:: ALIVE(SHARER) -> seen = s_fence[SHARER]
		:: DELAYED -> seen = fence
		:: seen = 0
		fi
	};
marking:
	if
	:: atomic { ROOM && !tried -> tried = 1; post(BREAK_SHARED, SPARE, seen, 0, 0, break_until, 0) };
		if
		:: goto marking
		:: goto end
		fi
	:: atomic { send(BREAK_SHARED, SPARE, seen, 0, 0, break_until, 0); found = v; HEARD; seen = 0; tried = 0 }
	fi;
	do
	:: t < TOKENS && (found & (1 << t)) == 0 -> t++
	:: t < TOKENS && (found & (1 << t)) != 0 ->
ending:
		if
		:: atomic { ROOM -> post(LEAVE_BROKEN, t, 0, 0, 0, break_until, 1) };
			if
			:: goto ending
			:: goto end
			fi
		:: atomic { send(LEAVE_BROKEN, t, 0, 0, 0, break_until, 1); HEARD; t++ }
		fi
	:: else -> break
	od;
end:
	atomic { seen = 0; found = 0; t = 0; tried = 0 }
}
#endif

/* ---------------------------------------------------------------- time, and what goes wrong */

/* Whoever is inside works on until it looks. */
inline break_all()
{
	set_lock(NOTHING, 0, 0);
	broken = (inside != 0);
	other_until = 0; sharer_until = 0; nobody_until = 0
}

active proctype World()
{
	byte v_, k, alive, most;
	bit did;

	do
	:: atomic {
			token > 0 && now < MAXT -> now++;
			if
			:: l_kind != NOTHING && now >= l_end -> set_lock(NOTHING, 0, 0)
			:: else
			fi;
			count_shares(); alive = 0; most = 0;
			delay_end = (DELAYED -> delay_end : 0);
			nobody_until = (nobody_until > now -> nobody_until : 0);
			other_until = (OTHER_IN -> other_until : 0);
			sharer_until = (SHARER_IN -> sharer_until : 0)
		}
	:: atomic { l_kind == NOTHING && others < OTHERS ->
			others++; grant(OTHER, now + SHORT); v = 0; enter_inside(fence, 1); other_until = now + SHORT
		}
#ifdef CROWD
	:: atomic { !did && l_kind == NOTHING -> did = 1; era = (last_share == fence -> era : fence + 1); fence++; kept = 0; last_share = fence;
			set_lock(SHARED, 0, MAXT + 1); s_end[SPARE] = MAXT + 1; s_fence[SPARE] = fence
		}
#endif
#ifdef FDEL
	:: atomic { !did && l_kind != NOTHING -> did = 1; break_all() }
#endif
#ifdef BREAK
	:: atomic { !did && l_kind != NOTHING -> did = 1; fence++; kept = 0; last_alone = fence; last_taken = fence; break_all() }
#endif
#ifdef EVICT
	:: atomic { !did && l_kind == SHARED ->
			did = 1; clear_shares(1); era = 0; last_share = 0; wiped = 1; untold = 1; nobody_until = 0
		}
#endif
	:: now == MAXT -> break
	od
}
