--TEST--
breakLock() refuses bad arguments before any I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
say('empty key', outcome(fn () => $lock->breakLock('')));
say('no key', outcome(fn () => $lock->breakLock()));
say('array', outcome(fn () => $lock->breakLock([])));
say('too many', outcome(fn () => $lock->breakLock('key', 1)));
say('a good one', outcome(fn () => $lock->breakLock('key')));
$lock->close();
say('closed', outcome(fn () => $lock->breakLock('key')));
?>
--EXPECT--
empty key: ValueError
no key: ArgumentCountError
array: TypeError
too many: ArgumentCountError
a good one: RLock\ConnectionException
closed: RLock\RLockException
