--TEST--
check() does no I/O while the lease is surely safe, and throws for a key never held
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$server->freeze();
say_took('checked a thousand times', seconds(function () use ($lock) {
    for ($i = 0; $i < 1000; $i++) {
        $lock->check('key');
    }
}), 0, 0.5);
say('never held', outcome(fn () => $lock->check('other')));
$server->thaw();
$lock->releaseLock('key');
say('given back', outcome(fn () => $lock->check('key')));
ignore($lock->getLock('key'));
say('taken anew', outcome(fn () => $lock->check('key')));
?>
--EXPECT--
checked a thousand times: in time
never held: RLock\RLockException
given back: RLock\RLockException
taken anew: null
