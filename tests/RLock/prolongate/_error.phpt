--TEST--
prolongate() refuses bad arguments before any I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->prolongate(''),
    'ttl 0' => fn () => $lock->prolongate('key', 0.0),
    'ttl 0.0099' => fn () => $lock->prolongate('key', 0.0009),
    'ttl -1' => fn () => $lock->prolongate('key', -1.0),
    'ttl NAN' => fn () => $lock->prolongate('key', NAN),
    'ttl INF' => fn () => $lock->prolongate('key', INF),
    'ttl above 10^9' => fn () => $lock->prolongate('key', 1.0e9 + 1),
    'no key' => fn () => $lock->prolongate(),
    'array key' => fn () => $lock->prolongate([]),
    'text for ttl' => fn () => $lock->prolongate('key', 'long'),
    'too many' => fn () => $lock->prolongate('key', 1.0, 1),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
?>
--EXPECT--
empty key: ValueError
ttl 0: ValueError
ttl 0.0099: ValueError
ttl -1: ValueError
ttl NAN: ValueError
ttl INF: ValueError
ttl above 10^9: ValueError
no key: ArgumentCountError
array key: TypeError
text for ttl: TypeError
too many: ArgumentCountError
