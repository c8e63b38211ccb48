--TEST--
N2: one byte at a time: one absolute deadline
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url());
ignore($lock->getLock('held', ttl: 60.0));
$impatient = new RLock($proxy->url('timeout=0.4'));
answered(fn () => $impatient->holder('held'));
$proxy->tell('drip 30');
say_took('it took', seconds(function () use ($impatient) {
    say('holder', outcome(fn () => $impatient->holder('held')));
}), 0.39, 0.9);
$proxy->tell('drip 1');
say('slow, but in time', [outcome(fn () => $lock->holder('held')), outcome(fn () => $lock->isLocking('held'))]);
$proxy->tell('drip 0');
say('release', outcome(fn () => $lock->releaseLock('held')));
?>
--EXPECT--
holder: RLock\ConnectionException
it took: in time
slow, but in time: ["RLock\\Holder","true"]
release: true
