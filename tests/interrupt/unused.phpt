--TEST--
interrupt: without it, a lost lock is told by check and release alone
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$lock = new RLock(shared_url(), ttl: 2.0, autoRenew: true);
take_briefly($lock->getLock(...), $key = unique_key());
$client('DEL', lock_key($key));
for ($end = microtime(true) + 1.5; microtime(true) < $end;) {
}
say('check', [outcome(fn () => $lock->check($key)), outcome(fn () => $lock->check($key))]);
say('release', $lock->releaseLock($key));
take_briefly($lock->getLock(...), $key = unique_key());
$client('DEL', lock_key($key));
for ($end = microtime(true) + 1.5; microtime(true) < $end;) {
}
say('release', [outcome(fn () => $lock->releaseLock($key)), $lock->releaseLock($key)]);
say('stats', $lock->stats()['lost']);
?>
--EXPECT--
check: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
release: false
release: ["RLock\\LostLockException, held false",false]
stats: 2
