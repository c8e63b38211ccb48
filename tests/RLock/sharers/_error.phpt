--TEST--
sharers() refuses bad arguments before any I/O, and a closed object
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->sharers(''),
    'key over 1 MiB' => fn () => $lock->sharers(str_repeat('k', 1024 * 1024 + 1)),
    'array for key' => fn () => $lock->sharers([]),
    'no key' => fn () => $lock->sharers(),
    'too many' => fn () => $lock->sharers('key', 1),
    'a good one' => fn () => $lock->sharers('key'),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
$lock->close();
say('closed', outcome(fn () => $lock->sharers('key')));
?>
--EXPECT--
empty key: ValueError
key over 1 MiB: ValueError
array for key: TypeError
no key: ArgumentCountError
too many: ArgumentCountError
a good one: RLock\ConnectionException
closed: RLock\RLockException
