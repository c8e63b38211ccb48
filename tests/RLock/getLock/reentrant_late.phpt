--TEST--
A re-entrant getLock() after the lease has run out throws the verdict, and the key is not held
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
function expired_lock(string $key): RLock
{
    $lock = new RLock(shared_url());
    take_briefly($lock->getLock(...), $key, ttl: 0.6);
    await('expiry', fn () => !shared_client()('EXISTS', lock_key($key)));
    return $lock;
}

$key = unique_key();
$lock = expired_lock($key);
say('nobody took it', outcome(fn () => $lock->getLock($key)));
say('not held', [$lock->lease($key), $lock->releaseLock($key), $client('EXISTS', lock_key($key))]);
say('taken anew', $lock->getLock($key));
say('depth', $lock->lease($key)->depth);
$lock->releaseLock($key);

$key = unique_key();
$lock = expired_lock($key);
$other = new RLock(shared_url());
ignore($other->getLock($key));
say('another has it', outcome(fn () => $lock->getLock($key)));
say('not held', [$lock->lease($key), $lock->releaseLock($key)]);
say('busy', $lock->getLock($key));
say("the other's is unharmed", $other->releaseLock($key));

$key = unique_key();
$lock = expired_lock($key);
ignore($other->getLock($key));
$other->releaseLock($key);
say('another has had it', outcome(fn () => $lock->getLock($key)));

$key = unique_key();
$lock = new RLock(shared_url());
ignore($lock->getLock($key));
$client('DEL', lock_key($key));
say('deleted before its deadline', outcome(fn () => $lock->getLock($key)));
say('not held', $lock->lease($key));
?>
--EXPECT--
nobody took it: RLock\TimeoutException, held false, late
not held: [null,false,0]
taken anew: true
depth: 1
another has it: RLock\LostLockException, held false
not held: [null,false]
busy: false
the other's is unharmed: true
another has had it: RLock\LostLockException, held false
deleted before its deadline: RLock\LostLockException, held false
not held: null
