"""A crowd of waiters, each of which does what README.md says of the waiter."""
import contextlib
import select
import threading
import time

from rig import *

LEASE = 20000
FLAG = 2500


class Waiter:
    def __init__(self, number, want):
        self.number, self.want = number, want
        self.token = f"rlock1:{number:08x}:"
        self.asks = Redis(State.path)
        self.parks = Redis(State.path)
        self.id = self.parks("CLIENT", "ID")

    def run(self, name, *arguments):
        return run(name, *arguments, by=self.asks)

    def take(self, flag, heard=None, where=Q):
        """{fence, left_ms}, or {0, left_ms, whether it is the first}."""
        arguments = [self.token + "h:1", LEASE, 0, flag]
        passed = [heard] if heard else []
        if self.want == "x" and where == Q:
            answer = with_lease(self.run("acquire", *arguments, *passed), LEASE)
            if answer[0] or len(answer) == 2:
                return answer if answer[0] else answer + [0]
        return self.run("enter", *arguments, self.want, *passed)

    def wait(self, on_park):
        """Until it has the lock. on_park is called each time that it has parked."""
        answer, parked, pause = self.take(FLAG), None, 1
        while not answer[0]:
            if not parked:
                parked = R if answer[2] == 1 else Q
                self.parks.send("BLPOP", parked, 0)
                on_park()
            net = min(1 if parked == R else pause, max(answer[1], 1) / 1000 + 0.005)
            if select.select([self.parks.socket], [], [], net)[0]:
                answer = self.take(FLAG, self.parks.read()[1], parked)
                parked = None
                continue
            pause = min(8, pause * 2)
            answer = self.take(FLAG if parked == R else pause * 1000 + 1500, None, parked)
            if answer[0] or (R if answer[2] == 1 else Q) != parked:
                answer = self.leave(answer)
                parked = None

    def leave(self, answer):
        """Leaves its list, after an ask beside has had this answer."""
        self.asks("CLIENT", "UNBLOCK", self.id)
        heard = self.parks.read()
        if heard and answer[0]:
            self.run("leave", heard[1], 0, B1, 0)
        elif heard and heard[1] != "+":
            return self.take(FLAG, heard[1])
        return answer

    def give_back(self):
        script = "release" if self.want == "x" else "leave"
        self.run(script, self.token, 0, "~" + self.token[7:-1], 0)


class Crowd:
    """All are parked one after the other behind an owner, which then gives the lock back."""

    def __init__(self, wants, memory=contextlib.nullcontext):
        self.wants = wants
        self.guard = threading.Lock()
        self.order, self.inside, self.bad = [], [], 0
        fresh()
        run("acquire", T1, 60000, 0, 0)
        threads = []
        for number, want in enumerate(wants):
            parked = threading.Event()
            waiter = Waiter(number, want)
            threads.append(threading.Thread(target=self.work, args=(waiter, parked), daemon=True))
            threads[-1].start()
            assert parked.wait(10)
            wait_until_blocked(number + 1)
        with memory():
            run("release", T1, 0, B2, 0)
            for thread in threads:
                thread.join(60)

    def work(self, waiter, parked):
        waiter.wait(parked.set)
        with self.guard:
            self.order.append(waiter.number)
            self.inside.append(waiter.want)
            alone = waiter.want == "x" or "x" in self.inside
            self.bad += len(self.inside) > (1 if alone else waiter.want or len(self.wants))
        time.sleep(0.02)  # it has the lock
        with self.guard:
            self.inside.remove(waiter.want)
        waiter.give_back()

    def swaps(self):
        """Pairs that came in another order than they parked, unless both have shares."""
        return sum(later > earlier and "x" in (self.wants[later], self.wants[earlier])
                   for at, earlier in enumerate(self.order) for later in self.order[:at])


def check_all():
    mixed = [0, "x", 0, 0, "x", "x", 0, "x", 0, 0, 0, "x"]
    for wants, *memory in ((mixed,), ([2] * 8,), (["x", 2, 2, 2, "x", 0, 0, "x"] * 2,),
                           (mixed, full_memory), (["x"] * 8, full_memory)):
        crowd = Crowd(wants, *memory)
        check("all of a crowd came in", sorted(crowd.order), list(range(len(wants))))
        check("in order", crowd.swaps(), 0)
        check("in no wrong company", crowd.bad, 0)
