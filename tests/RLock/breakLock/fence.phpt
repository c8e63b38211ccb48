--TEST--
breakLock() with a fence frees that grant alone, whatever holds it
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$holder = new RLock($server->url());

ignore($holder->getLock('key', ttl: 60.0));
$fence = $lock->holder('key')->fence;
say('another grant', [$lock->breakLock('key', $fence - 1), $lock->breakLock('key', $fence + 1), $lock->breakLock('key', PHP_INT_MAX)]);
say('unharmed', $holder->isLocking('key'));
say('this one', [$lock->breakLock('key', fence: $fence), outcome(fn () => $holder->releaseLock('key'))]);
say('free by now', $lock->breakLock('key', $fence));

/* It has changed hands since it was looked at. */
ignore($holder->getLock('key', ttl: 60.0));
$fence = $lock->holder('key')->fence;
$holder->releaseLock('key');
ignore($holder->getLock('key', ttl: 60.0));
say('a later one', [$lock->breakLock('key', $fence), $holder->isLocking('key')]);
$fence = $holder->lease('key')->fence;
say('any', $lock->breakLock('key', null));
outcome(fn () => $holder->releaseLock('key'));

/* Handed over, and adopted, it is another grant each time; it stays the same when only its delay is left. */
ignore($holder->getLock('key', ttl: 60.0));
$fence = $holder->lease('key')->fence;
$token = $holder->handOver('key');
say('in flight', [$lock->breakLock('key', $fence), $lock->breakLock('key', $lock->holder('key')->fence), $holder->adopt('key', $token)]);
ignore($holder->getLock('key', ttl: 60.0));
$token = $holder->handOver('key');
$fence = $lock->holder('key')->fence;
ignore($holder->adopt('key', $token));
say('adopted', [$lock->breakLock('key', $fence), $lock->breakLock('key', $holder->lease('key')->fence), outcome(fn () => $holder->releaseLock('key'))]);
ignore($holder->getLock('key', ttl: 60.0));
$fence = $holder->lease('key')->fence;
$holder->releaseLock('key', delayAfter: 60.0);
say('a delay', [$lock->breakLock('key', $fence - 1), $lock->breakLock('key', $fence), $lock->holder('key')]);

/* A foreign lock has no fence, nor has a majority. */
$client('SET', 'lock@key', 'foreign');
say('foreign', [$lock->breakLock('key', $fence), $client('GET', 'lock@key')]);
$client('DEL', 'lock@key', 'rlock:f:{lock@key}:lock@key');
$majority = new RLock([$server->url(), TestServer::start()->url(), TestServer::start()->url()]);
ignore($majority->getLock('key'));
say('a majority', [$majority->breakLock('key', $fence), $majority->isLocking('key'), $majority->breakLock('key'),
    outcome(fn () => $majority->releaseLock('key'))]);
?>
--EXPECT--
another grant: [false,false,false]
unharmed: true
this one: [true,"RLock\\LostLockException, held false"]
free by now: false
a later one: [false,true]
any: true
in flight: [false,true,false]
adopted: [false,true,"RLock\\LostLockException, held false"]
a delay: [false,true,null]
foreign: [false,"foreign"]
a majority: [false,true,true,"RLock\\LostLockException, held false"]
