--TEST--
`durable` is refused by name where the server cannot, and the lock is given back
--FILE--
<?php
require __DIR__ . '/../server.inc';

// Redis before 7.2 has no WAITAOF; later ones cannot without an append-only file.
$server = TestServer::start();
$lock = new RLock($server->url(), durable: true);
try {
    ignore($lock->getLock('key'));
} catch (RLock\ServerException $e) {
    say('error', $e->error);
    say('says what it takes', str_contains($e->getMessage(), 'appendonly yes'));
}
say('given back', $server->client()('EXISTS', lock_key('key')));
say('held', $lock->lease('key'));
say('not at once, nor later', outcome(fn () => $lock->getLock('key', wait: 0.5)));
say('without', (new RLock($server->url()))->getLock('key'));
say('several servers', outcome(fn () => new RLock([$server->url(), $server->url('db=1')], durable: true)));
?>
--EXPECT--
error: NOAOF
says what it takes: true
given back: 0
held: null
not at once, nor later: RLock\ServerException, NOAOF
without: true
several servers: ValueError