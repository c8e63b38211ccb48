--TEST--
interrupt: where the exception comes out of calls, generators, fibers, callbacks, destructors and waits
--FILE--
<?php
require __DIR__ . '/../server.inc';

$lock = new RLock(shared_url(), ttl: 0.6, autoRenew: true, interrupt: true);
$busy = new RLock(shared_url());
ignore($busy->getLock($busy_key = unique_key('busy'), ttl: 60.0));
$deleter = start_deleter(0.15);
$finally = [];

/* Loses a lock, then runs $place, which loops for ever. */
function lose_in(string $name, callable $place): void
{
    global $deleter, $lock, $finally;
    for ($tries = 5; $tries > 0; $tries--) { // a busy machine may not renew it until it is lost
        $finally = [];
        take_briefly($lock->getLock(...), $key = unique_key());
        $deleter->say(lock_key($key));
        $outcome = outcome($place);
        if (!str_starts_with($outcome, 'RLock\TimeoutException')) {
            break;
        }
    }
    say($name, [$outcome, $lock->lease($key), ...$finally]);
}

function spin(int $depth): void
{
    global $finally;
    try {
        if ($depth > 0) {
            spin($depth - 1);
        }
        while (true) {
        }
    } finally {
        $finally[] = "level $depth";
    }
}

function numbers(): Generator
{
    global $finally;
    try {
        for ($i = 0; ; $i++) {
            yield $i;
        }
    } finally {
        $finally[] = 'generator';
    }
}

function spins_inside(): Generator
{
    global $finally;
    try {
        yield 1;
        while (true) {
        }
    } finally {
        $finally[] = 'generator';
    }
}

final class SpinsAtItsEnd
{
    public function __destruct()
    {
        global $finally;
        try {
            while (true) {
            }
        } finally {
            $finally[] = 'destructor';
        }
    }
}

final class Spins
{
    public function __get(string $name): mixed
    {
        while (true) {
        }
    }

    public function __toString(): string
    {
        while (true) {
        }
    }
}

lose_in('nested calls', fn () => spin(3));
lose_in('a foreach over a generator', function () { foreach (numbers() as $number) { } });
lose_in('inside a generator', function () { foreach (spins_inside() as $number) { } });
lose_in('a fiber', function () use (&$finally) {
    $fiber = new Fiber(function () use (&$finally) {
        try {
            Fiber::suspend();
            while (true) {
            }
        } finally {
            $finally[] = 'fiber';
        }
    });
    $fiber->start();
    try {
        $fiber->resume();
    } finally {
        $finally[] = $fiber->isTerminated();
    }
});
lose_in('whatever fiber runs', function () use (&$finally) {
    $fibers = [];
    foreach (['first', 'second'] as $name) {
        $fibers[$name] = new Fiber(function () { while (true) { Fiber::suspend(); } });
        $fibers[$name]->start();
    }
    while (true) {
        foreach ($fibers as $fiber) {
            $fiber->resume();
        }
    }
});
lose_in('a callback', fn () => array_map(function ($x) { while (true) { } }, [1, 2, 3]));
lose_in('a comparison', function () { $a = [3, 1, 2]; usort($a, function () { while (true) { } }); });
lose_in('a destructor', function () { $spins = new SpinsAtItsEnd(); unset($spins); });
lose_in('a destructor in an unwinding', function () {
    $spins = new SpinsAtItsEnd();
    throw new DomainException();
});
lose_in('a magic method', fn () => (new Spins())->anything);
lose_in('__toString', fn () => (string) new Spins());
lose_in('synchronized', fn () => $busy->synchronized(unique_key(), function () { while (true) { } }));
lose_in('a call that blocks', function () use (&$finally) {
    try {
        usleep(1_200_000);
        $finally[] = 'came too far';
    } finally {
        $finally[] = 'after the call';
    }
});
lose_in('a wait of the same object', fn () => $lock->getLock($GLOBALS['busy_key'], wait: 30.0));
lose_in('a wait of another object', fn () => $busy->synchronized(unique_key(), fn () => (new RLock(shared_url()))->getLock($GLOBALS['busy_key'], wait: 30.0)));
lose_in('a strategy', fn () => (new RLock(shared_url(), retry: new class implements RLock\RetryStrategy {
    public function nextBackoff(int $attempt): ?float
    {
        while (true) {
        }
    }
}))->getLock($GLOBALS['busy_key'], wait: 30.0));
/* Whom a wait had left behind would be handed it. */
say('nobody waits', [$busy->releaseLock($busy_key), $lock->getLock($busy_key), $lock->releaseLock($busy_key)]);
?>
--EXPECT--
nested calls: ["RLock\\LostLockException, held false",null,"level 0","level 1","level 2","level 3"]
a foreach over a generator: ["RLock\\LostLockException, held false",null,"generator"]
inside a generator: ["RLock\\LostLockException, held false",null,"generator"]
a fiber: ["RLock\\LostLockException, held false",null,"fiber",true]
whatever fiber runs: ["RLock\\LostLockException, held false",null]
a callback: ["RLock\\LostLockException, held false",null]
a comparison: ["RLock\\LostLockException, held false",null]
a destructor: ["RLock\\LostLockException, held false",null,"destructor"]
a destructor in an unwinding: ["RLock\\LostLockException, held false",null,"destructor"]
a magic method: ["RLock\\LostLockException, held false",null]
__toString: ["RLock\\LostLockException, held false",null]
synchronized: ["RLock\\LostLockException, held false",null]
a call that blocks: ["RLock\\LostLockException, held false",null,"after the call"]
a wait of the same object: ["RLock\\LostLockException, held false",null]
a wait of another object: ["RLock\\LostLockException, held false",null]
a strategy: ["RLock\\LostLockException, held false",null]
nobody waits: [true,true,true]
