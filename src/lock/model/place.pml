/*
 * How long does a waiter wait whose place in the queue leads nowhere?
 *
 * OTHERS clients pass the lock on among themselves without an end. Each holds it for HOLD ticks, and is back at the
 * queue's end at once, so the lock is never free for one that only asks. The waiter's first D connections are dead
 * without a sign: a baton that is pushed there is lost, and with it that place. It asks on a live connection at least every
 * NET ticks, and at any moment before. When it has been parked for TRUST ticks, and an ask tells it that the lock stays
 * taken for another time than when it parked, it also parks there; the next time after twice as long.
 *
 * It is asserted that it has the lock within BOUND ticks. All that is not said here happens at any moment within a tick.
 *
 *   M_ONEPLACE  mutation: it stays in its one place
 *   M_LEAVES    mutation: (with D=0) it leaves the old place for the new one
 */
#ifndef OTHERS
#define OTHERS 3
#endif
#ifndef HOLD
#define HOLD 1
#endif
#ifndef D
#define D 1
#endif
#ifndef NET
#define NET 1
#endif
#ifndef TRUST
#define TRUST 2
#endif
#ifndef WINDOW
#define WINDOW 1
#endif
#ifndef LEASE
#define LEASE 9
#endif
#ifndef BOUND
#define BOUND 20
#endif

#define PLACES 4              /* of the waiter, at most */
#define WAITER (OTHERS + 1)   /* the waiter's places are WAITER, WAITER + 1...; the first D are dead */
#define QUEUE  (OTHERS + PLACES)

byte now = 0;
byte holder = 0, hold_end = 0; /* 0: nobody, L is free or holds a baton that is lost */
byte l_end = 0;
bit taken = 0;

byte queue[QUEUE];
byte queued = 0;

byte places = 0;               /* that the waiter has parked in so far */
byte parked_at, seen_end, trust = TRUST, ask_at;
bit served = 0;

inline park(who)
{
	queue[queued] = who; queued++
}

inline drop(at)
{
	j = at;
	do
	:: j + 1 < queued -> queue[j] = queue[j + 1]; j++
	:: else -> break
	od;
	queued--; queue[queued] = 0; j = 0
}

inline hold_it(who)
{
	holder = who; taken = 1; hold_end = now + HOLD; l_end = now + LEASE
}

/* release.lua: to whoever has been parked longest. */
inline pass_on()
{
	k = holder; holder = 0;
	if
	:: queue[0] >= WAITER + D -> served = 1
	:: queue[0] >= WAITER && queue[0] < WAITER + D -> l_end = now + WINDOW /* the baton is lost */
	:: else -> hold_it(queue[0])
	fi;
	drop(0);
	park(k); k = 0
}

inline park_again()
{
	if
	:: places < PLACES ->
#ifdef M_LEAVES
		k = 0;
		do
		:: k < queued && queue[k] < WAITER -> k++
		:: else -> break
		od;
		if
		:: k < queued -> drop(k)
		:: else
		fi;
		k = 0;
#endif
		park(WAITER + places); places++;
		parked_at = now; seen_end = l_end; trust = trust * 2
	:: else
	fi
}

active proctype World()
{
	byte j = 0, k = 0;

	atomic {
		hold_it(1);
		j = 2;
		do
		:: j <= OTHERS -> park(j); j++
		:: else -> break
		od;
		j = 0;
		park(WAITER); places = 1; seen_end = l_end; ask_at = NET
	};
	do
	:: served -> break
	:: atomic { !served && holder != 0 && now >= hold_end -> pass_on() }
	/* The lost baton is over, and somebody asks first. */
	:: atomic { !served && !taken ->
			if
			:: served = 1
			:: queue[0] < WAITER -> hold_it(queue[0]); drop(0)
			fi
		}
	:: atomic { !served && taken && ask_at > 0 ->
			if
#ifndef M_ONEPLACE
			:: now - parked_at >= trust && l_end != seen_end -> park_again()
#endif
			:: else
			fi;
			ask_at = 0 /* once a tick is as good as often */
		}
	/* A tick passes when all that is due has been done. */
	:: atomic {
			!served && taken && !(holder != 0 && now >= hold_end) && (now % NET != 0 || ask_at == 0) ->
			now++;
			assert(now <= BOUND);
			ask_at = now;
			if
			:: holder == 0 && now >= l_end -> taken = 0
			:: else
			fi
		}
	od
}
