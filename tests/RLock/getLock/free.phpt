--TEST--
getLock() takes a free key: token, lease and fence are on the server
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
say('take', $lock->getLock($key, ttl: 20.0));
$token = $client('GET', lock_key($key));
say('token', preg_match('/^rlock1:[0-9a-f]{32}:[^:]+:' . getmypid() . '$/', $token));
say_within('lease', $client('PTTL', lock_key($key)) / 1000, 17, 20);
say('the token is what lease() tells', $lock->lease($key)->token === $token);
say('the fence is what lease() tells', $client('GET', fence_key($key)) === (string) $lock->lease($key)->fence);
say_within('the fence is kept for an hour more', $client('PTTL', fence_key($key)) / 1000, 3600, 3625);
say('nobody waits', $client('EXISTS', waiting_key($key)) + $client('EXISTS', wake_key($key)));
?>
--EXPECT--
take: true
token: 1
lease: in time
the token is what lease() tells: true
the fence is what lease() tells: true
the fence is kept for an hour more: in time
nobody waits: 0
