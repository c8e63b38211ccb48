--TEST--
Fibers that share an object may end their waits in any order
--FILE--
<?php
require __DIR__ . '/../../server.inc';

final class Yields implements RLock\RetryStrategy
{
    public function nextBackoff(int $attempt): ?float
    {
        Fiber::getCurrent() && Fiber::suspend();
        return 0.01;
    }
}

$server = TestServer::start();
$holder = new RLock($server->url());
ignore($holder->getLocks(['a', 'b', 'c'], ttl: 60.0));
$lock = new RLock($server->url(), retry: new Yields());
$finish = function (Fiber $fiber): bool {
    while (!$fiber->isTerminated()) {
        $fiber->resume();
    }
    return $fiber->getReturn();
};
$first = new Fiber(fn () => $lock->getLocks(['a'], wait: 10.0));
$second = new Fiber(fn () => $lock->getLocks(['b'], wait: 10.0));
$first->start();
$second->start();
say('given back', [$holder->releaseLock('a'), $holder->releaseLock('b')]);
say('the first', $finish($first));
say('the second', $finish($second));
unset($first, $second); /* and their stacks */
say('the object works', $lock->getLock('c', wait: 0.3));
say('one that never goes on', (function () use ($lock) { (new Fiber(fn () => $lock->getLocks(['c'], wait: 10.0)))->start(); return 'ends'; })());
say('held', [$lock->isLocking('a'), $lock->isLocking('b'), $lock->lease('c')]);
say('released', $lock->releaseAll());
?>
--EXPECT--
given back: [true,true]
the first: true
the second: true
the object works: false
one that never goes on: ends
held: [true,true,null]
released: true
