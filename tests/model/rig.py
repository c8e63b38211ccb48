"""A redis-server on a unix socket, the scripts on it, and checks of what they answer."""
import contextlib
import os
import re
import socket
import subprocess
import tempfile
import time

L = "{a}"
F, S, H, W, Q, T, R = (f"rlock:{letter}:{{a}}:{{a}}" for letter in "fshwqtr")
EXCLUSIVE = [L, F, W, Q]
V = "value{a}"
SHARED = [L, F, S, H, W, Q, T, R]
KEYS = {"extend": [L, F], "extend_shared": SHARED,
        "acquire": EXCLUSIVE, "release": EXCLUSIVE, "inspect": EXCLUSIVE,
        "enter": SHARED, "leave": SHARED, "upgrade": SHARED, "downgrade": SHARED,
        "sharers": SHARED,
        "open": [*EXCLUSIVE, V], "close": [*EXCLUSIVE, V], "peek": [V]}

T1, T2, T3, T4 = ("rlock1:" + digit * 32 + ":" for digit in "1234")
NAME = "rlock1@6e:"
N1, N2, NONE = (NAME + digit * 32 + ":" for digit in "120")  # the name's, with a RANDOM
B1, B2, B3 = ("~" + letter * 32 for letter in "abc")
HOUR = 3600000


class Error(Exception):
    """An error that the server has answered. It is returned, not raised."""


class Redis:
    """A connection."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def send(self, *words):
        words = [str(word).encode() for word in words]
        parts = [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(parts))

    def read(self):
        line = self.file.readline()
        kind, rest = line[:1], line[1:-2].decode()
        if kind == b"*":
            return None if rest == "-1" else [self.read() for _ in range(int(rest))]
        if kind == b"$":
            return None if rest == "-1" else self.file.read(int(rest) + 2)[:-2].decode("latin1")
        return int(rest) if kind == b":" else Error(rest) if kind == b"-" else rest

    def __call__(self, *words):
        self.send(*words)
        return self.read()


class State:
    """The scripts' texts, a connection to the server, where that listens, whether its memory is full
    whenever a script runs, and the counts."""
    scripts = {}
    redis = path = None
    full = False
    checked = failed = 0


@contextlib.contextmanager
def server(scripts):
    """Runs redis-server, for the scripts in this folder."""
    State.scripts = {name: script(scripts, name) for name in KEYS}
    with tempfile.TemporaryDirectory() as folder:
        State.path = os.path.join(folder, "s")
        process = subprocess.Popen(
            [os.environ.get("REDIS_SERVER", "redis-server"), "--port", "0", "--unixsocket",
             State.path, "--save", "", "--dir", folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            State.redis = connect(State.path)
            yield
        finally:
            process.kill()
            process.wait()


def connect(path):
    for _ in range(1000):
        try:
            return Redis(path)
        except OSError:
            time.sleep(0.01)  # it is starting
    raise SystemExit("redis-server does not start")


def r(*words):
    return State.redis(*words)


def check(what, found, expected):
    """expected: a value, or a function that tells whether it is one."""
    State.checked += 1
    try:
        good = expected(found) if callable(expected) else found == expected
    except (TypeError, IndexError):
        good = False  # an error, or a shorter answer
    if not good:
        State.failed += 1
        wanted = "" if callable(expected) else f", expected {expected!r}"
        print(f"{what}{', with full memory' * State.full}: {found!r}{wanted}")


def run(name, *arguments, keys=None, by=None):
    keys = keys or KEYS[name]
    words = "EVAL", State.scripts[name], len(keys), *keys, *arguments
    if State.full and (name != "enter" or len(arguments) > 5):  # without a pass nobody enters then
        with full_memory():
            answer = (by or State.redis)(*words)
        if not starts("OOM")(answer):  # what is refused then has taken nothing
            return answer
    return (by or State.redis)(*words)


def fresh(*commands):
    r("FLUSHALL")
    for command in commands:
        r(*command)


def holds(what, key, value):
    """What is in the string, or in the list, whose name the key is."""
    is_list = isinstance(value, list)
    check(what, r("LRANGE", key, 0, -1) if is_list else r("GET", key), value)


def clock():
    seconds, micros = r("TIME")
    return int(seconds) * 1000000 + int(micros)


def commands(call):
    """How many commands the scripts in this call run."""
    r("CONFIG", "RESETSTAT")
    call()
    lines = r("INFO", "commandstats").splitlines()
    return sum(int(line.split("calls=")[1].split(",")[0]) for line in lines
               if re.match("cmdstat_(?!eval|config|info)", line))


def wait_until_blocked(clients=1):
    end = time.monotonic() + 10
    while f"blocked_clients:{clients}\r" not in r("INFO", "clients"):
        assert time.monotonic() < end


@contextlib.contextmanager
def user(*rules):
    """What is run within is run by one that may do all but this."""
    r("ACL", "SETUSER", "one", "reset", "on", "nopass", "~*", "&*", "+@all", *rules)
    r("AUTH", "one", "x")
    try:
        yield
    finally:
        r("AUTH", "default", "x")


@contextlib.contextmanager
def full_memory():
    before = r("CONFIG", "GET", "maxmemory")[1]
    r("CONFIG", "SET", "maxmemory", 1)
    try:
        yield
    finally:
        r("CONFIG", "SET", "maxmemory", before)


@contextlib.contextmanager
def replica():
    r("REPLICAOF", "127.0.0.1", 1)
    try:
        yield
    finally:
        r("REPLICAOF", "NO", "ONE")


def script(folder, name):
    """Its text, with the parts that it includes."""
    with open(os.path.join(folder, name + ".lua")) as file:
        return re.sub(r"^-- include (parts/)?(\w+)\.lua$",
                      lambda part: script(os.path.join(folder, part[1] or ""), part[2]),
                      file.read(), flags=re.M)


def near(most, least=None):
    """A time of so much, of which a little has passed."""
    return lambda found: (most - 2000 if least is None else least) <= found <= most


def starts(code):
    return lambda answer: isinstance(answer, Error) and str(answer).startswith(code)


def with_lease(answer, lease):
    """A fence alone is a grant for the lease that was asked for."""
    return [answer, lease] if isinstance(answer, int) else answer


def granted(lease, fence=None):
    """By acquire or enter."""
    return lambda answer: (len(answer) == 2 and answer[0] > 0 and near(lease)(answer[1])
                           and fence in (None, answer[0]))


def busy(left=5000):
    return lambda answer: len(answer) == 2 and answer[0] == 0 and near(left)(answer[1])


def ours(fence, left, verdict=1):
    """By the scripts that answer {verdict, fence, left_ms}. fence: a number, or a function."""
    return lambda answer: (answer[0] == verdict and near(left)(answer[2])
                           and (fence(int(answer[1])) if callable(fence)
                                else int(answer[1]) == fence))
