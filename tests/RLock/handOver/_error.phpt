--TEST--
handOver() refuses bad arguments before any I/O, and a key that is not held
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->handOver(''),
    'ttl 0' => fn () => $lock->handOver('key', 0.0),
    'ttl NAN' => fn () => $lock->handOver('key', NAN),
    'ttl INF' => fn () => $lock->handOver('key', INF),
    'ttl above 10^9' => fn () => $lock->handOver('key', 1.0e9 + 1),
    'array for key' => fn () => $lock->handOver([]),
    'too many' => fn () => $lock->handOver('key', 1.0, 1),
    'not held' => fn () => $lock->handOver('key'),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
try {
    ignore($lock->handOver('key'));
} catch (RLock\RLockException $e) {
    say('about', [$e->key, str_contains($e->getMessage(), '"key"')]);
}
?>
--EXPECT--
empty key: ValueError
ttl 0: ValueError
ttl NAN: ValueError
ttl INF: ValueError
ttl above 10^9: ValueError
array for key: TypeError
too many: ArgumentCountError
not held: RLock\RLockException
about: ["key",true]
