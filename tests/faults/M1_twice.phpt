--TEST--
M1: release twice, prolongate what was never taken: false, no I/O
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$lock = new RLock($server->url());
ignore($lock->getLock('key'));
say('release', $lock->releaseLock('key'));
$server->freeze();
say('release twice', outcome(fn () => $lock->releaseLock('key')));
say('prolongate', outcome(fn () => $lock->prolongate('key')));
say('prolongate what was never taken', outcome(fn () => $lock->prolongate('other')));
$server->thaw();
$stats = $lock->stats();
$lock->releaseLock('key');
$lock->prolongate('key');
say('requests', $lock->stats()['requests'] - $stats['requests']);
?>
--EXPECT--
release: true
release twice: false
prolongate: false
prolongate what was never taken: false
requests: 0
