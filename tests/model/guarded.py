"""The scripts for locks that guard a value."""
from rig import *

FLAG = "SET", W, "", "PX", 9000
MINUTE = 60000


def open_(value, which="any", *heard, lease=5000, flag=0, life=0):
    answer = run("open", value, lease, 0, flag, *heard, life, which)
    if isinstance(answer, list) and len(answer) == 2 and isinstance(answer[0], int):
        return [[answer[0], lease], answer[1]]
    return answer


def close(token, fence, how, value="", life=9000, baton=B1, more=()):
    return run("close", token, fence, baton, 0, how, life, value, *more)


def save(token, fence, how, value="", life=9000):
    return close(token, fence, how, value, life, more=["keep"])


def opened(value, *commands):
    fresh(*commands)
    return open_(value)[0][0]


def opening():
    fresh()
    check("none, and it must be known", open_(T1, "known"), [0])
    check("then no key is made", r("DBSIZE"), 0)
    answer = open_(T1)
    check("none, and any is taken", [answer[0][0] > 0, answer[1]], [True, None])
    check("the fence is kept for a minute", r("PTTL", F), near(MINUTE + 5000))
    check("busy, though there is none", open_(T2, "known"), lambda a: a[0][0] == 0 and a[1] is None)
    fresh(("SET", V, "data"))
    answer = open_(T1, "known")
    check("taken, and read", [answer[0][0] > 0, answer[1]], [True, "data"])
    check("it lives as long", r("PTTL", V), -1)
    open_(T1, life=9000)
    check("and so long, if that is said", r("PTTL", V), near(9000))
    check("but not for another", [open_(T2, life=50000), r("PTTL", V) < 10000], lambda a: a[1])
    check("twice", open_(T1, "known"), lambda a: a[0][0] == answer[0][0] and a[1] == "data")
    check("busy, and not read", open_(T2), lambda a: a[0][0] == 0 and a[1] is None)
    fresh(("SET", L, B1, "PX", 1000))
    check("a baton, and the value is gone", open_(T1, "known", B1), lambda a: a[0][0] > 0 and a[1] is None)
    fresh(("SET", L, "another", "PX", 5000))
    check("a foreign lock is asked for soon", open_(T1)[0], [0, 50])
    fresh(("SET", L, "another"))
    check("also without an end", open_(T1)[0], [0, 50])
    for name, command in {"a list": ("RPUSH", V, "a"), "a hash": ("HSET", V, "a", "b")}.items():
        fresh(command)
        check(name, open_(T1), starts("WRONGTYPE"))
        check(name + " is left alone", [r("EXISTS", V), r("EXISTS", L)], [1, 0])


def closing():
    fence = opened(T1, ("SET", V, "old", "PX", 100000))
    check("written", close(T1, fence, "write", "new"), 1)
    check("the value", [r("GET", V), r("EXISTS", L)], ["new", 0])
    check("and its life", r("PTTL", V), near(9000))
    check("twice, later", [close(T1, fence, "write", "late"), r("GET", V)], [2, "new"])
    fence = opened(T1, ("SET", V, "old", "PX", 100000))
    check("touched", [close(T1, fence, "touch", "new"), r("GET", V)], [1, "old"])
    check("its life", r("PTTL", V), near(9000))
    fence = opened(T1, ("SET", V, "old"))
    r("DEL", V)
    check("touched, and gone", [close(T1, fence, "touch", "new"), r("GET", V)], [[1, "none"], None])
    fence = opened(T1, ("SET", V, "old"))
    r("DEL", V)
    check("written, and gone", [close(T1, fence, "write", "new"), r("GET", V)], [[1, "none"], None])
    fence = opened(T1, ("SET", V, "old"))
    r("DEL", V)
    check("deleted, and gone", [close(T1, fence, "delete", life=0), r("EXISTS", L)], [[1, "none"], 0])
    fence = opened(T1)
    check("there was none", [close(T1, fence, "new", "new"), r("GET", V)], [1, "new"])
    fence = opened(T1, ("SET", V, "old"))
    check("deleted", [close(T1, fence, "delete", life=0), r("EXISTS", V), r("EXISTS", L)], [1, 0, 0])
    fence = opened(T1, FLAG)
    check("passed on", [close(T1, fence, "new", "new"), r("GET", L), r("GET", V)], [1, B1, "new"])
    check("that twice", [close(T1, fence, "write", "late"), r("GET", V)], [1, "new"])


def saving():
    fence = opened(T1, FLAG, ("SET", V, "old"))
    check("saved", [save(T1, fence, "write", "new"), r("GET", V)], [1, "new"])
    check("the lock stays", [r("GET", L), r("PTTL", L) > 4000], [T1, True])
    check("nobody is told", r("EXISTS", Q), 0)
    check("twice", [save(T1, fence, "write", "new"), r("GET", V)], [1, "new"])
    check("saved, and deleted", [save(T1, fence, "delete", life=0), r("EXISTS", V), r("GET", L)], [1, 0, T1])
    check("saved, and gone", [save(T1, fence, "write", "new"), r("EXISTS", V)], [[1, "none"], 0])
    check("saved, and there was none", [save(T1, fence, "new", "new"), r("GET", V)], [1, "new"])
    r("SET", L, T2 + "h:1")
    check("saved, and another's", [save(T1, fence, "write", "late"), r("GET", V)], [3, "new"])


def lost():
    for what, commands in {"gone": [("DEL", L)], "another's": [("SET", L, T2 + "h:1")],
                           "granted since": [("INCRBY", F, 2)], "a list": [("DEL", L), ("RPUSH", L, "a")]}.items():
        for how in "write", "touch", "new":
            fence = opened(T1, ("SET", V, "old", "PX", 100000))
            for command in commands:
                r(*command)
            check(f"{what}, {how}", close(T1, fence, how, "new"), lambda a: a in (2, 3))
            check("left alone", [r("GET", V), r("PTTL", V) > 50000], ["old", True])
        fence = opened(T1, ("SET", V, "old"))
        for command in commands:
            r(*command)
        check(f"{what}, deleted", close(T1, fence, "delete", life=0), lambda a: a in (2, 3))
        check("the value is gone", r("EXISTS", V), 0)
        fence = opened(T1, ("SET", V, "old"))
        for command in commands:
            r(*command)
        close(T1, fence, "delete", life=1)
        check(f"{what}, deleted too late", r("GET", V), "old")


def full():
    fence = opened(T1, ("SET", V, "old"))
    with full_memory():
        check("full", close(T1, fence, "write", "new") if State.full is False else Error("OOM"), starts("OOM"))
        check("nothing was done", [r("GET", V), r("EXISTS", L)], ["old", 1])


def peeking():
    fresh()
    check("none", run("peek", 0, keys=[V]), [None])
    fresh(("SET", V, "data", "PX", 5000))
    check("the value", run("peek", 0, keys=[V]), ["data"])
    check("it lives as long", r("PTTL", V), near(5000))
    check("and for longer", [run("peek", 90000, keys=[V]), r("PTTL", V) > 80000], [["data"], True])
    check("and no more", [run("peek", -1, keys=[V]), r("EXISTS", V)], [["data"], 0])


def renewing():
    fence = opened(T1)
    check("renewed", run("extend", T1, fence, 9000, 0, "longer", "", MINUTE), lambda a: a[0] == 1)
    check("and the fence for a minute more", r("PTTL", F), near(MINUTE + 9000))
    renew = lambda value: run("extend", T1, fence, 9000, 0, "longer", "", MINUTE, keys=[L, F, value])
    check("there is no value", [renew(V)[0], r("EXISTS", V)], [1, 0])
    r("SET", V, "data", "PX", 100)
    check("the value lives as long as the lock", [renew(V)[0], r("PTTL", V)], lambda a: a[0] == 1 and 8000 < a[1] <= 9000)
    r("PEXPIRE", V, 50000)
    check("and never shorter", [renew(V)[0], r("PTTL", V) > 40000], [1, True])
    r("PERSIST", V)
    check("nor does it get an end", [renew(V)[0], r("PTTL", V)], [1, -1])
    r("PEXPIRE", V, 100)
    r("SET", L, T2 + "h:1")
    check("another's lock", [renew(V)[0], r("PTTL", V) <= 100], [3, True])


def on_a_replica():
    fence = opened(T1, ("SET", V, "old"))
    with replica():
        for how in "write", "touch", "delete":
            check(how + " on a replica", close(T1, fence, how, "new"), starts("READONLY"))
    check("nothing was done", r("GET", V), "old")


def check_all():
    for part in opening, closing, saving, lost, full, peeking, renewing, on_a_replica:
        part()
