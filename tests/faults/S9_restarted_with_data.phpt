--TEST--
S9: killed and restarted with its data: the lock is still ours, its time ran on, waiters stay out
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start(['--appendonly', 'yes', '--appendfsync', 'always']);
$lock = new RLock($server->url());
ignore($lock->getLock('kept', ttl: 60.0));
take_briefly($lock->getLock(...), 'short', ttl: 0.5);
$fence = $lock->lease('kept')->fence;
$server->kill();
await('the end of the short lease', fn () => $lock->lease('short')->ttl === 0.0);
$server = $server->restart();

$other = new RLock($server->url());
say('another', $other->getLock('kept'));
say('isLocking', $lock->isLocking('kept'));
say_within('left', $lock->ttl('kept'), 40.0, 59.9);
say('kept', outcome(fn () => $lock->releaseLock('kept')));
say('the short one', outcome(fn () => $lock->releaseLock('short')));
say('another', $other->getLock('kept'));
say('its fence is higher', $other->lease('kept')->fence > $fence);
?>
--EXPECT--
another: false
isLocking: true
left: in time
kept: true
the short one: RLock\TimeoutException, held false, late
another: true
its fence is higher: true
