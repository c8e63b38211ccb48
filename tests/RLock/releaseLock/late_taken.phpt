--TEST--
Late, and another has it, or has had it: LostLockException, and nobody else's is freed
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());

$key = unique_key();
take_briefly($lock->getLock(...), $key, ttl: 0.6);
say('other', $other->getLock($key, wait: 5.0));
$token = $client('GET', lock_key($key));
try {
    $lock->releaseLock($key);
} catch (RLock\LostLockException $e) {
    say('thrown', describe($e));
    say('key', $e->key === $key);
    say('late', $e->lateBy > 0.0);
    say("the other's token is not told", !str_contains($e . print_r($e->holder, true), secret($token)));
}
say("the other's is unharmed", $client('GET', lock_key($key)) === $token);
say('again', $lock->releaseLock($key));
say("other gives back", $other->releaseLock($key));

$key = unique_key();
take_briefly($lock->getLock(...), $key, ttl: 0.6);
ignore($other->getLock($key, wait: 5.0));
$other->releaseLock($key);
say('given back meanwhile', outcome(fn () => $lock->releaseLock($key)));

$key = unique_key();
take_briefly($lock->getLock(...), $key, ttl: 0.6);
await('expiry', fn () => !$client('EXISTS', lock_key($key)));
$client('DEL', fence_key($key));
say('it can no longer be told', outcome(fn () => $lock->releaseLock($key)));
?>
--EXPECT--
other: true
thrown: RLock\LostLockException, held false
key: true
late: true
the other's token is not told: true
the other's is unharmed: true
again: false
other gives back: true
given back meanwhile: RLock\LostLockException, held false
it can no longer be told: RLock\LostLockException, held false
