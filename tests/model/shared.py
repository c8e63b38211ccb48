#!/usr/bin/env python3
"""Checks the scripts for shares against a real redis-server, branch by branch, and with a crowd of waiters.

check_shared.py [FOLDER]: FOLDER has acquire.lua and release.lua, for the crowd's exclusive owners.
"""
import collections, hashlib, os, re, select, socket, subprocess, sys, tempfile, threading, time

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/lock/scripts")
EXCLUSIVE = sys.argv[1] if len(sys.argv) > 1 else SCRIPTS
KEYS = [k % "job" for k in ("%s", "rlock:f:{job}:%s", "rlock:s:{job}:%s", "rlock:h:{job}:%s", "rlock:w:{job}:%s", "rlock:q:{job}:%s", "rlock:t:{job}:%s", "rlock:r:{job}:%s")]
L, F, S, H, W, Q, T, R = KEYS
checks = 0

class Refused(Exception): pass

class Conn:
    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(path)
        self.file = self.sock.makefile("rb")
    def send(self, *args):
        args = [str(a).encode() for a in args]
        self.sock.sendall(b"*%d\r\n" % len(args) + b"".join(b"$%d\r\n%s\r\n" % (len(a), a) for a in args))
    def read(self):
        line = self.file.readline().decode().rstrip()
        kind, rest = line[:1], line[1:]
        if kind == "*":
            return None if rest == "-1" else [self.read() for _ in range(int(rest))]
        if kind == "$":
            return None if rest == "-1" else self.file.read(int(rest) + 2)[:-2].decode()
        return Refused(rest) if kind == "-" else int(rest) if kind == ":" else rest
    def ask(self, *args):
        self.send(*args)
        answer = self.read()
        if isinstance(answer, Refused):
            raise answer
        return answer

def text(folder, name):
    source = open(os.path.join(folder, name + ".lua")).read()
    return re.sub(r"^-- include (\S+)$", lambda m: open(os.path.join(folder, m.group(1))).read(), source, flags=re.M)

def load():
    for name in ("enter", "leave", "extend_shared", "upgrade", "downgrade", "sharers"):
        yield name, text(SCRIPTS, name)
    for name in ("acquire", "release"):
        if os.path.exists(os.path.join(EXCLUSIVE, name + ".lua")):
            source = text(EXCLUSIVE, name)
            if name == "acquire" and "+shared" not in source:     # what it has to say of a lock that is held shared
                before, after = source.split("\tlocal token, random =", 1)
                source = before + "\tif held == '+shared' then\n\t\treturn {0, redis.call('PTTL', L), 1}\n\tend\n\tlocal token, random =" + after
            yield name, source

class Client(Conn):
    def run(self, script, *args):
        source = TEXTS[script]
        keys = [L, F, W, Q] if script in ("acquire", "release") else KEYS[:4] if script == "extend_shared" else KEYS
        try:
            return self.ask("EVALSHA", hashlib.sha1(source.encode()).hexdigest(), len(keys), *keys, *args)
        except Refused as e:
            if not str(e).startswith("NOSCRIPT"):
                raise
            return self.ask("EVAL", source, len(keys), *keys, *args)
    def enter(self, who, lease=5000, until=0, flag=0, want=0, *rest):
        return self.run("enter", who + "host:1", lease, until, flag, want, *rest)
    def leave(self, token, fence=0, baton="~b", delay=0, *rest):
        return self.run("leave", token, fence, baton, delay, *rest)
    def extend(self, token, fence, lease=5000, until=0, how="longer"):
        return self.run("extend_shared", token, fence, lease, until, how)

def same(found, wanted, what):
    global checks
    checks += 1
    if found != wanted:
        print("FAILED %s: %r, wanted %r" % (what, found, wanted))
        sys.exit(1)

def late(call):
    try:
        call()
    except Refused as e:
        return str(e).split()[0]

A, B, C, X, N = "rlock1:aaaa:", "rlock1:bbbb:", "rlock1:cccc:", "rlock1:dddd:", "rlock1@6e6e:"

def branches(c):
    fresh = lambda: c.ask("FLUSHALL")
    get = lambda key: c.ask("GET", key)
    fence = lambda answer: answer[0]
    # entering, twice, beside; leaving; verdicts
    a = c.enter(A); same(a[1:], [5000], "first share"); same(get(L), "+shared", "L"); same(get(F), str(a[0]), "fence")
    again = c.enter(A, 9000); same(again[0], a[0], "twice"); same(again[1] > 8900, True, "twice lengthens"); same(get(F), str(a[0]), "twice raises nothing")
    same(c.enter(A, 100)[1] > 8000, True, "twice never shortens")
    b = c.enter(B, 1000); same(b[0] > a[0] + 1, True, "fence rises"); same(c.ask("PTTL", L) > 8000, True, "L lasts as the longest")
    same(c.ask("PTTL", F) > 3608000, True, "the fence outlives the longest"); same(late(lambda: c.enter(C, 10, 1)), "LATE", "enter late")
    same(c.enter(X, 10, 0, 0, "x")[0::2], [0, 0], "x while shared"); same(c.enter(A, 10, 0, 0, "x")[0::2], [0, 2], "x with a share")
    same(c.enter(C, 10, 0, 0, 2)[0::2], [0, 0], "limit"); same(len(c.enter(C, 1000, 0, 0, 3)), 2, "below the limit")
    s = c.run("sharers"); same((s[0], sorted(s[1::3])), (0, [A, B, C]), "sharers"); same(s[3].endswith(":host:1"), True, "who")
    same(c.leave(C, 7), 3, "leave, another fence"); same(c.leave(C), 1, "leave any"); same(c.leave(C), 3, "leave twice")
    same(c.leave(A, a[0]), 1, "longest leaves"); same(c.ask("PTTL", L) <= 1000, True, "L ends earlier"); same(c.leave(B, b[0]), 1, "last"); same(get(L), None, "free")
    same(c.leave(B, b[0]), 2, "late"); e = c.enter(C); same(c.leave(A, a[0]), 2, "the era goes on"); c.leave(C)
    # names
    n = c.enter(N, 500); m = c.enter(N, 400); same(m[0] > n[0], True, "a name's new grant"); same(c.leave(N, n[0]), 2, "a name's late release"); same(c.leave(N, m[0]), 1, "name")
    # exclusively by enter; its verdicts
    x = c.enter(X, 5000, 0, 0, "x"); same(get(L), X + "host:1", "x takes a free lock"); same(c.leave(A, a[0]), 3, "lost"); same(c.enter(X, 9000, 0, 0, "x"), [x[0], 9000, 1], "x twice")
    same(c.enter(A)[0::2], [0, 0], "a share while it is exclusive"); same(c.run("sharers"), [], "no sharers"); c.ask("DEL", L); same(c.leave(A, a[0]), 3, "lost after"); c.enter(A); c.ask("DEL", L)
    same(c.leave(B, b[0]), 3, "an earlier era"); c.ask("DEL", F); same(c.leave(B, b[0]), 4, "no fence")
    n = c.ask("SET", L, N + "host:1"); m = c.enter(N); same(len(m), 3, "a name has it exclusively")
    # foreign values
    fresh(); c.ask("SET", L, "foreign"); same(c.enter(A, 10, 0, 100)[0::2], [0, 0], "foreign"); same(c.leave(A, 5), 4, "foreign, no fence"); c.ask("SET", F, 5); same(c.leave(A, 5), 3, "foreign")
    c.ask("DEL", L); c.ask("RPUSH", L, 1); same(c.enter(A)[0::2], [0, 0], "a list"); c.ask("DEL", L); c.ask("SET", H, "?"); c.ask("SET", S, "?"); same(c.enter(A)[1], 5000, "companions of other types")
    # extend
    fresh(); a = c.enter(A, 1000); f = str(a[0])
    same(c.extend(A, f, 3000)[:2], [1, f], "longer"); same(c.extend(A, f, 10)[2] > 2900, True, "longer is a maximum"); same(late(lambda: c.extend(A, f, 50, 1, "anew")), "LATE", "anew late")
    d = c.extend(A, f, 400, 0, "anew"); same((d[0], d[1] > f, d[2]), (1, True, 400), "anew"); same(get(F), d[1], "anew raises"); e = c.extend(A, f, 9000, 0, "anew"); same((e[1], e[2] <= 400), (d[1], True), "a copy of anew")
    same(c.extend(A, f), [2], "longer with another fence"); same(c.extend(B, f), [2], "no share"); time.sleep(0.45); same(c.extend(A, d[1]), [2], "ended")
    # taking a late share back
    same(c.enter(A, 500, 0, 0, 0, d[1])[1], 500, "back"); same(c.enter(B, 500, 0, 0, 0, 3), [0, 0, 0], "not back"); same(c.enter(B, 500, 0, 0, 1, d[1])[0], 0, "no room to come back"); c.leave(A)
    c.ask("SET", F, 10 ** 15); same(c.enter(A, 500, 0, 0, 0, d[1]), [0, 0, 0], "lost, not back")
    # clean-up of what has ended
    fresh(); c.enter(A, 50); c.enter(B, 3000); time.sleep(0.06); c.enter(C, 3000, 0, 0, 2); same(sorted(c.ask("HKEYS", H)), sorted(["ERA", "LAST", B, C]), "the record of what has ended"); c.leave(B); same(c.leave(C), 1, "alone")
    # evictions
    a = c.enter(A); c.ask("DEL", S); same(c.enter(B)[0], 0, "an evicted set keeps all out"); same(c.leave(A, a[0]), 2, "evicted"); same(c.leave("+", 0, "~b", 0, 1), 1, "break without shares"); same(get(L), None, "broken")
    a = c.enter(A); c.ask("DEL", H); same(c.leave(A, a[0]), 3, "an evicted record"); same(c.extend(A, a[0]), [3], "no record"); fresh()
    # break
    a, b = c.enter(A), c.enter(B); same(c.leave(B, b[0], "~b", 0, 1), 1, "break one"); same(c.leave(B, b[0]), 3, "it was broken"); d = c.enter(C); same(c.leave(A, a[0], "~b", 0, 1), 1, "break another")
    same(c.leave(B, b[0]), 3, "and stays so"); same(c.leave(C, d[0]), 1, "C"); same(c.leave(C, d[0]), 2, "C was not")
    # cooldown
    a, b = c.enter(A), c.enter(B); c.leave(A, a[0], "~b", 300); same(c.enter(C)[0], 0, "cooling"); s = c.run("sharers"); same(s[1], "-", "who cools"); same(s[3], "%d:host:1" % a[0], "and since which fence")
    same(c.run("upgrade", B + "host:1", b[0], 1, 0)[0], 0, "no upgrade while it cools"); same(c.leave(B), 1, "last"); same(get(L), "+shared", "still cooling"); same(c.leave(A, a[0]), 2, "left before")
    same(c.leave("-", 0, "~b", 0, 1), 1, "break a cooldown"); same(get(L), None, "ended"); c.enter(A); c.leave(A, 0, "~b", 100); time.sleep(0.12); same(len(c.enter(B)), 2, "after it"); c.leave(B)
    # change of kind
    a = c.enter(A); up = lambda f, until=0: c.run("upgrade", A + "host:1", f, 6000, until); b = c.enter(B); same(late(lambda: up(a[0], 1)), "LATE", "upgrade late")
    u = up(a[0]); same((u[0], int(u[1]) > a[0]), (0, True), "not alone"); same(up(a[0])[:2], [0, u[1]], "a copy"); c.leave(B); same(up(a[0])[0], 0, "a late copy upgrades nothing")
    v = up(u[1]); same((v[0], v[2]), (1, 6000), "upgrade"); same(get(L), A + "host:1", "exclusive"); same(up(u[1])[:2], [1, v[1]], "twice"); same(c.leave(B, b[0]), 3, "lost by the upgrade")
    down = lambda f: c.run("downgrade", A, f); same(down(u[1]), [3], "another fence"); w = down(v[1]); same(w[:2], [1, v[1]], "downgrade"); same(down(v[1])[:2], [1, v[1]], "twice"); same(c.run("sharers")[3], v[1] + ":host:1", "who")
    same(up(u[1])[:2], [0, v[1]], "an older copy"); same(c.leave(A, v[1]), 1, "leave"); same(down(v[1]), [2], "gone"); same(up(v[1]), [2], "gone"); c.ask("DEL", F); same(down(v[1]), [4], "no fence")
    c.ask("SET", L, A + "h:1"); w = down(77); same(w[:2], [1, "77"], "no expiry, no fence"); same(get(F), "77", "put back")
    # the queue: a ticket, the first waiter, its nudge; limits
    fresh(); c.enter(A); same(c.enter(X, 9, 0, 2500, "x")[0::2], [0, 1], "first"); same(c.enter(B, 9, 0, 2500)[0::2], [0, 0], "behind it"); same(c.enter(X, 9, 0, 2500, "x")[0::2], [0, 1], "still first")
    c.leave(A, 0, "~1"); same((get(L), c.ask("LRANGE", R, 0, -1)), ("~1", ["~1"]), "a baton for the first"); same(c.enter(B)[0], 0, "not for others"); x = c.enter(X, 500, 0, 0, "x"); same(get(L), X + "host:1", "it asks and has it")
    fresh(); c.enter(A); c.enter(X, 9, 0, 2500, "x"); c.leave(A, 0, "~1"); same(c.enter(X, 500, 0, 0, "x", "~1")[1], 500, "by its baton")
    fresh(); c.enter(A); c.enter(B); c.enter(C, 500, 0, 2500, 2); same(get(T), "2:" + C, "the turnstile"); c.leave(A); same(c.ask("LRANGE", R, 0, -1), ["+"], "a nudge"); same(c.enter(A)[0], 0, "nobody passes it")
    g = c.enter(C, 500, 0, 0, 2, "+"); same(len(g), 2, "it enters"); t = get(T); same(c.ask("LRANGE", Q, 0, -1), [t], "and passes a ticket on"); same(c.enter(A, 9, 0, 0, 0, "~0")[0] > 0, True, "who finds a ticket lying enters")
    t = c.ask("LPOP", Q); same(c.enter(X, 9, 0, 0, "x", "~0")[0], 0, "a stale pass"); same(c.enter(X, 9, 0, 2500, "x", t)[0::2], [0, 1], "a ticket makes the first")
    same(c.enter(X, 9, 0, 0, "x")[0::2], [0, 0], "the last ask"); t = c.ask("LPOP", Q); same(get(T), t, "passes it on"); same(c.leave(t), 1, "a ticket given back"); t = c.ask("LPOP", Q); c.enter(X, 9, 0, 2500, "x", t); same(c.leave(X), 1, "leaves the turnstile")
    t = c.ask("LPOP", Q); c.leave(B); c.leave(C); c.leave(A); same((get(L), get(T)), (t, None), "the ticket is the baton now"); same(c.leave(t, 0, "~2"), 1, "a baton given back"); same((get(L), c.ask("LPOP", Q)), ("~2", "~2"), "the next one has it")
    same(c.leave(t, 0, "~2"), 1, "a copy of that"); same(c.enter(A)[0], 0, "it is on its way"); c.ask("RPUSH", Q, "~2"); same(len(c.enter(A)), 2, "lying, it is anybody's"); c.leave(A); t = get(L); c.ask("DEL", W, Q); same(c.leave(t), 1, "nobody waits"); same(get(L), None, "free")
    c.enter(A); c.enter(X, 9, 0, 2500, "x"); c.leave(A, 0, "~4"); same(c.leave(X, 0, "~5"), 1, "the first gives up what lies in the room"); same((get(L), c.ask("LPOP", Q), get(T)), ("~5", "~5", None), "to the next")
    c.ask("DEL", L); c.enter(A); c.ask("DEL", W, T); c.enter(X, 9, 0, 2500, "x"); c.ask("DEL", L); c.enter(X, 9, 0, 0, "x"); same((get(T), get(L)), (None, X + "host:1"), "the turnstile ends"); c.ask("SET", T, "1:" + B); same(c.leave(B), 1, "a turnstile without shares"); same(get(T), None, "ends")
    c.ask("SET", T, "1:" + B); c.enter(B, 9, 0, 2500, "x"); same(get(T), None, "to the wake list"); fresh(); a = c.enter(A); c.enter(X, 9, 0, 2500, "x"); c.run("upgrade", A + "h:1", a[0], 1, 0); same((get(T), c.ask("LPOP", R)), (None, "+"), "an upgrade moves the first waiter")
    c.run("downgrade", A, get(F)); t = get(T); same((t is not None, t), (True, c.ask("LPOP", Q)), "a downgrade passes a ticket on")
    # full memory, and a user that may not share
    fresh(); a, b = c.enter(A), c.enter(B); c.ask("CONFIG", "SET", "maxmemory", 1); same(c.enter(X, 900)[0], 0, "full: no share without a pass"); same(c.enter(C, 900, 0, 2500, 2)[0::2], [0, 1], "full: it can but wait"); same(late(lambda: c.enter(X, 9, 0, 2500)), None, "full: taken"); same(c.enter(X, 9)[0], 0, "full: nobody enters"); same(c.extend(A, a[0])[0], 1, "full: longer")
    same(c.extend(A, a[0], 3000, 0, "anew")[0], 1, "full: anew"); same(c.leave(A), 1, "full: leave"); same(c.enter(C, 900, 0, 0, 2, "+")[1], 900, "full: a nudge is good"); c.leave(C); u = c.run("upgrade", B + "h:1", b[0], 1, 0); same(u[0], 1, "full: upgrade"); same(c.run("downgrade", B, u[1])[0], 1, "full: downgrade")
    c.leave(B, 0, "~9"); same(len(c.enter(A, 900, 0, 0, 0, "~9")), 2, "full: a baton is good"); c.ask("DEL", *KEYS); same(late(lambda: c.enter(A)), "OOM", "full: a free lock"); c.ask("CONFIG", "SET", "maxmemory", 0)
    c.ask("ACL", "SETUSER", "poor", "on", "nopass", "~*", "+@all", "-hset"); c.ask("AUTH", "poor", "x"); same(late(lambda: c.enter(A)) is not None, True, "may not share"); same(get(L), None, "and leaves nothing"); c.ask("AUTH", "default", "")
    fresh()

class Waiter(Client):
    """The state table of shared.md, as a blocking loop."""
    def __init__(self, path, number, want):
        Client.__init__(self, path)
        self.path, self.want, self.token, self.counts = path, want, "rlock1:%08x:" % number, collections.Counter()
        self.list = Conn(path)
        self.id = self.list.ask("CLIENT", "ID")
    def try_once(self, flag, heard=None, list=Q):
        rest = [heard] if heard else []
        if self.want == "x" and list == Q:
            self.counts["asks"] += 1
            answer = self.run("acquire", self.token + "h:1", 20000, 0, flag, *rest)
            if len(answer) < 3:
                return answer + [0] if not answer[0] else answer
        self.counts["asks"] += 1
        return self.enter(self.token, 20000, 0, flag, self.want, *rest)
    def wait(self, ready):
        answer, parked, pause, list = self.try_once(2500), None, 1, Q
        while not answer[0]:
            if parked is None:
                parked = list = R if answer[2] == 1 else Q
                self.list.send("BLPOP", list, 0)
                ready(self)
            look = min(1 if list == R else pause, max(answer[1] / 1000, 0.001) + 0.005)
            if select.select([self.list.sock], [], [], look)[0]:
                heard, parked = self.list.read()[1], None
                self.counts["woken"] += 1
                answer = self.try_once(2500, heard, list)
                continue
            self.counts["nets"] += 1
            pause = min(8, pause * 2)
            answer = self.try_once(2500 if list == R else pause * 1000 + 1500, None, list)
            if answer[0] or (R if answer[2] == 1 else Q) != list:
                self.ask("CLIENT", "UNBLOCK", self.id)
                heard, parked = self.list.read(), None
                if heard and answer[0]:
                    self.leave(heard[1])
                elif heard and heard[1] != "+":
                    answer = self.try_once(2500, heard[1], list)
        return answer

def crowd(path, kinds, hold):
    """All are parked one after the other behind an exclusive owner; then the order, how many had it at once, and the wake-ups are counted."""
    boss = Client(path)
    boss.ask("FLUSHALL")
    first = boss.enter(X, 60000, 0, 0, "x")
    order, inside, lock, waiters, bad = [], [], threading.Lock(), [], []
    def work(w, parked):
        w.wait(lambda _: parked.set())
        with lock:
            order.append(w.number)
            inside.append(w.want)
            if "x" in inside and len(inside) > 1 or w.want not in ("x", 0) and len(inside) > w.want:
                bad.append(list(inside))
        time.sleep(hold)
        with lock:
            inside.remove(w.want)
        if w.want == "x":
            w.run("release", w.token, 0, "~%s" % w.token[7:-1], 0)
        else:
            w.leave(w.token, 0, "~%s" % w.token[7:-1])
    threads = []
    for number, want in enumerate(kinds):
        w = Waiter(path, number, want)
        w.number, parked = number, threading.Event()
        waiters.append(w)
        threads.append(threading.Thread(target=work, args=(w, parked)))
        threads[-1].start()
        parked.wait()
        while boss.ask("CLIENT", "LIST").count("cmd=blpop") <= number:
            pass
    start = time.time()
    boss.run("release", X, first[0], "~boss", 0)
    for t in threads:
        t.join()
    total = sum((w.counts for w in waiters), collections.Counter())
    swaps = sum(1 for i, n in enumerate(order) for m in order[:i] if m > n and (kinds[m] == "x" or kinds[n] == "x"))
    print("crowd of %d (%s), %.0f ms each: %.2f s, %d out of order, %d asks, %d woken, %d by the net, wrong company: %d" % (len(kinds), "".join(str(k) for k in kinds), hold * 1000, time.time() - start, swaps, total["asks"], total["woken"], total["nets"], len(bad)))
    return swaps + len(bad)

TEXTS = dict(load())
with tempfile.TemporaryDirectory() as folder:
    path = folder + "/s"
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder], stdout=subprocess.DEVNULL)
    try:
        for _ in range(500):
            try:
                Conn(path)
                break
            except OSError:
                time.sleep(0.01)                # the server has not begun to listen
        branches(Client(path))
        print("%d checks passed" % checks)
        if "acquire" in TEXTS:
            sys.exit(bool(sum(crowd(path, kinds, 0.02) for kinds in ([0, "x", 0, 0, "x", "x", 0, "x", 0, 0, 0, "x"], [2] * 8, ["x", 2, 2, 2, "x", 0, 0, "x"] * 2))))
    finally:
        server.terminate()
        server.wait()
