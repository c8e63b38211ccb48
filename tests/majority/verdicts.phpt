--TEST--
A majority's verdict on a lease that ran out: Timeout when nobody can have had it, else Lost
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$lock = $nodes->lock();
$other = $nodes->lock();
$late = function () use ($lock, $nodes) {
    take_briefly($lock->getLock(...), 'key', ttl: 0.5);
    $nodes->awaitHolding(0, 'key');
    usleep(10000);
};

$late();
say('nobody', outcome(fn () => $lock->releaseLock('key')));
say('told once', outcome(fn () => $lock->releaseLock('key')));
$late();
say('taken and given back', [$other->getLock('key'), $other->releaseLock('key')]);
say('released', outcome(fn () => $lock->releaseLock('key')));
$late();
say('prolonged', outcome(fn () => $lock->prolongate('key', 30.0)));
say('held', [$lock->isLocking('key'), $lock->releaseLock('key')]);
$late();
say('taken', $other->getLock('key'));
say('prolonged', outcome(fn () => $lock->prolongate('key', 30.0)));
say('theirs', [$other->isLocking('key'), $other->releaseLock('key')]);
$late();
say('checked', outcome(fn () => $lock->check('key')));

ignore($lock->getLock('key'));
$nodes->awaitHolding(3, 'key');
$nodes->servers[0]->client()('DEL', lock_key('key'));
say('gone from one node', outcome(fn () => $lock->releaseLock('key')));
ignore($lock->getLock('key'));
$nodes->awaitHolding(3, 'key');
$nodes->servers[0]->client()('FLUSHALL');
$nodes->servers[2]->client()('FLUSHALL');
say('gone from two', outcome(fn () => $lock->releaseLock('key')));
$nodes->awaitHolding(0, 'key');
?>
--EXPECT--
nobody: RLock\TimeoutException, held false, late
told once: false
taken and given back: [true,true]
released: RLock\LostLockException, held false
prolonged: RLock\TimeoutException, held true, late
held: [true,true]
taken: true
prolonged: RLock\LostLockException, held false
theirs: [true,true]
checked: RLock\TimeoutException, held false, late
gone from one node: true
gone from two: RLock\LostLockException, held false
