--TEST--
releaseLock() refuses bad arguments before any I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->releaseLock(''),
    'delayAfter -1' => fn () => $lock->releaseLock('key', delayAfter: -1.0),
    'delayAfter NAN' => fn () => $lock->releaseLock('key', delayAfter: NAN),
    'delayAfter INF' => fn () => $lock->releaseLock('key', delayAfter: INF),
    'delayAfter above 10^9' => fn () => $lock->releaseLock('key', delayAfter: 1.0e9 + 1),
    'no key' => fn () => $lock->releaseLock(),
    'array key' => fn () => $lock->releaseLock([]),
    'text for delayAfter' => fn () => $lock->releaseLock('key', 'long'),
    'array for confirm' => fn () => $lock->releaseLock('key', 0.0, []),
    'good ones' => fn () => $lock->releaseLock('key', 1.0e9, false),
    'too many' => fn () => $lock->releaseLock('key', 0.0, true, 1),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
?>
--EXPECT--
empty key: ValueError
delayAfter -1: ValueError
delayAfter NAN: ValueError
delayAfter INF: ValueError
delayAfter above 10^9: ValueError
no key: ArgumentCountError
array key: TypeError
text for delayAfter: TypeError
array for confirm: TypeError
good ones: false
too many: ArgumentCountError
