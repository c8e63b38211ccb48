--TEST--
prolongate() of what this object does not hold is false without I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
say('never held', $lock->prolongate('key'));

$client = shared_client();
$key = unique_key();
$holder = new RLock(shared_url());
ignore($holder->getLock($key, ttl: 10.0));
$lock = new RLock(shared_url());
say("another's", $lock->prolongate($key, 100.0));
say_within('its lease', $client('PTTL', lock_key($key)) / 1000, 5, 10);
$holder->releaseLock($key);
say('given back', $holder->prolongate($key));
say('there', $client('EXISTS', lock_key($key)));
?>
--EXPECT--
never held: false
another's: false
its lease: in time
given back: false
there: 0
