--TEST--
Late, and nobody took it: TimeoutException, once; outer levels are then false
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$lock = new RLock(shared_url());
take_briefly($lock->getLock(...), $key, ttl: 0.6);
take_briefly($lock->getLock(...), $key, ttl: 0.6);
await('expiry', fn () => !shared_client()('EXISTS', lock_key($key)));
try {
    $lock->releaseLock($key);
} catch (RLock\TimeoutException $e) {
    say('thrown', describe($e));
    say('key', $e->key === $key);
    say_within('late by', $e->lateBy, 0.0001, 3);
    say('names the key', str_contains($e->getMessage(), $key));
}
say('outer level', $lock->releaseLock($key));
say('once more', $lock->releaseLock($key));
say('taken anew', $lock->getLock($key));
say('given back', $lock->releaseLock($key));
?>
--EXPECT--
thrown: RLock\TimeoutException, held false, late
key: true
late by: in time
names the key: true
outer level: false
once more: false
taken anew: true
given back: true
