/*
 * How long can nobody hold the lock while somebody alive waits for it?
 *
 * A tick passes only when nothing else can happen (timeout), so that every delay that is seen
 * is the protocol's own. It is asserted that this never lasts longer than BOUND ticks, and that
 * everybody has had every turn before MAXT.
 *
 * Each waiter asks again at min(what L has left, NET), which raises the flag. With SLEEP, the flag names one of those that
 * do so, and until when it stays. Whoever has surely parked before that one came asks at min(what L has left, SLEEP, the
 * end of its stay), unless the flag tells that it has not asked for longer than NET. A waiter that sleeps raises the
 * flag for as long, and each restores what it has been told of that.
 *
 * What can go wrong (-D):
 *   D=n       up to n waiters vanish while they are parked, and the server does not see it: they
 *             stay in its queue until their BLPOP's own time, PARK
 *   FLAGLOSS  the waiting flag is lost, once
 *   FDEL      somebody deletes L while it is held, likewise
 *   KEEP      waiters ask on a second connection and stay parked (else they leave the queue and
 *             go to its end)
 *   ENDS=n    up to n waits end after STAY, as the server has been told
 *   LEAVES=n  up to n waiters give up without any notice, and leave the queue
 *   M_CLEAR   mutation: a hand-over takes the flag down, which stalls the third of three
 *   M_OLDEST  mutation: the first waiter goes on asking when others park behind it
 *   M_ASKED   mutation: a waiter sleeps if another has only asked after it, and may have parked before it
 *   M_FALLS   mutation: one that sleeps leaves the flag as it is
 *   M_RELIES  mutation: a waiter relies on one that leaves first, and who comes last takes the place in the flag
 *   M_TAKES   mutation: a parked waiter that finds the lock free leaves the flag as it is
 */
#ifndef N
#define N 3
#endif
#ifndef R
#define R 2
#endif
#ifndef D
#define D 1
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef NET
#define NET 2
#endif
#ifndef HOLD
#define HOLD 1
#endif
#ifndef LEASE
#define LEASE 9
#endif
#ifndef SLEEP
#define SLEEP 0
#endif
#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef ENDS
#define ENDS 0
#endif
#ifndef STAY
#define STAY 3
#endif
#ifndef PARK
#define PARK NET
#endif
#ifndef BOUND
#define BOUND (WINDOW + NET)
#endif
#ifndef MAXT
#define MAXT 24
#endif

/* What L holds. */
#define NOTHING 0
#define TOKEN   1
#define BATON   2

byte now = 0;

/* The server's keys. */
byte l_kind = NOTHING, l_id = 0, l_end = 0;
byte list = 0, list_end = 0;
byte flag_end = 0;
byte came = 0;          /* how many asks were followed by parking; or the number of such an ask */
byte looker = 0, seen_at = 0, stays = 0; /* in the flag: who asks every NET, when it did so last, and when it leaves */
byte left = 0, ending = 0;
byte batons = 0;        /* how often L was granted or passed on: the fence */

/* The server's queue of parked BLPOPs: client + 1, and each one's own end. */
byte queue[N], queue_end[N];
byte queued = 0;
byte arriving[N];       /* the baton sent to a client */

byte alive = N, dead = 0, finished = 0;
byte holding = 0, waiting = 0;
byte stall = 0, worst = 0;
#if defined(FLAGLOSS) || defined(FDEL)
bit fault = 0;          /* the one lost flag, or deleted lock, has been */
#else
bit fault = 1;
#endif
bit restless = 1;       /* things may still go wrong within this tick */

#define LIVE (l_kind != NOTHING)
#define FOREVER 255

inline set_lock(kind, id, end)
{
	l_kind = kind; l_id = id; l_end = end
}

inline clear_lock()
{
	l_kind = NOTHING; l_id = 0; l_end = 0
}

inline leave_queue(i)
{
	k = 0; j = 0;
	do
	:: j < queued ->
		if
		:: queue[j] != i + 1 -> queue[k] = queue[j]; queue_end[k] = queue_end[j]; k++
		:: else
		fi;
		j++
	:: else -> break
	od;
	j = k;
	do
	:: j < queued -> queue[j] = 0; queue_end[j] = 0; j++
	:: else -> break
	od;
	queued = k; k = 0; j = 0
}

/* release.lua */
inline free_or_pass()
{
	if
	:: flag_end > now ->
		batons++;
		set_lock(BATON, batons, now + WINDOW);
		list = batons; list_end = now + WINDOW;
#ifdef M_CLEAR
		flag_end = 0;
#endif
		if
		:: queued > 0 ->
			z = queue[0] - 1;
			arriving[z] = list; list = 0;
			leave_queue(z);
			z = 0
		:: else
		fi
	:: else -> clear_lock()
	fi
}

proctype Client(byte i)
{
	byte r = 0;     /* rounds */
	byte ask_at;    /* the safety net's next ask */
	byte since;     /* when we got the lock */
	byte j = 0, k = 0, z = 0;
	byte asked_as = 0;      /* our number among those that came */
	byte parked_as = 0;     /* whoever has a higher one came when we were parked */
	byte end = FOREVER;     /* of our wait */
	byte told_up = 0;       /* until then the flag is to stay up */
	bit ours, parked = 0, sleeps, looks;

	do
	:: r < R ->
		r++;
		atomic {
			waiting++; ours = 0; told_up = 0; end = FOREVER;
			if
			:: true
			:: ending < ENDS -> ending++; end = now + STAY
			fi
		};
		do
		:: !ours ->
			/* acquire.lua; whoever gets the lock by asking leaves the queue. */
			atomic {
				if
				:: !LIVE || (l_kind == BATON && list == l_id && list != 0) ->
					batons++;
					set_lock(TOKEN, i + 1, now + LEASE);
					list = 0;
					ours = 1;
					if
					:: parked ->
						leave_queue(i); parked = 0;
#ifndef M_TAKES
						if
						:: now + NET + 1 > told_up -> told_up = now + NET + 1
						:: else
						fi;
						if
						:: told_up > flag_end -> flag_end = told_up
						:: else
						fi
#endif
					:: else
					fi
				:: else ->
					list = 0;
					looks = SLEEP > 0 && looker != 0 && now < flag_end && now - seen_at <= NET && stays > now;
					if
					:: !parked -> came++; asked_as = came
#ifndef M_ASKED
					:: parked && looks && looker > asked_as && looker <= parked_as && end >= stays ->
						leave_queue(i); parked = 0; /* which of the two is behind the other? We park anew */
						came++; asked_as = came;
						looker = asked_as; seen_at = now; stays = end
#endif
					:: else
					fi;
#ifdef M_OLDEST
					sleeps = looks && parked && looker != asked_as;
#else
# ifdef M_ASKED
					sleeps = looks && parked && looker > asked_as;
# else
					sleeps = looks && parked && looker > parked_as;
# endif
#endif
					ask_at = now + (sleeps -> SLEEP : NET);
#ifndef M_RELIES
					if
					:: sleeps && stays < ask_at -> ask_at = stays
					:: else
					fi;
#endif
					if
#ifdef M_RELIES
					:: SLEEP > 0 && parked && !sleeps ->
#else
					:: SLEEP > 0 && parked && !sleeps && (!looks || looker == asked_as || (looker < asked_as && end >= stays)) ->
#endif
						looker = asked_as; seen_at = now; stays = end
					:: else
					fi;
					if
#ifdef M_FALLS
					:: sleeps -> skip
#endif
					:: else ->
						if
						:: ask_at + 1 > told_up -> told_up = ask_at + 1
						:: else
						fi;
						if
						:: told_up > flag_end -> flag_end = told_up
						:: else -> told_up = flag_end
						fi
					fi;
					if
					:: l_end < ask_at -> ask_at = l_end
					:: else
					fi
				fi
			};
			if
			:: ours -> break
			:: else
			fi;

			/* Park, unless parked still, or served meanwhile. */
			atomic {
				parked = 0; j = 0;
				do
				:: j < queued ->
					if
					:: queue[j] == i + 1 -> parked = 1
					:: else
					fi;
					j++
				:: else -> break
				od;
				j = 0;
				if
				:: parked || arriving[i] != 0 -> skip
				:: else ->
					if
					:: list != 0 -> arriving[i] = list; list = 0
					:: else ->
						queue[queued] = i + 1;
#ifdef KEEP
						queue_end[queued] = now + PARK;
#else
						queue_end[queued] = ask_at;
						if
						:: now + PARK < ask_at -> queue_end[queued] = now + PARK
						:: else
						fi;
#endif
						queued++; parked = 1; parked_as = came
					fi
				fi
			};
			if
			:: atomic {
				/* Served: claim.lua. */
				arriving[i] != 0 ->
				parked = 0;
				if
				:: l_kind == BATON && l_id == arriving[i] ->
					set_lock(TOKEN, i + 1, now + LEASE);
					ours = 1
				:: else -> skip
				fi;
				arriving[i] = 0
			   }
			:: atomic {
				arriving[i] == 0 && now >= ask_at ->
#ifndef KEEP
				leave_queue(i); parked = 0
#else
				skip
#endif
			   }
			:: atomic { now >= end && arriving[i] == 0 -> waiting--; leave_queue(i); parked = 0 };
				goto out
			:: atomic { restless && dead < D -> dead++; waiting--; alive-- };
				goto out
			:: atomic { restless && left < LEAVES && arriving[i] == 0 -> left++; waiting--; leave_queue(i); parked = 0 };
				goto out
			fi
		:: else -> break
		od;

		/* The critical section takes no time, or HOLD ticks. */
		atomic { waiting--; holding++ };
		if
		:: skip
		:: atomic { skip; since = now } -> now >= since + HOLD
		fi;
		atomic {
			holding--;
			if
			:: l_kind == TOKEN && l_id == i + 1 -> free_or_pass()
			:: else
			fi
		}
	:: else -> break
	od;
out:
	atomic { finished++ }
}

proctype Clock()
{
	byte j, k, z;

	do
	:: finished == N -> break
	:: atomic {
		timeout && finished < N ->
		if
		:: holding == 0 && waiting > 0 ->
			stall++;
			if
			:: stall > worst -> worst = stall
			:: else
			fi;
			assert(stall <= BOUND)
		:: else -> stall = 0
		fi;
		now++;
		assert(now < MAXT);
		restless = (dead < D || left < LEAVES || !fault);
		if
		:: l_kind != NOTHING && now >= l_end -> clear_lock()
		:: else
		fi;
		if
		:: list != 0 && now >= list_end -> list = 0
		:: else
		fi;
		/* BLPOPs whose own time is over, also those of the dead. */
		j = 0;
		do
		:: j < queued ->
			if
			:: now >= queue_end[j] -> queue_end[j] = 0
			:: else
			fi;
			j++
		:: else -> break
		od;
		j = 0;
		do
		:: j < queued ->
			if
			:: queue_end[j] == 0 -> k = queue[j]; z = k - 1; leave_queue(z); j = 0
			:: else -> j++
			fi
		:: else -> break
		od;
		j = 0; k = 0
	   }
	:: restless -> restless = 0
#ifdef FLAGLOSS
	:: atomic { restless && flag_end != 0 && !fault -> flag_end = 0; fault = 1 }
#endif
#ifdef FDEL
	:: atomic { restless && l_kind == TOKEN && !fault -> clear_lock(); fault = 1 }
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
		od;
		run Clock()
	}
}
