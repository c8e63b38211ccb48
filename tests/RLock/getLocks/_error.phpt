--TEST--
getLocks() refuses bad arguments before any I/O; no keys at all are taken without any
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'none' => fn () => $lock->getLocks([]),
    'empty key' => fn () => $lock->getLocks(['key', '']),
    'wait NAN' => fn () => $lock->getLocks(['key'], wait: NAN),
    'wait -1' => fn () => $lock->getLocks(['key'], wait: -1.0),
    'ttl 0' => fn () => $lock->getLocks(['key'], ttl: 0.0),
    'ttl INF' => fn () => $lock->getLocks(['key'], ttl: INF),
    'ttl above 10^9' => fn () => $lock->getLocks(['key'], ttl: 1.0e9 + 1),
    'a float' => fn () => $lock->getLocks([1.5]),
    'null' => fn () => $lock->getLocks([null]),
    'an array' => fn () => $lock->getLocks([['key']]),
    'an object' => fn () => $lock->getLocks([new stdClass()]),
    'no array' => fn () => $lock->getLocks('key'),
    'nothing' => fn () => $lock->getLocks(),
    'none, and a bad ttl' => fn () => $lock->getLocks([], ttl: -1.0),
    'good ones' => fn () => $lock->getLocks(['key', 1], wait: INF, ttl: 1.0e9),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
$lock->close();
say('closed', outcome(fn () => $lock->getLocks([])));
?>
--EXPECT--
none: true
empty key: ValueError
wait NAN: ValueError
wait -1: ValueError
ttl 0: ValueError
ttl INF: ValueError
ttl above 10^9: ValueError
a float: TypeError
null: TypeError
an array: TypeError
an object: TypeError
no array: TypeError
nothing: ArgumentCountError
none, and a bad ttl: ValueError
good ones: RLock\ConnectionException
closed: RLock\RLockException
