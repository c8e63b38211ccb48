/*
 * May a renewal take a majority's lock again on a server that has lost it?
 *
 * Three servers keep their data over a restart, but what expires while one is away is gone there. A holds the lock and
 * renews it in rounds: one request to each server, sent while the lease is safe. A server that has A's token prolongs it.
 * One that has none sets it anew if its fence is still that of A's grant, and if UNTIL ticks have not passed since the
 * round began. Only servers that had the token count for A. Requests may arrive at any time later, and twice. Others take a
 * free server in a try, and have the lock if they get two; otherwise they give back what they got.
 *
 * It is asserted that no two have the lock, and that a server is not taken by A's token for nobody for longer than a lease
 * after UNTIL. With KEPT, the servers restart one after the other, each away for longer than the lease, the next one not
 * before two rounds have been answered by all; each round is answered at once; and it is asserted that A keeps the lock.
 *
 *   TRIES       how often others try; KEPT: with them, they get a server that has lost it before A
 *   COPIES, RESTARTS  how many requests come late, and how often a server is away, without KEPT
 *   M_NOREPAIR  mutation: a server that has none stays so
 *   PLAIN       A takes what is free, whoever was granted it since, as by a new request: then its fence there is another
 *   M_OVER      mutation: A's token is set over others', too
 *   M_NOUNTIL   mutation: however late a request is
 */
/* 1 where it is defined. */
#ifdef KEPT
#define KEEPS 1
#else
#define KEEPS 0
#endif
#ifdef M_NOREPAIR
#define REPAIRS 0
#else
#define REPAIRS 1
#endif
#ifdef PLAIN
#define ANYBODYS 1
#else
#define ANYBODYS 0
#endif
#ifdef M_OVER
#define IS_FREE(i) 1
#else
#define IS_FREE(i) (token[i] == 0)
#endif
#ifdef M_NOUNTIL
#define ENDLESS 1
#else
#define ENDLESS 0
#endif

#ifndef COPIES
#define COPIES 1
#endif
#ifndef RESTARTS
#define RESTARTS 1
#endif
#define N     3
#define LEASE 2
#define UNTIL 1
#define A     1 /* A's grant; those of others are higher */
#define NOBODY 99

byte now = 0;
byte token[N], end[N], fence[N];
bit away[N];
byte away_until = 0;       /* KEPT */

/* A's request to each server: of the present round and of one before, which came late. */
bit asked[N], late[N];
byte late_until[N];
byte round_at = NOBODY, votes = 0;
bit counted[N];
byte a_safe = LEASE; /* until when A has it; 0: it has been released, or was told lost */
bit released = 0;
byte released_at = 0;
byte rounds = 2;          /* KEPT: that all have answered since a server was back */

byte copies = 0, restarts = 0;
byte tries = 0, other = 0, other_safe = 0, got = 0, try_at = 0;
bit mine[N];

#define a_has     (a_safe > now)
#define other_has (other_safe > now)

inline expire(i)
{
	if
	:: token[i] != 0 && end[i] <= now -> token[i] = 0; end[i] = 0
	:: else
	fi
}

/* What extend does. `until`: of the request. It counts for A if A's token was there. */
inline extend(i, until, counts)
{
	expire(i);
	if
	:: token[i] == A ->
		end[i] = now + LEASE;
		if
		:: counts && !counted[i] -> votes++; counted[i] = 1
		:: else
		fi
	:: token[i] != A && IS_FREE(i) && REPAIRS && (fence[i] == A || ANYBODYS) && (now <= until || ENDLESS) ->
		token[i] = A; end[i] = now + LEASE; fence[i] = A
	:: else
	fi;
	/* The lock is A's no more, so this server is taken for nobody. */
	assert(!(released && token[i] == A && end[i] > released_at + UNTIL + LEASE));
}

#define all_up (!away[0] && !away[1] && !away[2])

/* At any moment: A has waited long enough. What is out comes late, or never. */
inline end_round()
{
	if
	:: votes >= 2 && !released -> a_safe = round_at + LEASE; assert(!(a_has && other_has))
	:: else
	fi;
	i = 0;
	do
	:: i < N ->
		if
		:: asked[i] && !late[i] && copies < COPIES -> copies++; late[i] = 1; late_until[i] = round_at + UNTIL
		:: else /* lost */
		fi;
		asked[i] = 0; counted[i] = 0; i++
	:: else -> break
	od;
	i = 0; votes = 0; round_at = NOBODY
}

active proctype World()
{
	byte i = 0;

	atomic {
		do
		:: i < N -> token[i] = A; end[i] = LEASE; fence[i] = A; i++
		:: else -> break
		od;
		i = 0
	};
	do
#ifdef KEPT
	/* Each tick has a round, and all that can answer do. */
	:: atomic { now < MAXT && (all_up || now < away_until) ->
			now++; votes = 0;
			do
			:: i < N ->
				if
				:: !away[i] -> extend(i, now, 1)
				:: else
				fi;
				counted[i] = 0; i++
			:: else -> break
			od;
			i = 0;
			a_safe = (votes >= 2 -> now + LEASE : a_safe);
			rounds = (all_up && rounds < 2 -> rounds + 1 : rounds);
			assert(a_has)
		}
#else
	:: atomic { now < MAXT -> now++ }
	/* A begins a round. */
	:: atomic { round_at == NOBODY && !released && a_has ->
			round_at = now; asked[0] = 1; asked[1] = 1; asked[2] = 1
		}
	/* A server runs it, and perhaps once more, where the answer was lost. */
	:: atomic { round_at != NOBODY ->
			select(i : 0 .. N - 1);
			if
			:: asked[i] && !away[i] ->
				extend(i, round_at + UNTIL, 1);
				if
				:: asked[i] = 0
				:: skip
				fi
			:: else
			fi;
			i = 0
		}
	:: atomic { round_at != NOBODY -> end_round() }
	/* What is late arrives. */
	:: atomic {
			select(i : 0 .. N - 1);
			if
			:: late[i] && !away[i] -> extend(i, late_until[i], 0); late[i] = 0; late_until[i] = 0
			:: else
			fi;
			i = 0
		}
	/* A gives it back where it can; the rest ends by itself. */
	:: atomic { !released && a_has && round_at == NOBODY ->
			released = 1; released_at = now; a_safe = 0;
			do
			:: i < N ->
				if
				:: token[i] == A && !away[i] -> token[i] = 0; end[i] = 0
				:: else
				fi;
				i++
			:: else -> break
			od;
			i = 0
		}
#endif
	/* Somebody else tries. */
	:: atomic { tries < TRIES && got == 0 && !other_has && try_at == 0 -> tries++; other = A + tries; try_at = now + 1 }
	:: atomic { try_at > 0 ->
			select(i : 0 .. N - 1);
			if
			:: !away[i] ->
				expire(i);
				if
				:: token[i] == 0 -> token[i] = other; end[i] = now + LEASE; fence[i] = other; got++; mine[i] = 1
				:: else
				fi
			:: else
			fi;
			i = 0;
			if
			:: got >= 2 -> other_safe = try_at - 1 + LEASE; assert(!(a_has && other_has)); try_at = 0; got = 0; mine[0] = 0; mine[1] = 0; mine[2] = 0
			:: else
			fi
		}
	:: atomic { try_at > 0 -> /* it did not suffice */
			do
			:: i < N ->
				if
				:: mine[i] && token[i] == other && !away[i] -> token[i] = 0; end[i] = 0
				:: else
				fi;
				mine[i] = 0; i++
			:: else -> break
			od;
			i = 0; got = 0; try_at = 0
		}
	/* A server goes away, or is back with its data. */
	:: atomic { all_up && rounds == 2 && (KEEPS || restarts < RESTARTS) ->
			restarts = restarts + 1 - KEEPS;
			select(i : 0 .. N - 1);
			away[i] = 1; away_until = now + LEASE; i = 0
		}
	:: atomic { !all_up && (now >= away_until || !KEEPS) ->
			away[0] = 0; away[1] = 0; away[2] = 0; away_until = 0;
			rounds = (KEEPS -> 0 : 2)
		}
	:: atomic { now == MAXT -> break }
	od
}
