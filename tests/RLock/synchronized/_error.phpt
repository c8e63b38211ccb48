--TEST--
synchronized() refuses bad arguments before any I/O, and a generator, which would run without the lock
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$ran = fn () => say('ran', true);
$calls = [
    'empty key' => fn () => $lock->synchronized('', $ran),
    'no callable' => fn () => $lock->synchronized('key', 'no such function'),
    'nothing' => fn () => $lock->synchronized('key'),
    'wait NAN' => fn () => $lock->synchronized('key', $ran, NAN),
    'wait -1' => fn () => $lock->synchronized('key', $ran, -1.0),
    'ttl 0' => fn () => $lock->synchronized('key', $ran, 0.0, 0.0),
    'ttl INF' => fn () => $lock->synchronized('key', $ran, 0.0, INF),
    'ttl above 10^9' => fn () => $lock->synchronized('key', $ran, 0.0, 1.0e9 + 1),
    'metadata over 64 KiB' => fn () => $lock->synchronized('key', $ran, metadata: str_repeat('m', 65537)),
    'metadata []' => fn () => $lock->synchronized('key', $ran, metadata: []),
    'too many' => fn () => $lock->synchronized('key', $ran, 0.0, null, null, 1),
    'good ones' => fn () => $lock->synchronized('key', $ran, INF, 1.0e9, str_repeat('m', 65536)),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}

$server = TestServer::start();
$lock = new RLock($server->url());
$rows = function () { say('ran', true); yield 1; };
foreach (['a generator' => $rows, 'one returned' => fn () => $rows(), 'by reference' => function &() use ($rows) { $one = $rows(); return $one; }] as $name => $critical) {
    try {
        $lock->synchronized('key', $critical);
    } catch (TypeError $e) {
        say($name, [$e->getMessage(), $lock->lease('key'), $server->client()('EXISTS', 'lock@key')]);
    }
}
say('one iterated', $lock->synchronized('key', fn () => array_sum(iterator_to_array((function () { yield 1; yield 2; })()))));
?>
--EXPECT--
empty key: ValueError
no callable: TypeError
nothing: ArgumentCountError
wait NAN: ValueError
wait -1: ValueError
ttl 0: ValueError
ttl INF: ValueError
ttl above 10^9: ValueError
metadata over 64 KiB: ValueError
metadata []: TypeError
too many: ArgumentCountError
good ones: RLock\ConnectionException
a generator: ["RLock::synchronized(): The callable returned a Generator, whose body would run after the lock was released: iterate it within the callable",null,0]
one returned: ["RLock::synchronized(): The callable returned a Generator, whose body would run after the lock was released: iterate it within the callable",null,0]
by reference: ["RLock::synchronized(): The callable returned a Generator, whose body would run after the lock was released: iterate it within the callable",null,0]
one iterated: 3
