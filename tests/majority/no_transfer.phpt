--TEST--
handOver() and adopt() on a majority are refused before anything is sent, and say what to use
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$refused = function (callable $call): void {
    try {
        ignore($call());
    } catch (RLock\RLockException $e) {
        say('refused', [$e::class, $e->key, str_contains($e->getMessage(), 'detached()')]);
    }
};
$away = new RLock(array_map(fn (int $i) => "unix:///nonexistent/rlock-$i.sock", [1, 2, 3]));
$refused(fn () => $away->handOver('key'));
$refused(fn () => $away->adopt('key', 'rlock1:' . str_repeat('0', 32) . ':h:1'));

$lock = (new Majority(3))->lock();
ignore($lock->getLock('key', ttl: 20.0));
$requests = $lock->stats()['requests'];
$refused(fn () => $lock->handOver('key'));
$refused(fn () => $lock->adopt('key', $lock->lease('key')->token));
say('nothing was sent', $lock->stats()['requests'] === $requests);
say('still held', [$lock->isLocking('key'), $lock->releaseLock('key')]);
say('by a name', [$lock->detached('key', 'name')->getLock(), $lock->detached('key', 'name')->releaseLock()]);
?>
--EXPECT--
refused: ["RLock\\RLockException","key",true]
refused: ["RLock\\RLockException","key",true]
refused: ["RLock\\RLockException","key",true]
refused: ["RLock\\RLockException","key",true]
nothing was sent: true
still held: [true,true]
by a name: [true,true]
