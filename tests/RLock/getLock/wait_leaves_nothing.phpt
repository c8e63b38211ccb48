--TEST--
A wait that was in vain leaves no lock, no parked client and no baton behind
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key'));
$lock = new RLock($server->url());
say('busy', $lock->getLock('key', wait: 1.3));
say('parked', $client->info('blocked_clients'));
say('release', $holder->releaseLock('key'));
say('free for the next', $lock->getLock('key'));
say('release', $lock->releaseLock('key'));
/* A flag that nobody needs any more may leave a baton, for a window of a second. */
await('the lock key is gone', fn () => !$client('EXISTS', 'lock@key'), 3.0);
say('baton', $client('EXISTS', wake_key('key')));
?>
--EXPECT--
busy: false
parked: 0
release: true
free for the next: true
release: true
baton: 0
