--TEST--
Both policies: POLICY_FAIL_FAST compares the wait with the moment when a share can be had at the earliest
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$holder = new RLock(shared_url());
$other = new RLock(shared_url());
$lock = new RLock(shared_url());
function tried(string $what, float $min, float $max, callable $call): void
{
    $took = seconds(function () use ($what, $call) { say($what, $call()); });
    say_took('it took', $took, $min, $max);
}

$key = unique_key();
ignore($holder->getLock($key, ttl: 60.0));
tried('fail fast, an exclusive lock outlasts the wait', 0.0, 1.0, fn () => $lock->getSharedLock($key, wait: 5.0, policy: RLock::POLICY_FAIL_FAST));
tried('wait, an exclusive lock outlasts the wait', 0.4, 2.0, fn () => $lock->getSharedLock($key, wait: 0.4, policy: RLock::POLICY_WAIT));
tried('wait 0.0 asks once', 0.0, 0.5, fn () => $lock->getSharedLock($key));
$holder->releaseLock($key);

take_briefly($holder->getLock(...), $key, ttl: 0.6);
tried('fail fast, it ends within the wait', 0.0, 3.0, fn () => $lock->getSharedLock($key, wait: 20.0, policy: RLock::POLICY_FAIL_FAST));
say('what became of it', [$holder->releaseAll(), $lock->releaseLock($key)]);

/* The share that ends first counts if a place is wanted, the one that ends last if all must go. */
$key = unique_key();
take_briefly($holder->getSharedLock(...), $key, ttl: 0.8);
ignore($other->getSharedLock($key, ttl: 60.0));
tried('fail fast, exclusively', 0.0, 0.5, fn () => $lock->getLock($key, wait: 20.0, policy: RLock::POLICY_FAIL_FAST));
tried('fail fast, one of two', 0.0, 3.0, fn () => $lock->getSharedLock($key, wait: 20.0, policy: RLock::POLICY_FAIL_FAST, limit: 2));
tried('fail fast, one of two, but both last', 0.0, 1.0,
    fn () => (new RLock(shared_url()))->getSharedLock($key, wait: 5.0, policy: RLock::POLICY_FAIL_FAST, limit: 2));

say('what became of them', [$holder->releaseAll(), $other->releaseAll()]);

/* A release before its time: only POLICY_WAIT hopes for it. */
$child = Child::start('
    $lock = new RLock(shared_url());
    $parent->say($lock->getSharedLock($args[0], ttl: 300.0));
    $parent->hear();
    $lock->releaseLock($args[0]);
', [$key = unique_key()]);
$child->hear();
$child->say('go');
tried('wait, given back early', 0.0, 10.0, fn () => $lock->getLock($key, wait: 20.0, policy: RLock::POLICY_WAIT));
?>
--EXPECT--
fail fast, an exclusive lock outlasts the wait: false
it took: in time
wait, an exclusive lock outlasts the wait: false
it took: in time
wait 0.0 asks once: false
it took: in time
fail fast, it ends within the wait: true
it took: in time
what became of it: [false,true]
fail fast, exclusively: false
it took: in time
fail fast, one of two: true
it took: in time
fail fast, one of two, but both last: false
it took: in time
what became of them: [false,true]
wait, given back early: true
it took: in time
