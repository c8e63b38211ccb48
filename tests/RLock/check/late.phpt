--TEST--
check() throws when it is late, at every call, until the key is taken anew
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
say('in time', done_within(0.4, function () use ($lock, $key) {
    ignore($lock->getLock($key, ttl: 0.6));
    return outcome(fn () => $lock->check($key));
}, fn () => outcome(fn () => $lock->releaseLock($key))));
await('expiry', fn () => !$client('EXISTS', lock_key($key)));
say('late', outcome(fn () => $lock->check($key)));
say('again', outcome(fn () => $lock->check($key)));
say('not held', [$lock->releaseLock($key), $lock->lease($key)]);
say('again', outcome(fn () => $lock->check($key)));
say('taken anew', $lock->getLock($key));
say('check', outcome(fn () => $lock->check($key)));

$key = unique_key();
$other = new RLock(shared_url());
take_briefly($lock->getLock(...), $key, ttl: 0.6);
ignore($other->getLock($key, wait: 5.0));
say('lost', outcome(fn () => $lock->check($key)));
say('again', outcome(fn () => $lock->check($key)));
say("the other's is unharmed", $other->isLocking($key));
?>
--EXPECTF--
in time: null
late: RLock\TimeoutException, held false, late
again: RLock\TimeoutException, held false, late
not held: [false,null]
again: RLock\TimeoutException, held false, late
taken anew: true
check: null
lost: RLock\LostLockException, held false
again: RLock\LostLockException, held false
the other's is unharmed: true
