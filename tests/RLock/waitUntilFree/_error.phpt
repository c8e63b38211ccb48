--TEST--
waitUntilFree() refuses bad arguments before any I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->waitUntilFree('', 0.0),
    'wait -1' => fn () => $lock->waitUntilFree('key', -1.0),
    'wait NAN' => fn () => $lock->waitUntilFree('key', NAN),
    'no key' => fn () => $lock->waitUntilFree(),
    'array key' => fn () => $lock->waitUntilFree([]),
    'text for wait' => fn () => $lock->waitUntilFree('key', 'long'),
    'too many' => fn () => $lock->waitUntilFree('key', 1.0, 1),
    'nobody there' => fn () => $lock->waitUntilFree('key', 1.0),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
$lock->close();
say('closed', outcome(fn () => $lock->waitUntilFree('key', 0.0)));
?>
--EXPECT--
empty key: ValueError
wait -1: ValueError
wait NAN: ValueError
no key: ArgumentCountError
array key: TypeError
text for wait: TypeError
too many: ArgumentCountError
nobody there: RLock\ConnectionException
closed: RLock\RLockException
