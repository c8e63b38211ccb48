--TEST--
isLocking() asks the server whether it is ours now
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
say('free', $lock->isLocking($key));
ignore($lock->getLock($key));
say('ours', $lock->isLocking($key));
say("another's", $other->isLocking($key));
$lock->releaseLock($key);
say('given back', $lock->isLocking($key));

take_briefly($lock->getLock(...), $key, ttl: 0.6);
await('expiry', fn () => !$client('EXISTS', lock_key($key)));
say('run out', $lock->isLocking($key));
say('the verdict is still owed', outcome(fn () => $lock->releaseLock($key)));

ignore($lock->getLock($key));
$client('DEL', lock_key($key));
say('deleted', $lock->isLocking($key));
$client('SET', lock_key($key), 'foreign', 'PX', 5000);
say('foreign', $lock->isLocking($key));
outcome(fn () => $lock->releaseLock($key));
?>
--EXPECT--
free: false
ours: true
another's: false
given back: false
run out: false
the verdict is still owed: RLock\TimeoutException, held false, late
deleted: false
foreign: false
