--TEST--
close() releases everything held; afterwards every call but close() throws
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$keys = [unique_key(), unique_key(), unique_key()];
$lock = new RLock(shared_url());
foreach ($keys as $key) {
    ignore($lock->getLock($key, ttl: 60.0));
    ignore($lock->getLock($key, ttl: 60.0));
}
say('close', outcome(fn () => $lock->close()));
say('left', $client('EXISTS', ...array_map(lock_key(...), $keys)));
say('close', outcome(fn () => $lock->close()));
$key = $keys[0];
$calls = [
    'getLock' => fn () => $lock->getLock($key),
    'releaseLock' => fn () => $lock->releaseLock($key),
    'prolongate' => fn () => $lock->prolongate($key),
    'isLocking' => fn () => $lock->isLocking($key),
    'ttl' => fn () => $lock->ttl($key),
    'check' => fn () => $lock->check($key),
    'lease' => fn () => $lock->lease($key),
    'holder' => fn () => $lock->holder($key),
    'stats' => fn () => $lock->stats(),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
unset($lock);
say('closed before any use', outcome(fn () => (new RLock(nowhere()))->close()));
?>
--EXPECT--
close: null
left: 0
close: null
getLock: RLock\RLockException
releaseLock: RLock\RLockException
prolongate: RLock\RLockException
isLocking: RLock\RLockException
ttl: RLock\RLockException
check: RLock\RLockException
lease: RLock\RLockException
holder: RLock\RLockException
stats: RLock\RLockException
closed before any use: null
