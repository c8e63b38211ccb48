--TEST--
ttl() is what the server has left of our lease, 0.0 if it is not ours
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
say('free', $lock->ttl($key));
ignore($lock->getLock($key, ttl: 20.0));
say_within('ours', $lock->ttl($key), 17, 20);
say("another's", $other->ttl($key));
$client('PEXPIRE', lock_key($key), 5000);
say_within('by the server', $lock->ttl($key), 3, 5);
$client('PERSIST', lock_key($key));
say('without expiry, by hand', $lock->ttl($key) === INF);
$client('DEL', lock_key($key));
say('deleted', $lock->ttl($key));
outcome(fn () => $lock->releaseLock($key));
?>
--EXPECT--
free: 0.0
ours: in time
another's: 0.0
by the server: in time
without expiry, by hand: true
deleted: 0.0
