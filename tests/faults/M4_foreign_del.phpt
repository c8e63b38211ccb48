--TEST--
M4: a foreign DEL of ours: lost, and whoever took it since is unharmed
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$lock = new RLock(shared_url());
$key = unique_key();
ignore($lock->getLock($key));
say('their DEL', $client('DEL', lock_key($key)));
say('release', outcome(fn () => $lock->releaseLock($key)));
say('again', outcome(fn () => $lock->releaseLock($key)));

ignore($lock->getLock($key));
$client('DEL', lock_key($key));
$other = new RLock(shared_url());
say('another takes it', $other->getLock($key));
say('release', outcome(fn () => $lock->releaseLock($key)));
say('unharmed', $other->releaseLock($key));
?>
--EXPECT--
their DEL: 1
release: RLock\LostLockException, held false
again: false
another takes it: true
release: RLock\LostLockException, held false
unharmed: true
