--TEST--
requestLock() refuses bad arguments and bad use before anything is sent
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->requestLock(''),
    'key over 1 MiB' => fn () => $lock->requestLock(str_repeat('k', 1024 * 1024 + 1)),
    'wait NAN' => fn () => $lock->requestLock('key', NAN),
    'wait -1' => fn () => $lock->requestLock('key', -1.0),
    'ttl 0' => fn () => $lock->requestLock('key', ttl: 0.0),
    'ttl INF' => fn () => $lock->requestLock('key', ttl: INF),
    'metadata over 64 KiB' => fn () => $lock->requestLock('key', metadata: str_repeat('m', 65537)),
    'limit 0' => fn () => $lock->requestLock('key', limit: 0),
    'limit -1' => fn () => $lock->requestLock('key', shared: true, limit: -1),
    'array for key' => fn () => $lock->requestLock([]),
    'too many' => fn () => $lock->requestLock('key', 0.0, null, null, false, null, 1),
    "a companion's key" => fn () => (new RLock(nowhere(), prefix: ''))->requestLock('rlock:f:{x}:x'),
    'a share on a majority' => fn () => (new RLock(['redis://127.0.0.1:1', 'redis://127.0.0.1:2', 'redis://127.0.0.1:3']))->requestLock('key', shared: true),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
say('requests', $lock->stats()['requests']);

/* Nobody is there, which poll() says, once. */
$pending = $lock->requestLock('key');
say('nobody there', outcome(fn () => decide($pending)));
say('after that', [$pending->poll(), $pending->poll()]);

$server = TestServer::start();
$lock = new RLock($server->url());
$other = new RLock($server->url());
ignore($other->getLock('key', ttl: 60.0));
$pending = $lock->requestLock('key');
park($server->client(), 1, $pending);
$requests = $lock->stats()['requests'];
say('the same key', [
    outcome(fn () => $lock->requestLock('key')),
    outcome(fn () => $lock->getLock('key')),
    outcome(fn () => $lock->getSharedLock('key')),
    outcome(fn () => $lock->getLocks(['other', 'key'])),
    outcome(fn () => $lock->synchronized('key', fn () => null)),
]);
say('nothing was sent', $lock->stats()['requests'] - $requests);
say('another object', outcome(fn () => $other->requestLock('key')->poll()));
$pending->cancel();
say('after cancel()', outcome(fn () => $lock->getLock('key')));

$lock->close();
say('closed', outcome(fn () => $lock->requestLock('key')));
say('closed, a bad argument', outcome(fn () => $lock->requestLock('key', NAN)));
?>
--EXPECT--
empty key: ValueError
key over 1 MiB: ValueError
wait NAN: ValueError
wait -1: ValueError
ttl 0: ValueError
ttl INF: ValueError
metadata over 64 KiB: ValueError
limit 0: ValueError
limit -1: ValueError
array for key: TypeError
too many: ArgumentCountError
a companion's key: ValueError
a share on a majority: RLock\RLockException
requests: 0
nobody there: RLock\ConnectionException
after that: [false,false]
the same key: ["RLock\\RLockException","RLock\\RLockException","RLock\\RLockException","RLock\\RLockException","RLock\\RLockException"]
nothing was sent: 0
another object: null
after cancel(): false
closed: RLock\RLockException
closed, a bad argument: ValueError
