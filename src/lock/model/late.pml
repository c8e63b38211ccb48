/*
 * Requests that arrive late.
 *
 * A client that gets no answer gives up the connection and goes on elsewhere, but what it wrote may
 * reach the server at any later time: after requests that were sent later, and were answered. Here every
 * request can be such a copy. Up to COPIES of them are on their way at one time; each runs once, at any
 * time, or never. Each script is one atomic step. A tick may pass between any two steps. Every token that was
 * closed is remembered; the server remembers the last 64.
 *
 *   holder   takes the lock GRANTS times, each time under a new token and for SHORT or LONG; prolongs it
 *            up to EXTENDS times for SHORT or LONG, before its deadline or after it (`again`: L is set anew
 *            where it is gone and nobody took it); looks; gives it back. Each request is sent until it is
 *            answered, or is given up; a lease counts from the first sending. With the answer to a release it is
 *            through with its token; where that was sent with L alone, which closes nothing, only with another one
 *   others   take what is free, OTHERS times, and rely on it until its very end
 *   breaker  (BREAK) looks who has the lock, and breaks that grant. Whoever had it works on until it looks
 *   adopter  (ADOPT) takes over the holder's token by its own: one that the holder has handed over, or one
 *            that the holder uses. Of the latter the holder hears what came of it, and asks the server
 *            before it goes on
 *
 * What is asserted:
 *   - no two clients are inside at one time; they enter in the order of rising fences;
 *   - the verdicts are true (1 and 2: nobody was granted the lock since; 3: somebody was);
 *   - as long as a client relies on the lock, L holds its token, and for that long, under its fence. So nothing that
 *     has been answered is shortened, set anew or moved;
 *   - a copy of what has been answered, or was sent before that, changes nothing;
 *   - once a client is through with a token, L never holds it again: nothing is taken for nobody.
 * With ONLY_OWNERS only that no two are inside, to see which mutation leads to two owners; with NO_VERDICTS all but
 * the verdicts.
 *
 * What can go wrong besides (-D):
 *   DIE      the holder vanishes while it has the lock or hands it over, and the adopter before it gives back what it may have;
 *            then nothing may be taken for them beyond their calls' deadlines, nor from anybody
 *   ADOPT    see above
 *   BACK     the server's clock steps back by a tick, once, while the clients' own clock goes on: leases end later for them,
 *            and what has an `until` may run later than they reckon with
 *   FORWARD  it steps forward by STEP ticks, once: a lease that began before may end by as much sooner than its client
 *            reckons with, and nobody is said to be alone in that time
 *   CLAIM    what was asked for in vain comes by a baton, which is claimed, for the lease that was asked for. The sendings of
 *            the ask and of the claim may come late, each
 *   LEAVES   a release may have a delay, or pass a baton on; with BREAK, the one that breaks may see the cooldown or the baton
 *   LEASES   (with ADOPT) a lock is handed over and adopted for SHORT or LONG, or for what is left, and the adopter
 *            prolongs it once
 *   BREAK    see above
 *   WAITS    the holder asks again, with the same token, when it was told that the lock is taken
 *   FOREIGN  the others are foreign clients, which raise no fence
 *   MOVES    the slot of a cluster moves, once, and L and the fence are apart meanwhile: what takes is refused; extend
 *            and release go with L alone, where an extend only lengthens, no serial can be kept, nothing is closed, and
 *            no fence is compared
 *
 * Mutations, each of which must be found (run.sh):
 *   M_NOSERIAL        an extend sets the lease that it was sent with, whenever it runs
 *   M_LENGTHEN        an extend that was overtaken lengthens
 *   M_EQUAL_SETS      an extend that comes twice sets its lease
 *   M_EQUAL_LENGTHENS ... or lengthens
 *   M_LAST_SENDING    a lease counts from the last sending
 *   M_NOBOUND         an extend without an answer leaves `safe` as it was
 *   M_EXTEND_TOKEN    an extend believes the token in L, whatever the fence is
 *   M_LOOK_TOKEN      ... a look does
 *   M_RELEASE_TOKEN   ... a release that closes does
 *   M_REPLACE_TOKEN   (with ADOPT) ... a replace does
 *   M_AGAIN           `again` sets L anew whatever its serial is
 *   M_AGAIN_NOUNTIL   (with DIE) `again` has no `until`
 *   M_NOCLOSE_ACQUIRE a release does not close its token where an acquire was not answered
 *   M_NOCLOSE_AGAIN   ... where an `again` was sent
 *   M_NOCLOSE_FREED   ... where it frees the lock
 *   M_NOCLOSE_GONE    ... where L is gone
 *   M_NOCLOSE_OTHERS  ... where another has the lock
 *   M_NOLOOK          acquire does not look whether its token has been closed
 *   M_NOLOOK_AGAIN    ... `again` does not
 *   M_NOLOOK_REPLACE  (with ADOPT) ... replace does not look at its new one
 *   M_FORGET          (with GRANTS=2) only the last token that was closed is remembered
 *   M_LOST            the holder sends no release where an extend has found L gone
 *   M_HANDED_NOUNDO   (with ADOPT) ... where the lock was handed over
 *   M_ADOPT_ANSWERED  (with ADOPT) the adopter's release does not close after a replace of which one sending was answered
 *   M_NOUNTIL         (with DIE) acquire has no `until`
 *   M_CLOSE_EARLY     (with BACK) a release closes its token only until the `until` of what was not answered, by its own clock
 *   M_STEP            (with FORWARD) a lease ends by no more than a tick sooner, however far the clock steps
 *   M_LEAVES_TWICE    (with LEAVES) a release that comes twice begins its delay, or its baton's window, again
 *   M_CLAIM_TWICE     (with CLAIM) a claim that comes twice lengthens
 *   M_CLAIM_TWICE_SETS (with CLAIM) ... sets its lease
 *   M_CLAIM_NOLOOK    (with CLAIM) ... does not look whether its token has been closed
 *   M_CLAIM_SAMETOKEN (with CLAIM) a baton is claimed under the token of an ask of which one sending was not answered
 *   M_CLAIM_FREE      (with CLAIM) ... takes what is free
 *   M_REPLACE_NOUNTIL (with DIE, ADOPT) replace has none
 *   M_REPLACE_TWICE   (with LEASES) a replace that comes twice lengthens, whatever was extended since
 *   M_REPLACE_TWICE_SETS (with LEASES) ... sets its lease
 *   M_REPLACE_LAST    (with LEASES) a lease that a replace begins counts from the last sending
 *   M_NOUNDO          (with MOVES) a release with L alone is not repeated
 *   M_EARLY_UNDO      (with MOVES) ... no longer than to the call's deadline by its own clock, which the server's may be
 *                     behind
 *   M_AGAIN_UNDO      (with MOVES) ... no longer than to the `until` of the acquire, although an `again` has a later one
 *   M_TWICE           an acquire that comes twice lengthens, whatever was extended since
 *   M_TWICE_SETS      an acquire that comes twice sets its lease
 *   M_ALONE_SETTLES   (with MOVES) an extend with L alone counts in full, although one before it went unanswered
 *   M_ALONE_LOST      (with MOVES) ... although its own first sending, with both keys, went unanswered
 *   M_ALONE_BELIEVE   (with MOVES) past its deadline the holder believes that L, alone, with its token is its grant's,
 *                     although a copy of its acquire may have taken it anew
 *   M_SAMETOKEN       (with WAITS) the holder asks again with the same token also if one sending was not answered
 *   M_BREAK_ANY       (with BREAK) a break frees whatever is there
 *   M_BREAK_NOUNTIL   (with BREAK) ... has no `until`
 *   M_BREAK_NOBUMP    (with BREAK) ... does not raise the fence
 *   M_NOCOUNT         (with ADOPT) replace does not count adoptions
 *   M_NOCOUNT_HANDED  (with ADOPT) it counts them only where a lock is adopted, not where it is handed over
 */
#ifndef GRANTS
#define GRANTS 1
#endif
#ifndef EXTENDS
#define EXTENDS 2
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef COPIES
#define COPIES 2
#endif
#ifndef MAXT
#define MAXT 6
#endif
#ifndef SHORT
#define SHORT 1
#endif
#ifndef LONG
#define LONG 3
#endif
#ifndef CALL
#define CALL 1  /* a call's deadline, from its beginning */
#endif
#ifndef STEP
#define STEP 1
#endif
#ifndef AHEAD
#define AHEAD 1 /* by how much the upper estimate of the server's clock is ahead of it */
#endif

/* What L may hold: the holder's tokens, 1 to GRANTS, and these. */
#define HANDED  (GRANTS + 1) /* handed over by the holder, nobody's yet */
#define ADOPTED (GRANTS + 2) /* the adopter's */
#define OTHER   (GRANTS + 3)
#define BATON   (GRANTS + 4) /* on its way to the holder; its fence is that of the server */
#ifdef LEAVES
#define COOLDOWN (GRANTS + 5)
#define PASSED  (GRANTS + 6) /* a baton, on its way to one of the others */
#define TOKENS  (GRANTS + 7)
#define DELAY   1
#else
#define DELAY   0
#define TOKENS  (GRANTS + 5)
#endif
#define WINDOW  2

/* Requests. */
#define NONE    0
#define ACQUIRE 1
#define EXTEND  2
#define RELEASE 3
#define REPLACE 4
#define BREAK_  5
#define CLAIM_  6

/* Answers. */
#define BUSY    0
#define OURS    1
#define GONE    2
#define TAKEN   3
#define UNKNOWN 4
#define LATE    9

typedef request {
	byte kind, token;
	byte serial;  /* an extend's own; of a replace, the new token */
	byte lease, until;
	bit again;    /* an extend may set L anew; a release closes its token; a replace compares the fence */
	bit alone     /* it goes with L alone */
};

byte now = 0; /* the server's clock */

/* The clients' own clock, and by how much sooner than it says a lease may be over that began before the server's stepped. */
#if defined(BACK) || defined(FORWARD)
byte mine = 0;
bit stepped = 0;
#define MINE mine
#else
#define MINE now
#endif
#ifdef FORWARD
byte short_by = 0, stepped_at = 0;
#ifdef M_STEP
#define SHORT_BY 1
#else
#define SHORT_BY STEP
#endif
#define SOONER short_by
#define WHOLE  short_by = (t0 > stepped_at -> 0 : short_by) /* a sending may have begun the lease before that */
#else
#define SOONER 0
#define WHOLE  skip
#endif

/* The server's keys: L (0: it is gone), and the fence with what is kept with it. */
byte l_id = 0, l_end = 0;
byte fence = 0, adoptions = 0, kept = 0;
bit closed[TOKENS];
#ifdef LEAVES
byte left_by = 0; /* whose release has left the cooldown or the baton */
#endif

#ifdef MOVES
bit moving = 0, moved = 0; /* the fence is elsewhere; it has been */
#else
#define moving       false
#endif

request copies[COPIES];

/* What the clients know. */
byte fence_of[TOKENS], adoptions_of[TOKENS];
byte inside = 0, safe = 0;          /* the holder: its token, and until when it relies on it */
byte token = 0;                     /* the holder's present one */
byte other_until = 0;
#ifdef ADOPT
byte adopter_until = 0;
byte offered = 0;                   /* the token that the adopter may replace */
byte outcome = 0;                   /* what came of it */
#ifdef LEASES
bit adopter_settled = 0;            /* its prolongation has been answered */
#endif
#endif

/* Ghosts: only the assertions see them. */
byte used = 0;                      /* the highest fence entered with */
byte settled = 0;                   /* the highest serial of the holder's present grant that has been answered */
byte others = 0;
#ifdef DIE
byte dead_until = 0;                /* the holder is dead, and none of its calls goes on for longer */
byte adopter_dead_until = 0;        /* ... the adopter is */
#endif
bit over[TOKENS];                   /* its client is through with it */
#ifdef BREAK
byte broken[TOKENS];                /* the fence of the grant that was broken; 0: none */
byte break_until = 255;             /* then the one that breaks has given up, by the latest estimate */
#define BROKEN(t)    (broken[t] != 0 && broken[t] == fence_of[t])
#else
#define BROKEN(t)    false
#endif

#define LIVE         (l_id != 0)
#define HOLDER_IN    (inside != 0 && MINE + SOONER < safe && !BROKEN(inside))
#define OTHER_IN     (MINE < other_until)
#ifdef ADOPT
#define ADOPTER_IN   (MINE < adopter_until && !BROKEN(ADOPTED))
#else
#define ADOPTER_IN   false
#endif
#define FENCE_IS(t)  (fence == fence_of[t] && adoptions == adoptions_of[t])
#define DEADLINE     (MINE + CALL + AHEAD) /* of a call that begins now, by the latest estimate of the server's clock */

/* An extend with L alone has overtaken nothing. */
#ifdef M_ALONE_SETTLES
#define STILL_BOUND  false
#else
#define STILL_BOUND  (alone && before)
#endif

/* ... nor can it compare the fence: past the deadline a late copy of the acquire may have taken L anew. */
#ifdef M_ALONE_BELIEVE
#define MAYBE_COPY   false
#else
#define MAYBE_COPY   (alone && open && MINE >= safe && safe <= until)
#endif

#ifdef M_LOOK_TOKEN
#define LOOK_SAYS(t) true
#else
#define LOOK_SAYS(t) FENCE_IS(t)
#endif

/* A lease counts from the first sending. */
#ifdef M_LAST_SENDING
#define SENT_ANEW    t0 = MINE
#else
#define SENT_ANEW    skip
#endif

/* A foreign client raises no fence. */
#ifdef FOREIGN
#define FOREIGN_HAD  (others > 0)
#else
#define FOREIGN_HAD  false
#endif

#ifdef M_NOUNTIL
#define PAST(last)   moving
#else
#define PAST(last)   (moving || now > last)
#endif

#ifdef M_REPLACE_NOUNTIL
#define REPLACE_PAST(last) moving
#else
#define REPLACE_PAST(last) (moving || now > last)
#endif

inline set_lock(t, end)
{
	l_id = t; l_end = end
}

inline clear_lock()
{
	l_id = 0; l_end = 0
}

/* Another ask of the same wait. */
#define ASK_AGAIN    last = DEADLINE; until = last; t0 = MINE; lease = LONG

#if defined(ONLY_OWNERS) || defined(NO_VERDICTS)
#define VERDICT(is_true) true
#else
#define VERDICT(is_true) assert(is_true)
#endif

/* What must be true after each step. */
inline check()
{
	assert(!(HOLDER_IN && OTHER_IN) && !(HOLDER_IN && ADOPTER_IN) && !(ADOPTER_IN && OTHER_IN));
#ifndef ONLY_OWNERS
	assert(!HOLDER_IN || (l_id == inside && l_end - now + SOONER >= safe - MINE && FENCE_IS(inside)));
	assert(!OTHER_IN || (l_id == OTHER && l_end - now >= other_until - MINE));
#ifdef ADOPT
	assert(!ADOPTER_IN || (l_id == ADOPTED && l_end - now >= adopter_until - MINE && FENCE_IS(ADOPTED)));
#endif
	assert(!over[l_id])
#endif
}

inline enter(f)
{
	VERDICT(f >= used);
	used = f
}

inline grant(t, end)
{
	fence++; adoptions = 0; kept = 0;
	set_lock(t, end)
}

/* acquire.lua */
inline run_acquire(t, length, last)
{
	if
	:: PAST(last) -> v = LATE
#ifdef M_NOLOOK
	:: !PAST(last) && !LIVE -> grant(t, now + length); v = OURS
#else
	:: !PAST(last) && !LIVE && !closed[t] -> grant(t, now + length); v = OURS
	:: !PAST(last) && !LIVE && closed[t] -> v = LATE
#endif
	:: !PAST(last) && l_id == t ->
		if
#if defined(M_TWICE_SETS)
		:: true -> l_end = now + length
#elif defined(M_TWICE)
		:: l_end < now + length -> l_end = now + length
#endif
		:: else
		fi;
		v = OURS
	:: else -> v = BUSY
	fi
}

#ifdef M_NOLOOK_AGAIN
#define CLOSED_TO_AGAIN(t) false
#else
#define CLOSED_TO_AGAIN(t) closed[t]
#endif

/* extend.lua. Under another fence L was taken by a late copy of the acquire. */
inline run_extend(t, number, length, anew, last, single)
{
	if
	:: single && l_id == t ->
		if
		:: l_end < now + length -> l_end = now + length
		:: else
		fi;
		v = OURS
	:: single && l_id != t -> v = UNKNOWN
#ifndef M_EXTEND_TOKEN
	:: !single && l_id == t && !FENCE_IS(t) -> v = TAKEN
	:: !single && l_id == t && FENCE_IS(t) ->
#else
	:: !single && l_id == t && !FENCE_IS(t) ->
		if
		:: l_end < now + length -> l_end = now + length
		:: else
		fi;
		v = OURS
	:: !single && l_id == t && FENCE_IS(t) ->
#endif
		if
#if defined(M_NOSERIAL)
		:: true -> l_end = now + length; kept = number
#elif defined(M_EQUAL_SETS)
		:: number >= kept -> l_end = now + length; kept = number
#else
		:: number > kept -> l_end = now + length; kept = number
#endif
#ifdef M_LENGTHEN
		:: number < kept && l_end < now + length -> l_end = now + length
#endif
#ifdef M_EQUAL_LENGTHENS
		:: number == kept && l_end < now + length -> l_end = now + length
#endif
		:: else
		fi;
		v = OURS
	:: !single && !LIVE && FENCE_IS(t) ->
		if
		:: !anew -> v = GONE
#ifdef M_AGAIN
		:: anew -> set_lock(t, now + length); kept = number; v = GONE
#else
		:: anew && (number <= kept || CLOSED_TO_AGAIN(t)) -> v = TAKEN
#ifdef M_AGAIN_NOUNTIL
		:: anew && number > kept && !CLOSED_TO_AGAIN(t) -> set_lock(t, now + length); kept = number; v = GONE
#else
		:: anew && number > kept && !CLOSED_TO_AGAIN(t) && !PAST(last) -> set_lock(t, now + length); kept = number; v = GONE
		:: anew && number > kept && !CLOSED_TO_AGAIN(t) && PAST(last) -> v = LATE
#endif
#endif
		fi
	:: else -> v = TAKEN
	fi
}

/* What was sent for this token and is still on its way shall not take the lock any more. */
inline close(t)
{
	if
	:: !moving ->
#ifdef M_FORGET
		closed[1] = 0; closed[2] = 0; closed[3] = 0; closed[4] = 0;
#endif
		closed[t] = 1
	:: else
	fi
}

#ifdef LEAVES
#define LEFT_BY(t) ((l_id == COOLDOWN || l_id == PASSED) && left_by == t)
/* A baton that one of the others claims, or nobody. */
inline pass_on()
{
	fence++; adoptions = 0; kept = 0;
	set_lock(PASSED, now + WINDOW)
}
#else
#define LEFT_BY(t) false
#endif

/* release.lua */
inline run_release(t, closes, delay)
{
	if
	:: l_id == t ->
#ifdef M_RELEASE_TOKEN
		v = OURS;
#else
		if
		:: closes && !moving && fence_of[t] != 0 && !FENCE_IS(t) -> v = TAKEN
		:: else -> v = OURS
		fi;
#endif
		if
#ifdef LEAVES
		:: v == OURS && delay != 0 -> left_by = t; set_lock(COOLDOWN, now + delay)
		:: v == OURS && delay == 0 && !moving -> left_by = t; pass_on()
		:: v != OURS || delay == 0 -> clear_lock()
#else
		:: clear_lock()
#endif
		fi;
#ifndef M_NOCLOSE_FREED
		if
		:: closes -> close(t)
		:: else
		fi
#endif
#ifdef LEAVES
	:: (l_id == COOLDOWN || l_id == PASSED) && left_by == t -> /* it has come twice */
#ifdef M_LEAVES_TWICE
		l_end = now + (l_id == PASSED -> WINDOW : delay);
#endif
		v = OURS
#endif
	:: !LIVE && moving -> v = UNKNOWN
	:: !LIVE && !moving ->
		if
		:: FENCE_IS(t) -> v = GONE
		:: else -> v = TAKEN
		fi;
#ifndef M_NOCLOSE_GONE
		if
		:: closes -> close(t)
		:: else
		fi
#endif
	:: LIVE && l_id != t && !LEFT_BY(t) ->
		if
		:: moving -> v = UNKNOWN
		:: else -> v = TAKEN
		fi;
#ifndef M_NOCLOSE_OTHERS
		if
		:: closes -> close(t)
		:: else
		fi
#endif
	fi
}

#ifdef ADOPT
#ifdef M_NOLOOK_REPLACE
#define CLOSED_TO_REPLACE(t) false
#else
#define CLOSED_TO_REPLACE(t) closed[t]
#endif
#ifdef M_REPLACE_TOKEN
#define IS_FORMER(t, compares) true
#else
#define IS_FORMER(t, compares) (!compares || FENCE_IS(t))
#endif

/* replace.lua; a lease of 0 keeps what is left; who does not know the fence cannot compare it */
inline run_replace(t, new, length, last, compares)
{
	if
	:: REPLACE_PAST(last) -> v = LATE
	:: !REPLACE_PAST(last) && l_id == t && IS_FORMER(t, compares) && !CLOSED_TO_REPLACE(new) ->
		if
		:: length != 0 -> l_end = now + length
		:: else
		fi;
		l_id = new; kept = 0;
#if defined(M_NOCOUNT_HANDED)
		adoptions = adoptions + (new == ADOPTED);
#elif !defined(M_NOCOUNT)
		adoptions++;
#endif
		v = OURS
	:: !REPLACE_PAST(last) && l_id == new ->
		if
#if defined(M_REPLACE_TWICE_SETS)
		:: length != 0 -> l_end = now + length
#elif defined(M_REPLACE_TWICE)
		:: length != 0 && l_end < now + length -> l_end = now + length
#endif
		:: else
		fi;
		v = OURS
	:: else -> v = TAKEN
	fi
}
#endif

#ifdef CLAIM
/* Whoever has asked in vain goes on under another token if one sending was not answered. */
#ifdef M_CLAIM_SAMETOKEN
#define MAY_CLAIM true
#else
#define MAY_CLAIM !open
#endif
#ifdef M_CLAIM_NOLOOK
#define CLOSED_TO_CLAIM(t) false
#else
#define CLOSED_TO_CLAIM(t) closed[t]
#endif
/* claim.lua; number: the baton's fence. It has no `until`: it takes nothing but its baton, which lives for the window. */
inline run_claim(t, number, length)
{
	if
	:: CLOSED_TO_CLAIM(t) -> v = TAKEN
	:: !CLOSED_TO_CLAIM(t) && l_id == BATON && fence == number -> set_lock(t, now + length); v = OURS
	:: !CLOSED_TO_CLAIM(t) && l_id == t ->
		if
#if defined(M_CLAIM_TWICE_SETS)
		:: true -> l_end = now + length
#elif defined(M_CLAIM_TWICE)
		:: l_end < now + length -> l_end = now + length
#endif
		:: else
		fi;
		v = OURS
#ifdef M_CLAIM_FREE
	:: !CLOSED_TO_CLAIM(t) && !LIVE -> set_lock(t, now + length); v = OURS
#endif
	:: else -> v = (!LIVE && fence == number -> GONE : TAKEN)
	fi
}
#endif

#ifdef BREAK
/* break.lua */
inline run_break(t, last)
{
	if
#ifdef M_BREAK_NOUNTIL
	:: moving -> v = LATE
	:: else ->
#else
	:: PAST(last) -> v = LATE
	:: else ->
#endif
		if
#ifdef M_BREAK_ANY
		:: LIVE ->
#else
		:: LIVE && l_id == t ->
			broken[t] = (BROKEN(t) -> broken[t] : fence); /* a copy may end what another copy has taken since */
			if
			:: t == OTHER -> other_until = 0
			:: else
			fi;
#endif
#ifndef ONLY_OWNERS
			assert(now <= break_until);
#endif
#ifndef M_BREAK_NOBUMP
			fence++; adoptions = 0; kept = 0;
#endif
			clear_lock();
			v = OURS
		:: else -> v = BUSY
		fi
	fi
}
#endif

/* A release closes where a sending of the acquire was not answered, or an `again` was sent. */
#if defined(M_CLOSE_EARLY)
#define CLOSES       ((open || open_again) && MINE <= until)
#elif defined(M_NOCLOSE_ACQUIRE)
#define CLOSES       open_again
#elif defined(M_NOCLOSE_AGAIN)
#define CLOSES       open
#else
#define CLOSES       (open || open_again)
#endif
/* An `again` has been sent. */
inline note_again()
{
	if
	:: again -> open_again = 1
	:: else
	fi;
#ifndef M_AGAIN_UNDO
	if
	:: again && until < last -> until = last
	:: else
	fi
#endif
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

/* A copy that nobody waits for any more is on its way. */
inline post(k, t, number, length, last, anew, single)
{
	i = 0;
	do
	:: copies[i].kind != NONE -> i++
	:: else -> break
	od;
	copies[i].kind = k; copies[i].token = t; copies[i].serial = number;
	copies[i].lease = length; copies[i].until = last; copies[i].again = anew; copies[i].alone = single;
	i = 0
}

#if COPIES == 1
#define ROOM (copies[0].kind == NONE)
#elif COPIES == 2
#define ROOM (copies[0].kind == NONE || copies[1].kind == NONE)
#else
#define ROOM (copies[0].kind == NONE || copies[1].kind == NONE || copies[2].kind == NONE)
#endif

/* A copy arrives. */
inline deliver(n)
{
	kind = copies[n].kind; whose = copies[n].token; number = copies[n].serial;
	time = copies[n].lease; last = copies[n].until; anew = copies[n].again; single = copies[n].alone;
	copies[n].kind = NONE; copies[n].token = 0; copies[n].serial = 0;
	copies[n].lease = 0; copies[n].until = 0; copies[n].again = 0; copies[n].alone = 0;
	was = l_id; end = l_end;
	if
	:: kind == ACQUIRE -> run_acquire(whose, time, last)
	:: kind == EXTEND && moving && !single -> skip /* refused */
	:: kind == EXTEND && !(moving && !single) -> run_extend(whose, number, time, anew, last, single)
	:: kind == RELEASE ->
		run_release(whose, anew, time)
#ifdef ADOPT
	:: kind == REPLACE -> run_replace(whose, number, time, last, anew)
#endif
#ifdef CLAIM
	:: kind == CLAIM_ -> run_claim(whose, number, time)
#endif
#ifdef BREAK
	:: kind == BREAK_ -> run_break(whose, last)
#endif
	fi;
#ifndef ONLY_OWNERS
	if
	:: (kind == ACQUIRE && was == whose && FENCE_IS(whose)) || (kind == EXTEND && whose == token && number <= settled && !single) ->
		assert(l_id == was && l_end == end)
	:: else
	fi;
#ifdef ADOPT
	/* A lock that has changed hands already is not changed again; nor by what comes after its sender's call. */
	if
	:: kind == REPLACE ->
		assert(was == whose || (l_id == was && l_end == end));
#ifdef DIE
		assert(l_id == was || (number == HANDED && (dead_until == 0 || now <= dead_until)) ||
			(number == ADOPTED && (adopter_dead_until == 0 || now <= adopter_dead_until)))
#endif
	:: else
	fi;
#endif
#ifdef LEASES
	assert(kind != EXTEND || whose != ADOPTED || !adopter_settled || (l_id == was && l_end == end));
#endif
#ifdef LEAVES
	/* A release ends its own grant, and else changes nothing; nobody but one that breaks it ends a delay. */
	assert(kind != RELEASE || was == whose || (l_id == was && l_end == end));
	assert(was != COOLDOWN || kind == BREAK_ || (l_id == was && l_end == end));
#endif
#ifdef CLAIM
	/* A claim takes its baton, and else changes nothing. */
	assert(kind != CLAIM_ || was == BATON || (l_id == was && l_end == end));
#endif
#ifdef DIE
	assert(was == whose || l_id != whose || kind == CLAIM_ || dead_until == 0 || now <= dead_until);
#endif
#endif
	kind = NONE; whose = 0; number = 0; time = 0; last = 0; anew = 0; single = 0;
	was = 0; end = 0; v = 0;
	check()
}

active proctype Holder()
{
	byte t0;            /* when the call's first request was sent */
	byte lease;
	byte until, last;   /* up to when what was not answered may take the lock; ... the present call's requests */
	byte serial;
	byte v, i;
	bit again;          /* this extend may set L anew */
	bit open;           /* an acquire (or what hands over) went unanswered */
	bit open_again;     /* an `again` was sent */
	bit unsettled;      /* an extend with both keys went unanswered, and none of those since was answered */
	bit before;         /* ... before this call */
	bit alone;          /* this extend goes with L alone */
#ifdef CLAIM
	byte pass;          /* the fence of the baton that has come */
#endif
	bit left;           /* the release has not closed what it had to close */

	do
	:: token < GRANTS ->
		atomic {
			token++; settled = 0; serial = 0; open = 0; open_again = 0;
			last = DEADLINE; until = last; t0 = MINE;
			if
			:: lease = SHORT
			:: lease = LONG
			fi
		};
acquire:
		if
		:: atomic { ROOM -> post(ACQUIRE, token, 0, lease, last, 0, 0); open = 1 };
			if
			:: goto acquire
			:: goto release
			fi
		:: atomic {
				SENT_ANEW;
				run_acquire(token, lease, last);
				if
				:: v == OURS ->
					fence_of[token] = fence; adoptions_of[token] = adoptions;
					enter(fence); inside = token; safe = t0 + lease; WHOLE;
					if
					:: !open -> until = 0
					:: else
					fi
				:: else
				fi;
				check();
				v = 0; lease = 0; t0 = 0; last = 0
			}
		fi;
		if
#ifdef WAITS
#ifdef M_SAMETOKEN
		:: atomic { inside == 0 && now < MAXT -> ASK_AGAIN }; goto acquire
#else
		:: atomic { inside == 0 && !open && now < MAXT -> ASK_AGAIN }; goto acquire
#endif
#endif
#ifdef CLAIM
		:: atomic { inside == 0 && MAY_CLAIM && !moving && (l_id == OTHER || !LIVE) && now < MAXT -> /* it is passed on to this waiter */
				other_until = 0; fence++; adoptions = 0; kept = 0; set_lock(BATON, now + WINDOW);
				pass = fence; last = 0; t0 = MINE;
				if
				:: lease = SHORT
				:: lease = LONG
				fi;
				check()
			};
			goto claim
#endif
		:: inside == 0 -> goto release
		:: else
		fi;

critical:
		if
#ifdef DIE
		:: atomic { dead_until = DEADLINE }; goto end
#endif
		:: goto release
		:: atomic { /* a look */
				MINE >= safe && l_id == token && !moving && LOOK_SAYS(token) -> VERDICT(FENCE_IS(token))
			};
			goto critical
#ifdef ADOPT
		:: goto hand_over
		:: goto lend
#endif
		:: atomic { serial < EXTENDS ->
				serial++; last = DEADLINE; before = unsettled; t0 = MINE;
				if
				:: MINE >= safe -> again = 1
				:: skip /* also after the deadline: it was asked for before, or by a look */
				fi;
				if
				:: lease = SHORT
				:: lease = LONG
				fi
			};
extend:
			if
			:: atomic { ROOM ->
					bound(t0 + lease);
					if
					:: true -> post(EXTEND, token, serial, lease, last, again, 0); unsettled = 1
					:: moving -> post(EXTEND, token, serial, lease, last, again, 1)
					fi;
					note_again()
				};
				if
				:: goto extend
				:: atomic { lease = 0; last = 0; again = 0; before = 0; t0 = 0 }; goto critical
				fi
			:: atomic { SENT_ANEW; bound(t0 + lease); alone = moving };
				if
				:: !alone && moving -> goto extend /* refused */
				:: atomic {
						alone || !moving ->
						run_extend(token, serial, lease, again, last, alone);
						if
						:: v == OURS && !MAYBE_COPY ->
							VERDICT(FENCE_IS(token) && !BROKEN(token));
							if
							:: STILL_BOUND
							:: else -> safe = t0 + lease; WHOLE
							fi
						:: v == GONE && again -> VERDICT(FENCE_IS(token) && !BROKEN(token)); safe = t0 + lease; WHOLE
						:: v == TAKEN && !again -> VERDICT(!FENCE_IS(token) || FOREIGN_HAD); safe = 0
						:: else -> safe = 0 /* lost, or it cannot be told */
						fi;
						if
						:: safe != 0 -> enter(fence_of[token])
						:: else
						fi;
						if
						:: safe != 0 && !alone -> settled = serial; unsettled = 0
#ifdef M_ALONE_LOST
						:: safe != 0 && alone -> unsettled = before
#endif
						:: else
						fi;
						note_again();
						check();
						v = 0; t0 = 0; lease = 0; last = 0; again = 0; alone = 0; before = 0
					}
				fi
			fi;
			if
			:: safe != 0 -> goto critical
			:: safe == 0 ->
#ifdef M_LOST
				atomic { inside = 0; open = 0 }; goto through
#else
				goto release
#endif
			fi
		fi;

#ifdef ADOPT
hand_over:
		/* It relies on the lock no more, whatever comes of it. */
		atomic { inside = 0; last = DEADLINE; lease = 0;
#ifdef LEASES
			if
			:: lease = SHORT
			:: lease = LONG
			:: skip
			fi
#endif
		};
handing:
		if
		:: atomic { ROOM -> post(REPLACE, token, HANDED, lease, last, 1, 0) };
			if
#ifdef DIE
			:: atomic { dead_until = DEADLINE }; goto end
#endif
			:: goto handing
			:: goto undo_handed
			fi
		:: atomic {
				run_replace(token, HANDED, lease, last, 1); check();
				if
				:: v == OURS ->
					VERDICT(fence == fence_of[token]);
					fence_of[HANDED] = fence; adoptions_of[HANDED] = adoptions;
					offered = HANDED
				:: else
				fi;
				v = 0
			};
			if
			:: offered == HANDED ->
#ifdef M_HANDED_NOUNDO
				goto through
#else
				goto release
#endif
			:: else
			fi
		fi;
undo_handed:
		atomic { run_release(HANDED, 1, 0); v = 0; over[HANDED] = 1; check() };
		goto release;

lend:
		/* The adopter tries; the holder does not use it meanwhile. */
		atomic { inside = 0; safe = 0; offered = token };
		if
		:: outcome == OURS -> goto release
		:: outcome == TAKEN && serial < EXTENDS -> inside = token; outcome = BUSY; goto critical
		:: outcome == TAKEN -> goto release
		fi;
#endif

#ifdef CLAIM
claim:
		if
		:: atomic { ROOM -> post(CLAIM_, token, pass, lease, 0, 0, 0); open = 1 };
			if
			:: goto claim
			:: goto release
			fi
		:: atomic {
				SENT_ANEW;
				run_claim(token, pass, lease);
				if
				:: v == OURS -> enter(pass); fence_of[token] = pass; adoptions_of[token] = 0; inside = token; safe = t0 + lease; WHOLE
				:: else /* whose it is does not matter: it never was ours */
				fi;
				check();
				v = 0; pass = 0; lease = 0; t0 = 0
			}
		fi;
		if
		:: inside == 0 -> goto release
		:: else -> goto critical
		fi;
#endif

release:
		atomic {
#ifdef CLAIM
			pass = 0;
#endif
			inside = 0; safe = 0; t0 = 0; lease = 0; v = 0; last = 0; again = 0;
#ifdef LEAVES
			if
			:: lease = DELAY
			:: skip
			fi
#endif
		};
sending:
		if
		:: atomic { ROOM -> post(RELEASE, token, 0, lease, 0, CLOSES, 0) };
			goto sending
		:: atomic {
				left = CLOSES && moving; /* with L alone nothing is closed */
				run_release(token, CLOSES, lease); check();
				if
				:: fence_of[token] == 0 || moving /* it never was ours; nothing is said of it */
				:: fence_of[token] != 0 && !moving && (v == OURS || v == GONE) -> VERDICT((FENCE_IS(token) && !BROKEN(token)) || LEFT_BY(token))
				:: fence_of[token] != 0 && !moving && v == TAKEN -> VERDICT(!FENCE_IS(token) || FOREIGN_HAD)
				fi;
				v = 0
			}
		fi;
#ifndef M_NOUNDO
		/* It is repeated until that is done, or none of these may run any more. */
		if
		:: left ->
#ifdef M_EARLY_UNDO
			!moving || now >= until - AHEAD;
#else
			!moving || now > until;
#endif
			atomic { run_release(token, CLOSES, lease); v = 0 }
		:: else
		fi;
#endif
through:
		atomic {
			over[token] = 1;
			check()
		};
		atomic {
			open = 0; open_again = 0; unsettled = 0; left = 0; lease = 0; serial = 0; until = 0; last = 0; safe = 0
		}
	:: else -> break
	od;
end:
	skip
}

#ifdef ADOPT
#ifdef LEASES
#define ADOPTER_LEASE lease
#else
#define ADOPTER_LEASE SHORT
#endif
#ifdef M_REPLACE_LAST
#define REPLACED_ANEW t0 = MINE
#else
#define REPLACED_ANEW SENT_ANEW
#endif

active proctype Adopter()
{
	byte t0, until, v, i, result;
	bit open;
#ifdef LEASES
	byte lease;
	bit prolonged;
#endif

	offered != 0;
	atomic { until = DEADLINE; t0 = MINE; result = TAKEN;
#ifdef LEASES
		if
		:: lease = SHORT
		:: lease = LONG
		:: skip /* what is left, as the answer says */
		fi
#endif
	};
replace:
	if
	:: atomic { ROOM -> post(REPLACE, offered, ADOPTED, ADOPTER_LEASE, until, 0, 0); open = 1 };
		if
#ifdef DIE
		:: atomic { adopter_dead_until = DEADLINE }; goto end
#endif
		:: goto replace
		:: goto undo
		fi
	:: atomic {
			REPLACED_ANEW;
			run_replace(offered, ADOPTED, ADOPTER_LEASE, until, 0); check();
#ifdef M_ADOPT_ANSWERED
			open = open && v != OURS;
#endif
			fence_of[ADOPTED] = fence; adoptions_of[ADOPTED] = adoptions
#ifdef LEASES
			;
			if
			:: v == OURS && lease == 0 -> lease = l_end - now; t0 = MINE
			:: else
			fi
#endif
		}
	fi;
	if
	:: atomic {
			v == OURS ->
			result = OURS;
			if
			:: MINE < t0 + ADOPTER_LEASE && !BROKEN(ADOPTED) -> enter(fence_of[ADOPTED]); adopter_until = t0 + ADOPTER_LEASE; check()
			:: else
			fi
		}
	:: atomic { v != OURS -> fence_of[ADOPTED] = 0; adoptions_of[ADOPTED] = 0 }
	fi;
#ifdef LEASES
	if
	:: adopter_until != 0 && !prolonged ->
		atomic {
			prolonged = 1; t0 = MINE; v = 0;
			if
			:: lease = SHORT
			:: lease = LONG
			fi
		};
		if
		:: atomic { ROOM ->
				adopter_until = (t0 + lease < adopter_until -> t0 + lease : adopter_until);
				post(EXTEND, ADOPTED, 1, lease, 0, 0, 0)
			}
		:: skip
		fi;
		atomic {
			run_extend(ADOPTED, 1, lease, 0, 0, 0);
			if
			:: v == OURS -> adopter_until = t0 + lease; adopter_settled = 1
			:: else -> adopter_until = 0
			fi;
			v = 0; check()
		}
	:: skip
	fi;
#endif
#ifdef DIE
	if
	:: atomic { adopter_dead_until = DEADLINE }; goto end /* a belief that it had stays until its end */
	:: skip
	fi;
#endif
undo:
	atomic { adopter_until = 0; run_release(ADOPTED, open, 0); v = 0; t0 = 0; over[ADOPTED] = 1; outcome = result; check()
#ifdef LEASES
		; lease = 0
#endif
	};
end:
	skip
}
#endif

#ifdef BREAK
active proctype Breaker()
{
	byte seen, sent, v, i;

	atomic { LIVE -> seen = l_id; break_until = DEADLINE };
	do
	:: atomic { ROOM && sent < COPIES -> sent++; post(BREAK_, seen, 0, 0, break_until, 0, 0) }
	:: atomic { run_break(seen, break_until); v = 0; check() }; break
	:: sent > 0 -> break /* it is given up */
	od;
	sent = 0
}
#endif

/* Time, the others, and what arrives late. */
active proctype World()
{
	byte v, kind, whose, number, time, last, end, was;
	bit anew, single;

	do
	:: atomic {
			token > 0 && now < MAXT -> now++;
#if defined(BACK) || defined(FORWARD)
			mine++;
#endif
			if
			:: LIVE && now >= l_end -> clear_lock()
			:: else
			fi;
			if
			:: MINE >= other_until -> other_until = 0
			:: else
			fi;
			check()
		}
	:: atomic { !LIVE && !moving && others < OTHERS ->
			others++;
#ifdef FOREIGN
			set_lock(OTHER, now + SHORT);
#else
			grant(OTHER, now + SHORT); enter(fence);
#endif
			other_until = MINE + SHORT;
			check()
		}
	:: atomic { l_id == OTHER -> clear_lock(); other_until = 0; check() }
#ifdef LEAVES
	:: atomic { l_id == PASSED && others < OTHERS ->
			others++; set_lock(OTHER, now + SHORT); enter(fence);
			other_until = MINE + SHORT;
			check()
		}
#endif
	:: atomic { copies[0].kind != NONE -> deliver(0) }
#if COPIES > 1
	:: atomic { copies[1].kind != NONE -> deliver(1) }
#endif
#if COPIES > 2
	:: atomic { copies[2].kind != NONE -> deliver(2) }
#endif
#ifdef BACK
	:: atomic { now > 0 && !stepped -> stepped = 1; now--; check() }
#endif
#ifdef FORWARD
	:: atomic { token > 0 && !stepped && now + STEP <= MAXT ->
			stepped = 1; now = now + STEP; short_by = SHORT_BY; stepped_at = MINE;
			/* The others' leases end as soon; they may look, or not. */
			other_until = (other_until > STEP -> other_until - STEP : 0);
			if
			:: LIVE && now >= l_end -> clear_lock()
			:: else
			fi;
			check()
		}
#endif
#ifdef MOVES
	:: atomic { token > 0 && !moved -> moving = 1; moved = 1 }
	:: atomic { moving -> moving = 0 }
#endif
	:: now == MAXT -> break
	od
}
