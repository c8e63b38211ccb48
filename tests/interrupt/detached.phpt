--TEST--
interrupt: the loss of a detached lock that is renewed throws, once; check() repeats it, and prolongate() is false
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$other = new RLock(shared_url());
$ways = [
    'broken' => fn ($key) => $other->breakLock($key),
    'deleted' => fn ($key) => $client('DEL', lock_key($key)),
    'taken by another' => fn ($key) => $other->breakLock($key) && $other->getLock($key, ttl: 60.0),
    'taken by another, behind a release elsewhere' => fn ($key) => $other->detached($key, 'name')->releaseLock() && $other->getLock($key, ttl: 60.0),
];
foreach ($ways as $how => $way) {
    $key = unique_key();
    $lock = new RLock(shared_url(), interrupt: true);
    $detached = $lock->detached($key, 'name');
    take_briefly($detached->getLock(...), ttl: 2.0, autoRenew: true);
    say($how, [outcome(fn () => $lock->check($key)), (bool) $way($key)]);
    $began = microtime(true);
    try {
        while (true) {
        }
    } catch (RLock\LostLockException $lost) {
        $told = microtime(true);
    }
    say_took('told after', $told - $began, 0.0, 0.67 + 0.05 + 0.5);
    say('it is', [describe($lost), $lost->key === $key, $lost->lateBy, $lost->holder, str_contains($lost->getMessage(), 'name"')]);
    say('check', [outcome(fn () => $lock->check($key)), outcome(fn () => $lock->check($key))]);
    say('prolongate', [$detached->prolongate(), $detached->releaseLock(), $lock->stats()['lost']]);
    for ($end = microtime(true) + 0.8; microtime(true) < $end;) {
    }
    say('once', $other->isLocking($key) ? $other->ttl($key) > 50.0 : $client('EXISTS', lock_key($key)));
    $other->releaseLock($key);
    say('and again', [$detached->getLock(wait: 2.0, ttl: 2.0, autoRenew: true), outcome(fn () => $lock->check($key)), $detached->releaseLock()]);
}

/* Without autoRenew nothing watches it. */
$lock = new RLock(shared_url(), interrupt: true);
$detached = $lock->detached($key, 'name');
say('not renewed', [$detached->getLock(wait: 2.0, ttl: 0.5), await_threads(1)]);
for ($end = microtime(true) + 0.8; microtime(true) < $end;) {
}
say('not told', outcome(fn () => $lock->check($key)));
?>
--EXPECT--
broken: ["null",true]
told after: in time
it is: ["RLock\\LostLockException, held false",true,0.0,null,false]
check: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
prolongate: [false,false,1]
once: 0
and again: [true,"null",true]
deleted: ["null",true]
told after: in time
it is: ["RLock\\LostLockException, held false",true,0.0,null,false]
check: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
prolongate: [false,false,1]
once: 0
and again: [true,"null",true]
taken by another: ["null",true]
told after: in time
it is: ["RLock\\LostLockException, held false",true,0.0,null,false]
check: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
prolongate: [false,false,1]
once: true
and again: [true,"null",true]
taken by another, behind a release elsewhere: ["null",true]
told after: in time
it is: ["RLock\\LostLockException, held false",true,0.0,null,false]
check: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
prolongate: [false,false,1]
once: true
and again: [true,"null",true]
not renewed: [true,1]
not told: RLock\RLockException
