/*
 * Safety of the protocol, with time.
 *
 * What is asserted, over all interleavings: no two clients believe at one time that they hold
 * the lock; they enter in the order of rising fences; each grant's fence is higher than all
 * before; the verdicts are true (2: no rlock client was granted the lock since; 3: one was).
 *
 * N clients take and give back the lock R times. Each script is one atomic step, as it is on
 * the server. A tick may pass between any two steps: a process may be stopped anywhere, a
 * message may take any time. A client notes t0 when it sends; the script runs later; the answer
 * is read later still.
 *
 *   acquire  belief until t0 + LEASE
 *   BLPOP    first come, first served. A push serves the head of the queue at once; the client
 *            reads it at any later time. Belief until t0 + WINDOW, t0 being that of the acquire
 *            before, which was answered "taken"
 *   claim    sent at once and not awaited, if the baton is young enough to believe in: it runs
 *            at any later time, at the latest just before the client's release, which follows it
 *            on the same connection. Until its answer is read: belief until t0 + WINDOW, but no longer than its own
 *            t0 + LEASE, since when it has run L lives for the lease. Then: until that t0 + LEASE
 *   leaving  a client that gives up or dies closes its connection; the server learns of it at
 *            any later time, and a baton pushed until then is lost
 *
 * A client's token is its number: with the fence it stands for a grant, as the random part does.
 *
 * What can go wrong (-D):
 *   LOSS     one answer is lost: the request is sent again
 *   DIE      clients leave or die, at any point
 *   FOREIGN  a foreign client sets L while it is free, once
 *   FEXP     the fence key is gone once L is (its grace period is over, or it was evicted)
 *   FDEL     somebody deletes L while it is held, once: nothing can hold against that
 *   EXTEND   a holder extends its lease, or, when its deadline has passed, sets it anew
 *   KEEP     a parked client asks on a second connection
 *   CUT      the connection that a claim is out on is lost, once, and with it the claim or its
 *            answer: the claim is sent again before anything that follows, and an earlier copy
 *            may yet run at any time
 *   DRIFT    the clients' clock loses a tick on the server's, once: they rely on a lease for a tick less than it lasts
 *   PASSON   a client gives a baton back unclaimed (it came late, or the wait was ended)
 *
 * Mutations, each of which must be found (run.sh):
 *   M_BASE_RECV   belief in a baton is counted from when it arrived
 *   M_BASE_BLPOP  ... from when the BLPOP was sent
 *   M_BASE_ASK    ... from the last ask on the second connection
 *   M_NOMARGIN    (with DRIFT) they rely on a lease for as long as it lasts
 *   M_NOMIN       before its claim is answered, a lease shorter than WINDOW is believed in for WINDOW
 *   M_CLAIM_LAST  (with CUT) a claim's lease is counted from its last sending
 *   M_NOAGAIN     (with CUT) a lost claim is not sent again before the release
 *   M_TWLATE      a claim's lease is counted from when its answer was read
 *   M_LATECLAIM   a claim sets L when L is gone
 *   M_REORDER     the release overtakes the claim
 *   M_NOBUMP      passing on does not raise the fence
 *   M_QLONG       the list outlives L (harmless alone)
 *   M_NODISCARD   acquire leaves a stale baton in the list
 *   M_ANEW        extend sets L anew whenever it is gone, whatever the fence is
 */
#ifndef N
#define N 2
#endif
#ifndef R
#define R 2
#endif
#ifndef MAXT
#define MAXT 8
#endif
#ifndef LEASE
#define LEASE 3
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#define FLAG 3

/* What L holds. */
#define NOTHING 0
#define TOKEN   1
#define BATON   2
#define OTHER   3 /* a foreign lock, or a cooldown */

/* Outcomes of a script, as the client keeps them. */
#define BUSY    0
#define GRANTED 1
#define FREED   1
#define GONE    2
#define TAKEN   3
#define UNKNOWN 4
#define AGAIN   9 /* granted, but the answer was lost: to be sent once more */

byte now = 0;

/* The clients' clock; by this much less than a lease they rely on it. */
#ifdef DRIFT
bit slow = 0;
#define MINE   (now - slow)
#else
#define MINE   now
#endif
#if defined(DRIFT) && !defined(M_NOMARGIN)
#define MARGIN 1
#else
#define MARGIN 0
#endif

/* The server's keys. */
byte l_kind = NOTHING, l_id = 0, l_end = 0; /* L: whose token (number + 1) or which baton (its fence) */
byte fence = 0;     bit fence_set = 0;
byte flag_end = 0;                          /* the waiting flag is up until then */
byte list = 0, list_end = 0;                /* the baton in the wake list: its fence */

/* The server's queue of parked BLPOPs: client + 1, the head first. */
byte queue[N];
byte queued = 0;

/* On their way. */
byte arriving[N];     /* the baton sent to a client */
bit gone[N];          /* the client has closed its connection */
bit claim_out[N];     /* its claim has not run yet */
byte claim_baton[N];
byte claim_answer[N]; /* 1 or 3; 0: none yet */
bit claim_cut[N];     /* its answer will not come */
byte copy[N];         /* the baton of a claim whose connection was lost: it may run yet */
bit cut = 0;          /* that one loss has been */

/* What the clients believe. */
bit inside[N];
byte safe[N];
byte my_fence[N];

/* Ghosts: only the assertions see them. */
byte top = 0;  /* the highest fence granted */
byte used = 0; /* the highest fence entered with */
byte lost = 0; /* answers lost so far */
bit odd = 0;   /* somebody else touched L */

#define LIVE          (l_kind != NOTHING && now < l_end)
#define LISTED        (list != 0 && now < list_end)
#define OURS(i)       (l_kind == TOKEN && l_id == i + 1)
#define CLAIMABLE(i)  ((l_kind == BATON && l_id == claim_baton[i]) || (OURS(i) && fence == claim_baton[i]))
#define BELIEVES(i)   (inside[i] && MINE < safe[i])

/* A claim that is sent again finds the lease that its first sending has begun. */
#ifdef M_CLAIM_LAST
#define CLAIMED_ANEW claimed_at = MINE
#else
#define CLAIMED_ANEW skip
#endif

inline set_lock(kind, id, end)
{
	l_kind = kind; l_id = id; l_end = end
}

inline clear_lock()
{
	l_kind = NOTHING; l_id = 0; l_end = 0
}

/* The next fence: above the stored one, or, by the clock, above all that there ever were. */
inline raise_fence(f)
{
	if
	:: fence_set -> f = fence + 1
	:: else -> f = top + 1
	fi;
	assert(f > top);
	top = f; fence = f; fence_set = 1
}

/* About to believe until `until`: nobody else may. */
inline enter(i, until)
{
	if
	:: MINE < until ->
		j = 0;
		do
		:: j < N -> assert(j == i || !BELIEVES(j)); j++
		:: else -> break
		od;
		j = 0
	:: else
	fi
}

inline leave_queue(i)
{
	k = 0; j = 0;
	do
	:: j < queued ->
		if
		:: queue[j] != i + 1 -> queue[k] = queue[j]; k++
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

/* After a push: whoever has been parked longest gets it. If that one has gone, it is lost. */
inline serve()
{
	if
	:: queued > 0 && LISTED ->
		j = queue[0] - 1;
		if
		:: !gone[j] -> arriving[j] = list
		:: else
		fi;
		list = 0; list_end = 0;
		z = queue[0] - 1;
		leave_queue(z);
		j = 0; k = 0; z = 0
	:: else
	fi
}

/* claim.lua */
inline run_claim(i)
{
	if
	:: LIVE && CLAIMABLE(i) ->
		if
		:: l_kind == BATON -> set_lock(TOKEN, i + 1, now + LEASE)
		:: else /* it has come twice: its lease has begun */
		fi;
		fence_set = 1; fence = claim_baton[i];
		claim_answer[i] = GRANTED
#ifdef M_LATECLAIM
	:: !LIVE ->
		set_lock(TOKEN, i + 1, now + LEASE);
		claim_answer[i] = GRANTED
	:: LIVE && !CLAIMABLE(i) -> claim_answer[i] = TAKEN
#else
	:: else -> claim_answer[i] = TAKEN
#endif
	fi;
	claim_out[i] = 0
}

/* An earlier copy of a claim. It is the same request: for the same token. */
inline run_copy(i)
{
	if
	:: LIVE && l_kind == BATON && l_id == copy[i] ->
		set_lock(TOKEN, i + 1, now + LEASE); fence_set = 1; fence = copy[i]
	:: else
	fi;
	copy[i] = 0
}

/* Who knows whether it has run: it is sent again before what follows. */
inline claim_again(i)
{
	if
	:: claim_cut[i] ->
		claim_cut[i] = 0; claim_answer[i] = 0;
#ifndef M_NOAGAIN
		run_claim(i)
#endif
	:: else
	fi
}

/* acquire.lua; `v` AGAIN: it comes for the second time. */
inline run_acquire(i)
{
	if
	:: LIVE && OURS(i) && v == AGAIN ->
		f = fence; v = GRANTED /* its lease has begun */
	:: LIVE && !(OURS(i) && v == AGAIN) ->
		if
		:: l_kind == BATON && LISTED && list == l_id -> /* it reached nobody */
			raise_fence(f);
			set_lock(TOKEN, i + 1, now + LEASE);
			list = 0; list_end = 0;
			v = GRANTED
		:: else ->
			if
			:: now + 2 > flag_end -> flag_end = now + FLAG
			:: else
			fi;
			v = BUSY
#ifndef M_NODISCARD
			; list = 0; list_end = 0
#endif
		fi
	:: !LIVE ->
		raise_fence(f);
		set_lock(TOKEN, i + 1, now + LEASE);
		v = GRANTED
	fi
}

/* release.lua, from where L is found to be the caller's. */
inline free_or_pass()
{
	if
	:: now < flag_end ->
#ifdef M_NOBUMP
		f = fence; fence_set = 1;
#else
		raise_fence(f);
#endif
		set_lock(BATON, f, now + WINDOW);
		list = f;
#ifdef M_QLONG
		list_end = now + WINDOW + 2;
#else
		list_end = now + WINDOW;
#endif
		serve()
	:: else -> clear_lock()
	fi
}

/* release.lua: the verdict, and whether it is true. */
inline run_release(i)
{
	if
	:: LIVE && OURS(i) && fence == my_fence[i] ->
		v = FREED; freed = 1;
		free_or_pass()
	:: else ->
		if
		:: !fence_set -> v = UNKNOWN
		:: fence_set && fence == my_fence[i] && !LIVE -> v = GONE
		:: else -> v = TAKEN
		fi
	fi;
	if
	:: v == GONE -> assert(top == my_fence[i])
	:: v == TAKEN -> assert(freed || top != my_fence[i] || odd)
	:: else
	fi
}

#ifdef EXTEND
/* extend.lua, with `again` when the caller's deadline has passed */
inline run_extend(i)
{
	if
	:: LIVE && OURS(i) && fence == my_fence[i] -> l_end = now + LEASE; v = GRANTED
	:: else ->
		if
#ifdef M_ANEW
		:: !LIVE && late -> set_lock(TOKEN, i + 1, now + LEASE); fence = my_fence[i]; fence_set = 1; v = GONE
#else
		:: !fence_set -> v = UNKNOWN
		:: fence_set && fence == my_fence[i] && !LIVE ->
			v = GONE;
			if
			:: late -> set_lock(TOKEN, i + 1, now + LEASE)
			:: else
			fi
#endif
		:: else -> v = TAKEN
		fi
	fi
}
#endif

proctype Client(byte i)
{
	byte r = 0;       /* rounds */
	byte t0;          /* when the acquire was sent */
	byte claimed_at;  /* when the claim was; 0: there is none */
	byte f, v;        /* fence, outcome */
	byte until;
	byte j = 0, k = 0, z = 0;
	bit freed;
#ifdef KEEP
	byte asked_at;    /* when the ask on the second connection was sent */
#endif
#ifdef EXTEND
	byte extended_at;
	bit extended, late;
#endif

again:
	do
	:: r < R ->
		r++; v = BUSY; claimed_at = 0;
ask:
		if
		:: v != AGAIN -> t0 = MINE
		:: else
		fi;
		atomic { run_acquire(i) };
		if
#ifdef LOSS
		:: v == GRANTED && lost == 0 -> lost = 1; v = AGAIN; goto ask
#endif
		:: v == GRANTED -> goto granted
		:: else
		fi;

		/* Park. */
#ifdef M_BASE_BLPOP
		t0 = MINE;
#endif
		atomic {
			if
			:: LISTED -> arriving[i] = list; list = 0; list_end = 0
			:: else -> queue[queued] = i + 1; queued++
			fi
		};
parked:
		if
#ifdef KEEP
		:: now < MAXT -> /* else this could go on for ever */
			asked_at = MINE;
			atomic { run_acquire(i) };
			if
			:: v == GRANTED ->
				/* The BLPOP is ended, and whatever it brought is stale. */
				atomic { leave_queue(i); arriving[i] = 0; t0 = asked_at; asked_at = 0 };
				goto granted
			:: else ->
#ifdef M_BASE_ASK
				t0 = asked_at;
#endif
				asked_at = 0;
				goto parked
			fi
#endif
		:: atomic { arriving[i] != 0 -> f = arriving[i]; arriving[i] = 0 };
#ifdef PASSON
			if
			:: atomic {
				if
				:: LIVE && l_kind == BATON && l_id == f -> free_or_pass()
				:: else
				fi;
				f = 0; v = BUSY
			   };
				goto again
			:: skip
			fi;
#endif
			atomic {
#ifdef M_BASE_RECV
				t0 = MINE;
#endif
				claimed_at = MINE; my_fence[i] = f;
				claim_baton[i] = f; claim_out[i] = 1; claim_answer[i] = 0;
				if
				:: MINE + MARGIN < t0 + WINDOW ->
					until = t0 + WINDOW - MARGIN;
#ifndef M_NOMIN
					if
					:: MINE + LEASE - MARGIN < until -> until = MINE + LEASE - MARGIN
					:: else
					fi;
#endif
					enter(i, until);
					assert(f > used); used = f;
					inside[i] = 1; safe[i] = until; until = 0
				:: else -> skip /* too old to believe in: wait for the answer */
				fi
			};
			if
			:: inside[i] -> goto critical
			:: else
			fi;
#ifdef M_TWLATE
			claimed_at = MINE;
#endif
awaited:
			if
			:: atomic { claim_cut[i] -> CLAIMED_ANEW; claim_cut[i] = 0; claim_answer[i] = 0; claim_out[i] = 1 };
				goto awaited
			:: atomic {
				!claim_out[i] && !claim_cut[i] && claim_answer[i] == GRANTED ->
				if
				:: MINE < claimed_at + LEASE - MARGIN ->
					enter(i, claimed_at + LEASE - MARGIN);
					assert(f > used); used = f;
					inside[i] = 1; safe[i] = claimed_at + LEASE - MARGIN
				:: else -> claim_answer[i] = 0
				fi
			   };
				if
				:: inside[i] -> goto critical
				:: else -> goto release
				fi
			:: atomic { !claim_out[i] && !claim_cut[i] && claim_answer[i] == TAKEN -> v = BUSY };
				goto ask
#ifdef DIE
			:: goto die
#endif
			fi
		:: atomic { arriving[i] == 0 && now >= t0 + 1 -> leave_queue(i) };
			/* The BLPOP's time is over, by the server: ask again, or give up. */
			if
			:: goto ask
			:: goto again
			fi
#ifdef DIE
		:: now >= t0 + 1 -> goto die
#endif
		fi;

granted:
#ifdef DIE
		if
		:: goto die
		:: skip
		fi;
#endif
		atomic {
			if
			:: MINE < t0 + LEASE - MARGIN ->
				enter(i, t0 + LEASE - MARGIN);
				assert(f > used); used = f;
				inside[i] = 1; safe[i] = t0 + LEASE - MARGIN; my_fence[i] = f
			:: else -> my_fence[i] = f /* the answer came too late: it was never ours, give it back */
			fi
		};
		if
		:: !inside[i] -> goto release
		:: else
		fi;

critical:
		if
		:: claim_cut[i] ->
			/* check() after the window: it is sent again, and waited for. */
			atomic { CLAIMED_ANEW; claim_cut[i] = 0; claim_answer[i] = 0; claim_out[i] = 1 };
			goto critical
		:: claim_out[i] == 0 && !claim_cut[i] && claim_answer[i] == GRANTED && claimed_at != 0 ->
			/* The claim's answer, also when it is read after the window: nobody can have come in between. */
			atomic {
				if
				:: MINE < claimed_at + LEASE - MARGIN && safe[i] < claimed_at + LEASE - MARGIN ->
					assert(used == my_fence[i]);
					enter(i, claimed_at + LEASE - MARGIN);
					safe[i] = claimed_at + LEASE - MARGIN
				:: else
				fi
			}
		:: skip
#ifdef DIE
		:: goto die
#endif
		fi;
#ifdef EXTEND
		if
		:: atomic { !extended -> extended = 1; extended_at = MINE; late = !BELIEVES(i) };
			atomic {
				if
				:: claim_out[i] -> run_claim(i)
				:: else
				fi;
				claim_again(i);
				run_extend(i)
			};
			atomic {
				if
				:: (v == GRANTED || (v == GONE && late)) && MINE < extended_at + LEASE - MARGIN ->
					assert(used == my_fence[i]); /* nobody entered since we did */
					enter(i, extended_at + LEASE - MARGIN);
					safe[i] = extended_at + LEASE - MARGIN
				:: else
				fi;
				v = BUSY; late = 0; extended_at = 0
			};
			goto critical
		:: skip
		fi;
#endif
		atomic { inside[i] = 0 }; /* the critical section ends before the release is sent */

release:
		freed = 0;
send_release:
		atomic {
#ifndef M_REORDER
			if
			:: claim_out[i] -> run_claim(i)
			:: else
			fi;
			claim_again(i);
#endif
			run_release(i)
		};
		if
#ifdef LOSS
		:: lost == 0 ->
			atomic { lost = 1 };
			/* The answer is lost: the second one must say "ours" or be explained by the first. */
			if
			:: MINE < safe[i] ->
				atomic {
					if
					:: LIVE && OURS(i) && fence == my_fence[i] -> skip
					:: else -> assert(freed || odd)
					fi
				};
				goto done
			:: else -> skip
			fi
#endif
		:: skip
		fi;
done:
		atomic { safe[i] = 0; my_fence[i] = 0; claim_answer[i] = 0; f = 0; v = BUSY; freed = 0; claimed_at = 0 };
#ifdef EXTEND
		extended = 0
#endif
	:: else -> break
	od;
	goto end;

die:
	/* A belief that it had stays until its deadline: it may only have been stopped. */
	atomic { gone[i] = 1; arriving[i] = 0; claim_cut[i] = 0 };
end:
	skip
}

/* Time, and what happens on the way: claims run at any time, also those of the dead. */
active proctype World()
{
	byte j, k;

	do
	:: atomic {
		now < MAXT -> now++;
		if
		:: l_kind != NOTHING && now >= l_end -> clear_lock()
		:: else
		fi;
		if
		:: now >= list_end -> list = 0; list_end = 0
		:: else
		fi;
		if
		:: now >= flag_end -> flag_end = 0
		:: else
		fi
	   }
#ifdef DIE
	/* The server sees that a connection was closed. */
	:: atomic { gone[0] && queued > 0 && (queue[0] == 1 || queue[1] == 1 || queue[N - 1] == 1) -> leave_queue(0) }
	:: atomic { gone[1] && queued > 0 && (queue[0] == 2 || queue[1] == 2 || queue[N - 1] == 2) -> leave_queue(1) }
#endif
	:: atomic { claim_out[0] -> run_claim(0) }
	:: atomic { claim_out[1] -> run_claim(1) }
#if N > 2
	:: atomic { claim_out[2] -> run_claim(2) }
#endif
#ifdef CUT
	/* Before it has run (a copy may run yet), or after. */
	:: atomic { !cut && claim_out[0] -> cut = 1; claim_out[0] = 0; claim_cut[0] = 1; copy[0] = claim_baton[0] }
	:: atomic { !cut && claim_out[1] -> cut = 1; claim_out[1] = 0; claim_cut[1] = 1; copy[1] = claim_baton[1] }
	:: atomic { copy[0] != 0 -> run_copy(0) }
	:: atomic { copy[1] != 0 -> run_copy(1) }
	:: atomic { copy[0] != 0 -> copy[0] = 0 }
	:: atomic { copy[1] != 0 -> copy[1] = 0 }
#endif
#ifdef DRIFT
	:: atomic { now > 0 && !slow -> slow = 1 }
#endif
#ifdef FEXP
	:: atomic { fence_set && !LIVE -> fence_set = 0 }
#endif
#ifdef FOREIGN
	:: atomic { !LIVE && !odd -> odd = 1; set_lock(OTHER, 0, now + 2) }
#endif
#ifdef FDEL
	:: atomic { LIVE && !odd -> odd = 1; clear_lock() }
#endif
	:: now == MAXT -> break
	od
}

init
{
	atomic {
		run Client(0);
		run Client(1);
#if N > 2
		run Client(2)
#endif
	}
}
