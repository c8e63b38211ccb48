--TEST--
S9: killed and restarted empty: another may take it, the old holder learns that it is lost
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$lock = new RLock($server->url());
ignore($lock->getLock('taken', ttl: 60.0));
ignore($lock->getLock('not taken', ttl: 60.0));
ignore($lock->getLock('prolonged', ttl: 60.0));
$server->kill();
say('while it is down', outcome(fn () => $lock->isLocking('taken')));
say('and for a new object', outcome(fn () => (new RLock($server->url()))->getLock('key')));
$server = $server->restart();

$other = new RLock($server->url());
say('another', $other->getLock('taken'));
say('isLocking', outcome(fn () => $lock->isLocking('taken')));
say('taken', outcome(fn () => $lock->releaseLock('taken')));
say('not taken', outcome(fn () => $lock->releaseLock('not taken')));
say('prolonged', outcome(fn () => $lock->prolongate('prolonged')));
say("the other's is unharmed", $other->releaseLock('taken'));
say('a new take', $lock->getLock('taken'));
?>
--EXPECT--
while it is down: RLock\ConnectionException
and for a new object: RLock\ConnectionException
another: true
isLocking: false
taken: RLock\LostLockException, held false
not taken: RLock\LostLockException, held false
prolonged: RLock\LostLockException, held false
the other's is unharmed: true
a new take: true
