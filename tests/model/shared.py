"""The scripts for shares."""
from rig import *

WAITS = 2500  # the flag of one that waits
A, B, C, X = T1, T2, T3, T4
WHO = "h:1"


def enter(token, lease=5000, until=0, flag=0, want=0, *passed, by=None):
    return run("enter", token + WHO, lease, until, flag, want, *passed, by=by)


def leave(token, fence=0, baton=B1, delay=0, *breaks, by=None):
    return run("leave", token, fence, baton, delay, *breaks, by=by)


def extend(token, fence, lease=5000, until=0, how="longer"):
    return run("extend_shared", token, fence, lease, until, how)


def upgrade(token, fence, lease=1, until=0):
    return run("upgrade", token + WHO, fence, lease, until)


def downgrade(token, fence):
    return run("downgrade", token, fence)


def pop(key):
    return r("LPOP", key)


def free():
    holds("free", L, None)


def waits(first):
    """The answer of enter: whether its waiter is the first."""
    return lambda answer: (answer[0], answer[2]) == (0, first)


def still_shared(fence, left):
    """The answer of an upgrade that is refused."""
    return ours(fence, left, verdict=0)


def above(fence):
    return lambda found: found > fence


def entering():
    fresh()
    before = clock()
    a = enter(A)
    check("the first share", a, granted(5000))
    check("its fence is the clock", a[0], near(clock(), before))
    holds("L", L, "+shared")
    holds("the fence", F, str(a[0]))
    check("twice", enter(A, 9000), granted(9000, a[0]))
    holds("twice raises nothing", F, str(a[0]))
    check("twice, shorter", enter(A, 100), granted(9000, a[0]))
    b = enter(B, 1000)
    check("beside it", b, granted(1000))
    check("the fence rises", b[0], above(a[0] + 1))
    check("L lasts as the longest", r("PTTL", L), near(9000))
    check("so does the set", r("PTTL", S), near(9000))
    check("the fence outlives it", r("PTTL", F), near(HOUR + 9000))
    check("so does the record", r("PTTL", H), near(HOUR + 9000))
    check("late", enter(C, 10, 1), starts("LATE "))
    check("exclusively", enter(X, 10, 0, 0, "x"), waits(0))
    check("exclusively, with a share", enter(A, 10, 0, 0, "x"), waits(2))
    check("at the limit", enter(C, 10, 0, 0, 2), waits(0))
    check("below the limit", enter(C, 2000, 0, 0, 3), granted(2000))
    sharers = run("sharers")
    check("nobody waits", sharers[0], 0)
    check("those that end first come first", sharers[1::3], [B, C, A])
    check("for how long", sharers[2], near(1000))
    check("who", sharers[3], f"{b[0]}:{WHO}")
    check("left_ms with a limit", enter(X, 10, 0, 0, 3)[1], near(1000))
    fresh(("SET", F, clock() + 10**9))
    last = int(r("GET", F))
    check("a fence ahead of the clock", enter(A)[0], last + 2)
    check("2 more", enter(B)[0], last + 4)
    r("SET", F, "no number")
    check("no number", enter(C), granted(5000))
    fresh()
    check("four keys", (len(enter(A)), r("DBSIZE")), (2, 4))


def leaving():
    fresh()
    a, b, c = enter(A, 9000), enter(B, 1000), enter(C, 1000)
    check("another fence", leave(C, 7), 3)
    check("any fence", leave(C), 1)
    check("twice", leave(C), 3)
    check("twice, by its fence", leave(C, c[0]), 2)
    check("the longest leaves", leave(A, a[0]), 1)
    check("L ends earlier", r("PTTL", L), near(1000))
    check("the last leaves", leave(B, b[0]), 1)
    free()
    check("late", leave(B, b[0]), 2)
    enter(C)
    check("the era goes on", leave(A, a[0]), 2)
    r("DEL", L)
    r("SET", L, X + WHO)
    check("somebody has it", leave(A, a[0]), 3)
    r("DEL", L)
    r("DEL", F)
    check("no fence", leave(A, a[0]), 4)


def exclusively():
    fresh()
    a = enter(A)
    leave(A)
    x = enter(X, 5000, 0, 0, "x")
    check("a free lock", x, granted(5000))
    holds("the value", L, X + WHO)
    check("lost", leave(A, a[0]), 3)
    check("twice", enter(X, 9000, 0, 0, "x"), [x[0], 9000, 1])
    check("twice, shorter", enter(X, 10, 0, 0, "x"), lambda answer: answer[1] > 8000)
    check("a share", enter(A), waits(0))
    check("no sharers", run("sharers"), [])
    r("DEL", L)
    check("still lost", leave(A, a[0]), 3)
    b = enter(B)
    check("an era that has begun is told apart", leave(A, a[0]), 3)
    r("DEL", L)
    check("this one is not lost", leave(B, b[0]), 2)


def names():
    fresh()
    first = enter(N1, 2000)
    again = enter(N2, 1000)
    check("a name again", again, granted(2000))
    check("is a new grant", again[0], above(first[0]))
    check("without RANDOM", run("sharers")[1::2], [NAME, f"{again[0]}:{WHO}"])
    check("a release under the fence before", leave(NAME, first[0]), 2)
    check("upgraded, under the fence before", upgrade(N1, first[0]), [3])
    up = upgrade(N1, again[0], 3000)
    check("upgraded", up, ours(above(again[0] + 1), 3000))
    holds("with RANDOM", L, N1 + WHO)
    check("twice", upgrade(N1, again[0]), ours(above(int(up[1])), 3000))
    holds("RANDOM stays", L, N1 + WHO)
    check("by another process", upgrade(N2, again[0]), ours(above(int(up[1])), 3000))
    holds("without RANDOM", L, NONE + WHO)
    check("a release under the fence before", run("release", NAME, up[1], B1, 0, keys=EXCLUSIVE), 3)
    fence = r("GET", F)
    check("downgraded", downgrade(NAME, fence), ours(int(fence), 3000))
    check("without RANDOM", run("sharers")[1::2], [NAME, f"{fence}:{WHO}"])
    check("twice", downgrade(NAME, fence), ours(int(fence), 3000, 2))
    check("its waiter leaves the turnstile", leave(NAME, -1), 3)
    check("given back", leave(NAME, fence), 1)
    fresh(("SET", L, N1 + WHO, "PX", 4000), ("SET", F, 5))
    answer = enter(N2, 1000)
    check("a name has it exclusively", [answer[2:], near(4000)(answer[1])], [[1], True])
    check("a new grant", answer[0], above(5))
    holds("without RANDOM", L, NONE + WHO)


def foreign_values():
    for command in (("SET", L, "foreign"), ("SET", L, ""), ("RPUSH", L, "x"), ("SADD", L, "x"),
                    ("HSET", L, "f", "v"), ("ZADD", L, 1, "x"), ("XADD", L, "*", "f", "v")):
        what = " ".join(map(str, command))
        fresh(command)
        check("a share, " + what, enter(A, 10, 0, 100), waits(0))
        check("exclusively, " + what, enter(X, 10, 0, 100, "x"), waits(0))
        check("no fence, " + what, leave(A, 5), 4)
        r("SET", F, 5)
        check("leave, " + what, leave(A, 5), 3)
        check("extend, " + what, extend(A, 5), [3])
        check("upgrade, " + what, upgrade(A, 5), [3])
        check("downgrade, " + what, downgrade(A, 5), [3])
        check("sharers, " + what, run("sharers"), [])
        check("it stays, " + what, r("EXISTS", L), 1)
    for key in F, S, H, W, Q, T, R:
        for command in (("SET", key, "?"), ("RPUSH", key, "x"), ("SADD", key, "x"),
                        ("HSET", key, "f", "v"), ("ZADD", key, 1, "x"),
                        ("XADD", key, "*", "f", "v")):
            fresh(command)
            what = " ".join(command[:1] + command[1:2])
            check("a free lock beside " + what, enter(A), granted(5000))
            check("given back beside " + what, leave(A), 1)


def extending():
    fresh()
    fence = enter(A, 1000)[0]
    check("longer", extend(A, fence, 3000), ours(fence, 3000))
    check("L, too", r("PTTL", L), near(3000))
    check("not shorter", extend(A, fence, 10), ours(fence, 3000))
    check("it only looks", extend(A, fence, 0), ours(fence, 3000))
    check("nothing has changed", r("PTTL", L), near(3000))
    check("another's", extend(B, fence, 0), [2])
    check("late, anew", extend(A, fence, 400, 1, "anew"), starts("LATE "))
    anew = extend(A, fence, 300, 0, "anew")
    check("anew", [anew[0], anew[2]], [1, 300])
    check("it raises the fence", int(anew[1]), above(fence + 1))
    holds("the fence", F, anew[1])
    check("L ends with it", r("PTTL", L), near(300, 100))
    check("who", run("sharers")[3], f"{anew[1]}:{WHO}")
    check("anew twice", extend(A, fence, 9000, 0, "anew")[:2], [2, anew[1]])
    check("which sets nothing", r("PTTL", L), near(300, 1))
    check("longer, another fence", extend(A, fence), [2])
    later = int(anew[1]) + 9
    check("anew, of a forgotten grant", extend(A, later, 9000, 0, "anew"), [2])
    check("upgraded, of a forgotten grant", run("upgrade", A + WHO, later, 9000, 0), [2])
    r("DEL", S)  # it has ended
    check("no share", extend(A, anew[1]), [2])
    check("no share, anew", extend(A, anew[1], 100, 0, "anew"), [2])


def taking_back():
    fresh()
    a = enter(A)
    leave(A)
    check("it has ended", enter(A, 2000, 0, 0, 0, a[0]), granted(2000))
    check("of an earlier era", enter(B, 500, 0, 0, 0, 3), [0, 0, 0])
    later = clock() - 1
    forgotten = enter(A, 2000, 0, 0, 0, later)
    check("the last grant was forgotten", forgotten, granted(2000))
    check("the fence rises even so", forgotten[0], above(later))
    check("twice", enter(A, 2000, 0, 0, 0, later), granted(2000, forgotten[0]))
    check("no room", enter(B, 500, 0, 0, 1, a[0])[0], 0)
    leave(A)
    r("SET", F, clock() + 10**9)
    check("somebody has had it", enter(A, 500, 0, 0, 0, a[0]), [0, 0, 0])
    fresh()
    a = enter(A)
    leave(A)
    enter(B)
    enter(X, 9, 0, WAITS, "x")
    check("past a waiter", enter(A, 500, 0, 0, 0, a[0]), granted(500))
    holds("the turnstile stays the waiter's", T, "1:" + X)


def ended():
    fresh()
    enter(B, 3000)
    enter(A, 5)
    until = clock() + 6000
    while clock() < until:
        pass
    enter(C, 3000, 0, 0, 2)
    check("its record is gone", sorted(r("HKEYS", H)), sorted(["ERA", "LAST", B, C]))
    leave(B)
    check("alone", leave(C), 1)
    free()


def evicted():
    fresh()
    a = enter(A)
    r("DEL", S)
    check("the set keeps all out", enter(B)[0], 0)
    check("no verdict of loss", leave(A, a[0]), 2)
    check("broken without shares", leave("+", 0, B1, 0, 1), 1)
    free()
    a = enter(A)
    r("DEL", H)
    check("the record", leave(A, a[0]), 3)
    check("the record, longer", extend(A, a[0]), [3])
    fresh()
    a = enter(A)
    r("DEL", F)
    check("the fence", extend(A, a[0]), ours(a[0], 5000))
    check("the fence, ended", leave(B, a[0]), 4)


def breaking():
    fresh()
    a, b = enter(A), enter(B)
    check("one", leave(B, b[0], B1, 0, 1), 1)
    check("its holder learns", leave(B, b[0]), 3)
    c = enter(C)
    check("another", leave(A, a[0], B1, 0, 1), 1)
    check("both have lost", (leave(A, a[0]), leave(B, b[0])), (3, 3))
    check("the third has not", leave(C, c[0]), 1)
    check("it was late", leave(C, c[0]), 2)
    free()


def cooling():
    fresh()
    a, b = enter(A), enter(B)
    leave(A, a[0], B1, 3000)
    check("nobody enters", enter(C, 5000, 0, 0, 9)[0], 0)
    check("whoever waits learns until when", enter(C, 5000, 0, 0, 9)[1], near(5000))
    sharers = run("sharers")
    check("a cooldown", sharers[1], "-")
    check("who has left it", sharers[3], f"{a[0]}:{WHO}")
    check("no upgrade", upgrade(B, b[0]), still_shared(above(b[0]), 5000))
    check("the last leaves", leave(B), 1)
    holds("it still cools", L, "+shared")
    check("for how long", r("PTTL", L), near(3000))
    check("left before", leave(A, a[0]), 2)
    check("broken", leave("-", 0, B1, 0, 1), 1)
    free()
    check("by which nobody loses a share", leave(A, a[0]), 2)
    enter(A)
    leave(A, 0, B1, 5)
    end = clock() + 6000
    while clock() < end:
        pass
    check("over", enter(B), granted(5000))


def changing_kind():
    fresh()
    a, b = enter(A), enter(B)
    check("late", upgrade(A, a[0], 6000, 1), starts("LATE "))
    refused = upgrade(A, a[0], 6000)
    check("not alone", refused, still_shared(above(a[0] + 1), 5000))
    check("twice", upgrade(A, a[0], 6000)[:2], [0, refused[1]])
    leave(B)
    check("a late copy", upgrade(A, a[0], 6000)[:2], [0, refused[1]])
    up = upgrade(A, refused[1], 6000)
    check("upgraded", up, ours(above(int(refused[1]) + 1), 6000))
    holds("exclusive", L, A + WHO)
    holds("the fence", F, up[1])
    check("twice", upgrade(A, refused[1], 6000), ours(int(up[1]), 6000))
    check("the other has lost it", leave(B, b[0]), 3)
    check("downgraded, another fence", downgrade(A, refused[1]), [3])
    check("downgraded", downgrade(A, up[1]), ours(int(up[1]), 6000))
    check("twice", downgrade(A, up[1]), ours(int(up[1]), 6000, 2))
    check("who", run("sharers")[3], f"{up[1]}:{WHO}")
    check("an older copy", upgrade(A, refused[1], 6000)[:2], [0, up[1]])
    check("an earlier era", leave(B, b[0]), 3)
    check("given back", leave(A, up[1]), 1)
    check("downgrade, gone", downgrade(A, up[1]), [2])
    check("upgrade, gone", upgrade(A, up[1]), [2])
    r("DEL", F)
    check("no fence", downgrade(A, up[1]), [4])
    r("SET", L, A + WHO)
    check("no expiry, no fence", downgrade(A, 77)[:2], [1, "77"])
    holds("put back", F, "77")
    fresh()
    a = enter(A, 5000)
    check("what is left", upgrade(A, a[0], 1), ours(above(a[0]), 5000))


def first_waiter():
    fresh()
    enter(A)
    check("the first", enter(X, 9, 0, WAITS, "x"), waits(1))
    holds("the turnstile", T, "1:" + X)
    check("one behind it", enter(B, 9, 0, WAITS), waits(0))
    check("still the first", enter(X, 9, 0, WAITS, "x"), waits(1))
    check("somebody waits", run("sharers")[0], 1)
    leave(A, 0, B1)
    holds("a baton for the first", L, B1)
    holds("in the room", R, [B1])
    check("not for others", enter(B)[0], 0)
    check("it asks, and has it", enter(X, 500, 0, 0, "x"), granted(500))
    holds("exclusively", L, X + WHO)
    fresh()
    enter(A)
    enter(X, 9, 0, WAITS, "x")
    leave(A, 0, B1)
    check("by its baton", enter(X, 500, 0, 0, "x", B1), granted(500))
    fresh()
    enter(A)
    enter(X, 9, 0, WAITS, "x")
    leave(A, 0, B2)
    check("it gives up what lies in the room", leave(X, 0, B3), 1)
    holds("passed on", L, B3)
    holds("on the wake list", Q, [B3])
    holds("no turnstile", T, None)


def tickets():
    fresh()
    enter(A)
    enter(B)
    enter(C, 500, 0, WAITS, 2)
    holds("the turnstile", T, "2:" + C)
    leave(A)
    holds("a nudge", R, ["+"])
    check("nobody passes it", enter(A)[0], 0)
    check("it enters", enter(C, 500, 0, 0, 2, "+"), granted(500))
    ticket = r("GET", T)
    check("a ticket", ticket[:1], "~")
    holds("passed on", Q, [ticket])
    check("it lies there, so anybody may enter", enter(A, 9, 0, 0, 0, B1)[0], above(0))
    ticket = pop(Q)
    check("a stale pass", enter(X, 9, 0, 0, "x", B1)[0], 0)
    check("a ticket makes the first", enter(X, 9, 0, WAITS, "x", ticket), waits(1))
    check("the last ask", enter(X, 9, 0, 0, "x"), waits(0))
    ticket = pop(Q)
    holds("passes it on", T, ticket)
    check("a ticket given back", leave(ticket), 1)
    ticket = pop(Q)
    enter(X, 9, 0, WAITS, "x", ticket)
    check("the first leaves", leave(X), 1)
    ticket = pop(Q)
    for token in A, B, C:
        leave(token)
    holds("the ticket is the baton now", L, ticket)
    holds("and no ticket", T, None)
    check("a baton given back", leave(ticket, 0, B2), 1)
    holds("the next one has it", L, B2)
    check("in the list", pop(Q), B2)
    check("a copy of that", leave(ticket, 0, B2), 1)
    check("it is on its way", enter(A)[0], 0)
    r("RPUSH", Q, B2)
    r("SET", W, "~", "KEEPTTL")
    check("lying there, it is anybody's", enter(A), granted(5000))
    holds("who found it is alive", W, "")
    leave(A)
    baton = r("GET", L)
    r("DEL", W, Q)
    check("nobody waits", leave(baton), 1)
    free()


def room():
    fresh()
    for token in A, B, X:
        enter(token)
    enter(C, 500, 0, WAITS, 2)
    leave(A)
    holds("there is no room yet", R, [])
    leave(B)
    holds("there is", R, ["+"])


def turnstile_ends():
    fresh()
    enter(A)
    enter(X, 9, 0, WAITS, "x")
    r("DEL", L)
    enter(X, 9, 0, 0, "x")
    holds("with the lock", T, None)
    holds("exclusively", L, X + WHO)
    holds("which the first knows itself", R, [])
    r("SET", T, "1:" + B)
    check("without shares", leave(B), 1)
    holds("ends", T, None)
    r("SET", T, "1:" + B)
    enter(B, 9, 0, WAITS, "x")
    holds("to the wake list", T, None)
    fresh()
    a = enter(A)
    enter(X, 9, 0, WAITS, "x")
    up = upgrade(A, a[0])
    holds("an upgrade ends it", T, None)
    holds("and tells the first", R, ["+"])
    downgrade(A, up[1])
    ticket = r("GET", T)
    check("a downgrade passes a ticket on", ticket[:1], "~")
    holds("on the wake list", Q, [ticket])
    for want in "0", "x":
        fresh()
        enter(A)
        enter(X, 9, 0, WAITS, "x")
        r("DEL", L)  # as if the share had run out
        enter(B, 9, 0, 0, want)
        check("another has the lock", str(r("GET", T)).startswith("1:"), False)
        holds("of which the first is told", R, ["+"])


def flags():
    fresh()
    enter(A)
    enter(X, 9, 0, 3000, "x")
    check("a flag", r("PTTL", W), near(3000))
    enter(X, 9, 0, 1000, "x")
    check("it stays up", r("PTTL", W), near(3000, 1500))
    enter(B, 9, 0, 9000)
    check("it lasts longer", r("PTTL", W), near(9000))
    fresh(("SET", L, X + WHO), ("SET", W, "~", "PX", 9000))
    enter(B, 9, 0, 0, 0, B1)
    holds("who was told is alive", W, "")


def with_full_memory():
    fresh()
    a, b = enter(A), enter(B)
    with full_memory():
        check("full: no share without a pass", enter(X, 900)[0], 0)
        check("full: it can but wait", enter(C, 900, 0, WAITS, 2), waits(1))
        check("full: behind it", enter(X, 9, 0, WAITS), waits(0))
        check("full: nobody enters", enter(X, 9)[0], 0)
        check("full: longer", extend(A, a[0])[0], 1)
        check("full: anew", extend(A, a[0], 3000, 0, "anew")[0], 1)
        check("full: leave", leave(A), 1)
        check("full: a nudge is good", enter(C, 900, 0, 0, 2, "+"), granted(900))
        leave(C)
        up = upgrade(B, b[0])
        check("full: upgrade", up[0], 1)
        check("full: twice", upgrade(B, b[0])[0], 1)
        check("full: downgrade", downgrade(B, up[1])[0], 1)
        leave(B, 0, B2)
        check("full: a baton is good", enter(A, 900, 0, 0, 0, B2), granted(900))
        holds("full: who was told is alive", W, "")
        r("DEL", *SHARED)
        check("full: so is an ask", enter(A, 900, 0, 0, 0, "-"), granted(900))
        r("DEL", *SHARED)
        check("full: a free lock, waiting", enter(A, 900, 0, WAITS), starts("OOM"))
        check("full: the flag is up", r("PTTL", W), near(WAITS))
        r("DEL", *SHARED)
        check("full: a free lock", enter(A), starts("OOM"))
        check("full: nothing is left", r("DBSIZE"), 0)


def on_a_replica():
    fresh()
    a = enter(A)
    for what, free_it in ("shared", False), ("free", True):
        if free_it:
            r("DEL", L)
        with replica():
            for script, answer in {
                    "enter": enter(B), "leave": leave(A, a[0]), "longer": extend(A, a[0], 0),
                    "upgrade": upgrade(A, a[0]), "downgrade": downgrade(A, a[0]),
                    "sharers": run("sharers"), "another's leave": leave(B, a[0]),
                    "back": enter(A, 500, 0, 0, 0, a[0])}.items():
                check(f"{script} on a replica, {what}", answer, starts("READONLY"))


def without_rights():
    with user("-hset"):
        fresh()
        check("may not share", enter(A), starts(""))
        holds("nothing is left", L, None)
    with user("-time"):
        fresh()
        check("may not tell the time", enter(A), starts(""))
        holds("nothing is left", L, None)
    with user("-rpush", "-lpop"):
        fresh()
        enter(A)
        enter(X, 9, 0, WAITS, "x")
        check("may not push", leave(A), 1)
        free()


def check_all():
    for part in (entering, leaving, exclusively, names, foreign_values, extending, taking_back,
                 ended, evicted, breaking, cooling, changing_kind, first_waiter, tickets,
                 room, turnstile_ends, flags, with_full_memory, on_a_replica, without_rights):
        part()
