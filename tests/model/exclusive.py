"""The scripts for exclusive locks."""
from rig import *

FLAG = "SET", W, "", "PX", 9000


def acquire(value, lease=5000, until=0, flag=0, *heard, by=None):
    return with_lease(run("acquire", value, lease, until, flag, *heard, by=by), lease)


def release(token, fence=0, baton=B1, delay=0, *until, keys=None):
    return run("release", token, fence, baton, delay, *until, keys=keys)


def extend(token, fence, lease, how, *value, until=0, keys=None):
    return run("extend", token, fence, lease, until, how, *value, keys=keys)


def grant(value, *commands):
    fresh(*commands)
    return acquire(value)[0]


def acquiring():
    fresh()
    check("for as long as was asked for", run("acquire", T1, 5000, 0, 0), near(clock(), 1))
    fresh()
    before = clock()
    answer = acquire(T1 + "h:1:data")
    check("free", answer, granted(5000))
    check("the fence is the clock", answer[0], near(clock(), before))
    holds("the value", L, T1 + "h:1:data")
    holds("the fence", F, str(answer[0]))
    check("the fence is kept", r("PTTL", F), near(HOUR + 5000))
    check("twice", acquire(T1 + "h:1:data", 9000), granted(9000, answer[0]))
    check("twice, shorter", acquire(T1 + "h:1:data", 1000), granted(9000, answer[0]))
    check("busy", acquire(T2 + "h:2"), busy(9000))
    check("no flag", r("EXISTS", W), 0)
    acquire(T2 + "h:2", 5000, 0, 3000)
    check("a flag", r("PTTL", W), near(3000))
    acquire(T2 + "h:2", 5000, 0, 1000)
    check("a flag stays up", r("PTTL", W), near(3000, 1500))
    acquire(T2 + "h:2", 5000, 0, 9000)
    check("a flag lasts longer", r("PTTL", W), near(9000))
    r("PERSIST", L)
    check("it never expires", acquire(T2 + "h:2"), [0, -1])
    fresh(("SET", L, "+shared", "PX", 5000))
    shared = acquire(T1, 5000, 0, 3000)
    check("held shared", [shared[0], shared[2:]], [0, [1]])
    check("for how long", shared[1], near(5000))
    check("nothing is written", r("DBSIZE"), 1)
    fresh()
    check("late", acquire(T1, 5000, 5), starts("LATE "))
    check("late, and nothing done", r("DBSIZE"), 0)
    check("in time", acquire(T1, 5000, clock() + 10**7), granted(5000))
    fresh()
    if not State.full:
        check("three commands", commands(lambda: acquire(T1)), 3)
    for name, command in {"foreign": ("SET", L, "x"), "foreign '-'": ("SET", L, "-"),
                          "a hash": ("HSET", L, "f", "v")}.items():
        fresh(command)
        check(name, acquire(T1, 5000, 0, 0, "-")[0], 0)
    fresh(("SET", F, clock() + 10**9))
    last = int(r("GET", F))
    check("a fence ahead of the clock", acquire(T1)[0], last + 2)
    fresh(("RPUSH", F, "x"))
    check("a fence of another type", acquire(T1), granted(5000))
    check("it is a fence again", r("TYPE", F), "string")
    fresh()
    acquire(T1)
    r("DEL", F)
    check("twice, the fence evicted", acquire(T1), granted(5000))
    check("a new fence", r("EXISTS", F), 1)


def batons():
    fresh(("SET", L, B1, "PX", 500), ("SET", W, "~", "PX", 9000), ("SET", F, 7))
    check("another's baton", acquire(T2 + "h:2", 5000, 0, 3000, B2)[0], 0)
    holds("a waiter that was told is alive", W, "")
    check("a claim", acquire(T1 + "h:1", 5000, 0, 3000, B1), granted(5000))
    holds("the value", L, T1 + "h:1")
    answer = acquire(T1 + "h:1", 5000, 0, 3000, B1)
    check("a claim twice", answer, granted(5000, int(r("GET", F))))
    fresh(("SET", L, B1, "PX", 500), ("SET", W, "~", "PX", 9000), ("RPUSH", Q, B1))
    check("a baton that reached nobody", acquire(T1), granted(5000))
    check("it is gone", r("EXISTS", Q), 0)
    holds("no doubt", W, "")
    fresh(("SET", L, B1, "PX", 500), ("RPUSH", Q, B2))
    check("a stale baton", acquire(T1)[0], 0)
    check("it is gone", r("EXISTS", Q), 0)
    fresh(("SET", L, B1, "PX", 500))
    check("late claim", acquire(T1, 5000, 5, 0, B1), starts("LATE "))
    holds("the baton stays", L, B1)


def names():
    fresh()
    first = acquire(N1 + "h:1:data")
    check("a name", first, granted(5000))
    second = acquire(N1 + "h:1:data", 3000)
    check("a name twice", second, lambda a: a[0] > first[0] and near(5000)(a[1]))
    holds("RANDOM stays", L, N1 + "h:1:data")
    check("a release under the fence before", release(NAME, first[0]), 3)
    third = acquire(N2 + "h:2", 9000)
    check("a name again", third, lambda a: a[0] > second[0] and near(9000)(a[1]))
    holds("without RANDOM", L, NONE + "h:1:data")
    check("longer, by an earlier grant's fence", extend(NAME, first[0], 9000, "longer"), [5])
    check("an undo of the first", release(N1), 3)
    check("an undo of the second", release(N2), 3)
    check("prolonged, shorter", extend(NAME, third[0], 2000, "anew"), ours(third[0] + 1, 2000))
    check("another name", acquire("rlock1@6f:" + "1" * 32 + ":")[0], 0)
    check("longer, by the fence before", extend(NAME, third[0], 9000, "longer"), [5])
    check("the lease is as it was", r("PTTL", L), near(2000))
    check("longer, by the fence before, of one", extend(N1, third[0], 9000, "longer"), [5])
    check("three commands", commands(lambda: check("a release", release(NAME, third[0] + 1), 1)), 3)
    check("which raises the fence", r("GET", F), str(third[0] + 2))
    check("and lets it live", r("PTTL", F), near(3600000 + 2000))
    check("again", release(NAME, third[0] + 1), 3)
    check("longer", extend(NAME, third[0] + 1, 9000, "longer"), [5])
    check("longer, by an earlier one", extend(NAME, third[0], 9000, "longer"), [3])
    check("prolonged", extend(NAME, third[0] + 1, 9000, "anew"), [2, third[0] + 2, -2])
    check("it is free", r("EXISTS", L), 0)
    for delay in 0, 3000:
        fence = acquire(N1 + "h:1")[0]
        r("SET", W, "", "PX", 9000)
        check("a release that passes it on", release(NAME, fence, B1, delay), 1)
        check("longer", extend(NAME, fence, 9000, "longer"), [5])
        fresh()
    fence = acquire(N1 + "h:1")[0]
    release(NAME, fence, B1, 3000)
    check("a cooldown keeps the fence", r("GET", F), str(fence))
    fresh()
    fence = acquire(N1 + "h:1")[0]
    run("downgrade", NAME, fence)
    check("shared by the name", extend(NAME, fence, 9000, "longer"), [5])
    fresh()
    fence = acquire(N1 + "h:1")[0]
    r("SET", L, "-foreign", "PX", 5000)
    check("overwritten", extend(NAME, fence, 9000, "longer"), [3])
    fresh()
    fence = acquire(N1 + "h:1")[0]
    r("DEL", L)
    check("deleted", extend(NAME, fence, 9000, "longer"), [2])
    acquire(T1 + "h:1")
    check("taken", extend(NAME, fence, 9000, "longer"), [3])
    fresh()
    fence = acquire(N1 + "h:1")[0]
    run("release", N1 + "h:1", fence, B1, 0, 9 * 10**18)
    check("broken", extend(NAME, fence, 9000, "longer"), [3])
    fence = acquire(N1 + "h:1")[0]
    check("an undo", release(N1), 1)
    check("leaves the fence", r("GET", F), str(fence))
    acquire(N1 + "h:1")
    check("an undo of its own", release(N1), 1)
    longest = "rlock1@" + "6e" * 255 + ":"
    acquire(longest + "1" * 32 + ":h:1")
    acquire(longest + "2" * 32 + ":h:1")
    holds("the longest name", L, longest + "0" * 32 + ":h:1")


def releasing():
    fence = grant(T1 + "h:1")
    check("two commands", commands(lambda: check("a release", release(T1, fence), 1)), 2)
    check("it is free", r("EXISTS", L), 0)
    check("late", release(T1, fence), 2)
    check("another was granted it", release(T1, fence - 1), 3)
    r("DEL", F)
    check("unknown", release(T1, fence), 4)
    fence = grant(T1 + "h:1")
    check("another fence", release(T1, fence + 1), 3)
    check("another token", release(T2, fence), 3)
    holds("it is still there", L, T1 + "h:1")
    r("DEL", F)
    check("the fence evicted", release(T1, fence), 1)
    for kind in ("HSET", L, "f", "v"), ("SET", L, "x"):
        fresh(("SET", F, 7), kind)
        check("foreign", release(T1, 7), 3)
        check("foreign stays", r("EXISTS", L), 1)
    fence = grant(T1 + "h:1", FLAG)
    check("passed on", release(T1, fence), 1)
    holds("a baton", L, B1)
    holds("in the list", Q, [B1])
    check("for a second", r("PTTL", L), near(1000, 1))
    check("the list too", r("PTTL", Q), near(1000, 1))
    holds("in doubt", W, "~")
    check("the flag stays up", r("PTTL", W), near(9000))
    check("twice", release(T1, fence), 1)
    check("the baton is not wanted", release(B1, 0, B2), 1)
    holds("passed on", L, B2)
    r("DEL", L, Q)
    acquire(T3)
    check("by one that has come meanwhile", release(T3), 1)
    check("free, since the baton was not claimed", r("EXISTS", L), 0)
    holds("one is told", Q, ["-"])
    check("who was told asks", acquire(T2, 5000, 0, 3000, "-"), granted(5000))
    holds("no doubt", W, "")
    check("undone, passed on", release(T2), 1)
    holds("a baton again", L, B1)
    fresh(FLAG, ("SET", Q, "x"))
    acquire(T1)
    release(T1)
    holds("a list of another type", Q, [B1])


def parked():
    fresh()
    waiter = Redis(State.path)
    number = waiter("CLIENT", "ID")
    fence = acquire(T1)[0]
    acquire(T2, 5000, 0, 3000, by=waiter)
    waiter.send("BLPOP", Q, 0)
    wait_until_blocked()
    release(T1, fence)
    check("BLPOP", waiter.read(), [Q, B1])
    check("claimed", acquire(T2, 5000, 0, 3000, B1, by=waiter), granted(5000))
    waiter.send("BLPOP", Q, 0)
    wait_until_blocked()
    check("CLIENT UNBLOCK", r("CLIENT", "UNBLOCK", number), 1)
    check("it has left", waiter.read(), None)


def delays():
    for waits in False, True:
        fence = grant(T1 + "h:1:data", *[FLAG] * waits)
        check("a delay", release(T1, fence, B1, 3000), 1)
        holds("who had it", L, "-" + B1 + ":h:1:data")
        check("for how long", r("PTTL", L), near(3000))
        holds("who waits is told", Q, ["-"] * waits)
        check("twice", release(T1, fence, B1, 3000), 1)
        check("nobody may have it", acquire(T2, 5000, 0, 0, "-"), busy(3000))
    fence = grant(N1 + "h:1")
    release(NAME, fence, B1, 3000)
    holds("no name is left", L, "-" + B1 + ":h:1")


def breaking():
    fence = grant(T1 + "h:1")
    value = T1 + "h:1"
    check("late", release(value, fence, B1, 0, 5), starts("LATE "))
    check("another fence", release(value, fence + 1, B1, 0, 0), 3)
    check("another value", release(T1 + "h:2", fence, B1, 0, 0), 3)
    check("a part", release(T1, fence, B1, 0, 0), 3)
    check("broken", release(value, fence, B1, 0, 0), 1)
    check("free", r("EXISTS", L), 0)
    check("twice", release(value, fence, B1, 0, 0), 1)
    check("the holder learns", release(T1, fence), 3)
    fence = grant(value, FLAG)
    check("passed on", release(value, fence, B1, 0, 0), 1)
    holds("a baton", L, B1)
    check("twice", release(value, fence, B1, 0, 0), 1)
    fresh(("HSET", L, "f", "v"))
    check("a hash", release("", 0, B1, 0, 0), 1)
    check("free", r("EXISTS", L), 0)
    check("nothing to break", release("", 0, B1, 0, 0), 4)
    fresh(("SET", L, "x" * 80000))
    check("a long value", release("x" * 70000, 0, B1, 0, 0), 1)


def extending():
    fence = grant(T1 + "h:1:data")
    check("longer", extend(T1, fence, 9000, "longer"), ours(fence, 9000))
    check("not shorter", extend(T1, fence, 1, "longer"), ours(fence, 9000))
    check("the fence is kept", r("PTTL", F), near(HOUR + 9000))
    r("PEXPIRE", F, 1000)
    check("it only looks", extend(T1, fence, 0, "longer"), ours(fence, 9000))
    check("nothing is written", r("PTTL", F), near(1000, 1))
    check("another fence", extend(T1, fence + 1, 9000, "longer"), [3])
    r("DEL", F)
    check("the fence evicted", extend(T1, fence, 9000, "longer")[:2], [1, fence])
    holds("put back", F, str(fence))
    check("not known", extend(T1, 0, 9200, "longer"), ours(fence, 9200))
    check("not known, another's", extend(T2, 0, 9200, "longer"), [3])
    r("DEL", F)
    check("nor kept", extend(T1, 0, 9300, "longer"), ours(0, 9300))
    holds("nor put back", F, None)
    check("put back", extend(T1, fence, 9400, "longer")[:2], [1, fence])
    check("L alone", extend(T1, fence, 9500, "longer", keys=[L])[:2], [1, fence])
    check("L alone, another's", extend(T2, fence, 9500, "longer", keys=[L]), [4])
    check("late, anew", extend(T1, fence, 1000, "anew", until=5), starts("LATE "))
    check("anew", extend(T1, fence, 1000, "anew"), ours(fence + 1, 1000))
    check("anew twice", extend(T1, fence, 1000, "anew")[:2], [2, fence + 1])
    holds("the metadata stay", L, T1 + "h:1:data")
    r("DEL", L)
    check("anew, late", extend(T1, fence, 1000, "anew"), [2, fence + 1, -2])
    check("ended", extend(T1, fence + 1, 1000, "longer"), [2])
    check("again, late", extend(T1, fence + 1, 1000, "again", T1 + "h:1", until=5), starts("LATE "))
    check("again", extend(T1, fence + 1, 1000, "again", T1 + "h:1"), [2, fence + 1, 1000])
    check("again twice", extend(T1, fence + 1, 1000, "again", T1 + "h:1")[:2], [1, fence + 1])
    r("DEL", L)
    check("again, not known", extend(T1, 0, 1000, "again", T1 + "h:1"), [3])
    check("again, another was granted it", extend(T1, fence, 1000, "again", T1 + "h:1"), [3])
    r("DEL", F)
    check("unknown", extend(T1, fence, 1000, "again", T1 + "h:1"), [4])


def adopting():
    fence = grant(T1 + "h:1:data:x")
    check("handed over", extend(T1, fence, 0, "anew", T2 + ":"), ours(fence + 1, 5000))
    holds("nobody's", L, T2 + "::data:x")
    check("twice", extend(T1, fence, 0, "anew", T2 + ":")[:2], [2, fence + 1])
    check("adopted", extend(T2, 0, 8000, "anew", T3 + "h:3"), ours(fence + 3, 8000))
    holds("the adopter's", L, T3 + "h:3:data:x")
    check("twice", extend(T2, 0, 8000, "anew", T3 + "h:3")[:2], [2, fence + 3])
    check("once", extend(T2, 0, 8000, "anew", T1 + "h:1"), [3])
    r("DEL", F)
    fence = extend(T3, 0, 0, "anew", T1 + "h:1")[1]
    check("the fence evicted", fence, near(clock(), clock() - 10**7))
    r("PERSIST", L)
    check("it never expires", extend(T1, 0, 0, "anew", T2 + "h:1")[2], -1)
    check("nor does it then", r("PTTL", L), -1)
    check("nor by a new grant", extend(T2, 0, 0, "anew")[2], -1)
    holds("it is there", L, T2 + "h:1:data:x")


def foreign_values():
    for command in (("SET", L, "foreign"), ("SET", L, ""), ("RPUSH", L, "x"), ("SADD", L, "x"),
                    ("HSET", L, "f", "v"), ("ZADD", L, 1, "x"), ("XADD", L, "*", "f", "v")):
        what = " ".join(map(str, command))
        fresh(command)
        check("acquire, " + what, acquire(T1, 5000, 0, 3000), [0, -1])
        check("no fence, " + what, (release(T1, 5), extend(T1, 5, 9, "again", T1)), (4, [4]))
        r("SET", F, 5)
        for how in "longer", "again", "anew":
            check(f"{how}, {what}", extend(T1, 5, 9, how, T1 + "h:1"), [3])
        check("release, " + what, release(T1, 5), 3)
        check("inspect, " + what, run("inspect")[1:], [-1, "5", 1])
        check("it stays, " + what, r("EXISTS", L), 1)
    for key in F, W, Q:
        for command in (("SET", key, "?"), ("RPUSH", key, "x"), ("SADD", key, "x"),
                        ("HSET", key, "f", "v"), ("ZADD", key, 1, "x"),
                        ("XADD", key, "*", "f", "v")):
            what = " ".join(command[:2])
            fresh(command)
            check("inspect beside " + what, run("inspect")[:2], [None, -2])
            fence = acquire(T1)[0]
            check("a free lock beside " + what, fence, near(clock(), clock() - 10**7))
            fresh(("SET", L, T1 + "h:1", "PX", 5000), command)
            check("longer beside " + what, extend(T1, fence, 9000, "longer")[0],
                  3 if command[0] == "SET" and key == F else 1)
            fresh(("SET", L, T1 + "h:1", "PX", 5000), command)
            check("given back beside " + what, release(T1), 1)
            check("it is not there any more", r("GET", L), lambda value: value in (None, B1))


def long_values():
    """Of a foreign value, which may have 512 MB, those that wait or look copy but the beginning."""
    fresh(("SETRANGE", L, 3000000, "x"))
    before = lua_memory()
    for name, *arguments in (("acquire", T1, 5000, 0, 0), ("inspect",),
                             ("enter", T1, 5000, 0, 0, 0), ("leave", T1, 0, B1, 0)):
        for _ in range(3):  # one of them may be when the server collects its garbage
            run(name, *arguments)
            check(name + " copies not all of it", lua_memory(), near(before + 1000000, 0))
    check("it is foreign", acquire(T1)[0], 0)


def lua_memory():
    return int(re.search(r"used_memory_(?:vm_eval|lua):(\d+)", r("INFO", "memory"))[1])


def without_companions():
    """While a cluster moves the slot, release and longer go with L alone."""
    fence = grant(T1 + "h:1", FLAG)
    check("another's", release(T2, fence, keys=[L]), 4)
    check("longer", extend(T1, fence, 9000, "longer", keys=[L]), ours(fence, 9000))
    check("given back", release(T1, fence, keys=[L]), 1)
    check("passed to nobody", r("EXISTS", L, Q), 0)
    check("gone", release(T1, fence, keys=[L]), 4)
    check("gone, longer", extend(T1, fence, 9000, "longer", keys=[L]), [4])
    fence = grant(T1 + "h:1")
    check("with a delay", release(T1, fence, B1, 3000, keys=[L]), 1)
    holds("who had it", L, "-" + B1 + ":h:1")


def inspecting():
    fresh()
    check("free", run("inspect"), [None, -2, None, 0])
    fence = acquire(T1 + "h:1")[0]
    acquire(T2, 5000, 0, 3000)
    value, left, *rest = run("inspect")
    check("held", [value] + rest, [T1 + "h:1", str(fence), 1])
    check("for how long", left, near(5000))
    release(T1, fence)
    check("a baton that lies there", run("inspect")[:2], [None, -2])
    holds("it still does", Q, [B1])
    r("DEL", Q)
    check("a baton on its way", run("inspect")[0], B1)
    fresh(("HSET", L, "f", "v"))
    check("a hash", run("inspect"), [None, -1, None, 0])
    fresh(("SET", L, "x" * 80000))
    check("a long value", len(run("inspect")[0]), 70000)


def with_full_memory():
    fence = grant(T1, FLAG)
    with full_memory():
        check("a longer lease", extend(T1, fence, 9000, "longer"), ours(fence, 9000))
        check("anew", extend(T1, fence, 5000, "anew"), ours(fence + 1, 5000))
        check("busy", acquire(T2, 5000, 0, 9500), busy(5000))
        check("the flag is kept up", r("PTTL", W), near(9500, 9100))
        check("passed on", release(T1, fence + 1), 1)
        holds("a baton", L, B1)
        holds("in the list", Q, [B1])
        check("claimed", acquire(T2, 5000, 0, 0, B1), granted(5000))
        holds("who was told is alive", W, "")
        check("passed on again", release(T2), 1)
        holds("a baton again", L, B1)
        r("DEL", L, Q)
        check("free, and told", acquire(T3, 5000, 0, 0, "-"), granted(5000))
        holds("it is alive, too", W, "")
        r("SET", W, "~", "PX", 9000)
        check("taken, and told", acquire(T2, 5000, 0, 0, B2), busy(5000))
        holds("it is alive as well", W, "")
        check("a delay", release(T3, 0, B1, 50000), 1)
        holds("who had it", L, "-" + B1 + ":")
        r("DEL", L)
        check("free, and refused", acquire(T2, 5000, 0, 9900), starts("OOM"))
        check("nothing is left", r("EXISTS", L), 0)
        check("the flag is up", r("PTTL", W), near(9900, 9100))


def on_a_replica():
    fence = grant(T1)
    with replica():
        for what, answer in {
                "acquire": acquire(T2), "release": release(T1, fence), "inspect": run("inspect"),
                "longer": extend(T1, fence, 9000, "longer"),
                "a look": extend(T1, fence, 0, "longer"),
                "anew, twice": extend(T1, fence - 1, 9000, "anew"),
                "another's release": release(T2, fence),
                "another's, longer": extend(T2, fence, 9000, "longer"),
                "another's, anew": extend(T2, 0, 0, "anew", T3)}.items():
            check(what + " on a replica", answer, starts("READONLY"))


def without_time():
    with user("-time"):
        fresh()
        check("the fence counts", acquire(T1, 5000, 5), granted(5000, 2))
        check("released", release(T1, 2), 1)
        check("2 more", acquire(T1, 5000, 5), granted(5000, 4))
        check("anew", extend(T1, 4, 900, "anew", until=5), ours(5, 900))
        check("broken", release(T1, 5, B1, 0, 5), 1)


def without_lists():
    with user("-rpush", "-lpop"):
        fence = grant(T1, FLAG)
        check("without RPUSH", release(T1, fence), 1)
        check("it is free", r("EXISTS", L), 0)


def check_all():
    for part in (acquiring, batons, names, releasing, parked, delays, breaking, extending,
                 adopting, foreign_values, long_values, without_companions, inspecting,
                 with_full_memory, on_a_replica, without_time, without_lists):
        part()
