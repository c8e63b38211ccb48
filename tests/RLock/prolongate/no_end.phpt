--TEST--
A longer lease of a lock that somebody has given no end leaves it without one
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$client = shared_client();
$lock = new RLock(shared_url(), ttl: 60.0);
say('taken', $lock->getLock($key));
$client('PERSIST', lock_key($key));
say('prolonged', $lock->prolongate($key, 100.0));
say('left', $client('PTTL', lock_key($key)));
say('given back', $lock->releaseLock($key));
?>
--EXPECT--
taken: true
prolonged: true
left: -1
given back: true
