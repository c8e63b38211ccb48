--TEST--
S10: a frozen server: ConnectionException at the deadline, not later
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start(tcp: true);
$calls = [
    'getLock' => fn ($lock) => $lock->getLock('other'),
    'getLock again' => fn ($lock) => $lock->getLock('key'),
    'prolongate' => fn ($lock) => $lock->prolongate('key'),
    'isLocking' => fn ($lock) => $lock->isLocking('key'),
    'ttl' => fn ($lock) => $lock->ttl('key'),
    'holder' => fn ($lock) => $lock->holder('key'),
    'releaseLock' => fn ($lock) => $lock->releaseLock('key'),
];
foreach ([$server->url('timeout=0.3&persistent=0'), $server->tcpUrl('timeout=0.3&persistent=0')] as $address) {
    foreach ($calls as $name => $call) {
        $lock = new RLock($address);
        take_briefly($lock->getLock(...), 'key', ttl: 60.0);
        $server->freeze();
        $took = seconds(function () use ($name, $call, $lock) { say($name, outcome(fn () => $call($lock))); });
        say_took('it took', $took, 0.29, 0.8);
        $server->thaw();
        await('an end in time', fn () => !str_contains(outcome(fn () => $lock->close()), 'Exception'));
    }
}
/* A new connection is accepted by the kernel, but nobody answers. */
$server->freeze();
$lock = new RLock($server->url('timeout=0.3&connect_timeout=0.2'));
say_took('connecting took', seconds(function () use ($lock) {
    say('connecting', outcome(fn () => $lock->getLock('key')));
}), 0.15, 0.8);
$server->thaw();
say('thawed', outcome(fn () => answered(fn () => $lock->getLock('key'))));
?>
--EXPECT--
getLock: RLock\ConnectionException
it took: in time
getLock again: RLock\ConnectionException
it took: in time
prolongate: RLock\ConnectionException
it took: in time
isLocking: RLock\ConnectionException
it took: in time
ttl: RLock\ConnectionException
it took: in time
holder: RLock\ConnectionException
it took: in time
releaseLock: RLock\ConnectionException
it took: in time
getLock: RLock\ConnectionException
it took: in time
getLock again: RLock\ConnectionException
it took: in time
prolongate: RLock\ConnectionException
it took: in time
isLocking: RLock\ConnectionException
it took: in time
ttl: RLock\ConnectionException
it took: in time
holder: RLock\ConnectionException
it took: in time
releaseLock: RLock\ConnectionException
it took: in time
connecting: RLock\ConnectionException
connecting took: in time
thawed: true
