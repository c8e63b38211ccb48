--TEST--
N8: a peer that is there but does nothing: ConnectionException at the deadline
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=2'));
take_briefly($lock->getLock(...), 'held', ttl: 60.0);
$proxy->tell('deaf');
foreach (['isLocking' => fn () => $lock->isLocking('held'), 'getLock' => fn () => $lock->getLock('key')] as $name => $call) {
    say_took('it took', seconds(function () use ($name, $call) { say($name, outcome($call)); }), 1.9, 2.5);
}
$proxy->tell('hear');
say('it hears again', outcome(fn () => $lock->releaseLock('held')));
?>
--EXPECT--
isLocking: RLock\ConnectionException
it took: in time
getLock: RLock\ConnectionException
it took: in time
it hears again: true
