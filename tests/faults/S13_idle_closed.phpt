--TEST--
S13: an idle connection closed by the server: nobody notices
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$ours = fn () => substr_count($server->client()('CLIENT', 'LIST', 'TYPE', 'normal'), 'name=rlock');
say('connected', $ours());
$client('CONFIG', 'SET', 'timeout', '1');
await('closed by the server', fn () => $ours() === 0);
say('isLocking', outcome(fn () => $lock->isLocking('key')));
await('closed by the server', fn () => $ours() === 0);
say('releaseLock', outcome(fn () => $lock->releaseLock('key')));
await('closed by the server', fn () => $ours() === 0);
say('getLock', outcome(fn () => $lock->getLock('key')));
say('reconnects', $lock->stats()['reconnects'] >= 3);
?>
--EXPECT--
connected: 1
isLocking: true
releaseLock: true
getLock: true
reconnects: true
