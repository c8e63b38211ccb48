--TEST--
Pending: a grant whose lease ran out before it was polled is not told as true
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
decide($lock->requestLock('warm')); // from now on there is a connection, on which a request goes out at once

$pending = $lock->requestLock('key', ttl: 0.2);
await('a grant', fn () => $client('EXISTS', lock_key('key')) === 1);
await('its end', fn () => $client('EXISTS', lock_key('key')) === 0);
say('taken by another', $other->getLock('key', ttl: 60.0));
say('goes on', $pending->poll());
park($client, 1, $pending);
$other->releaseLock('key');
say('in the end', [decide($pending), $lock->lease('key')->fence > 0]);
$lock->releaseAll();

$pending = $lock->requestLock('key', 0.1, ttl: 0.2);
await('a grant', fn () => $client('EXISTS', lock_key('key')) === 1);
await('its end', fn () => $client('EXISTS', lock_key('key')) === 0);
say('no time is left', [decide($pending), $lock->lease('key'), $client('EXISTS', lock_key('key'))]);
?>
--EXPECT--
taken by another: true
goes on: null
in the end: [true,true]
no time is left: [false,null,0]
