--TEST--
breakLock() refuses bad arguments before any I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
say('empty key', outcome(fn () => $lock->breakLock('')));
say('no key', outcome(fn () => $lock->breakLock()));
say('array', outcome(fn () => $lock->breakLock([])));
say('too many', outcome(fn () => $lock->breakLock('key', 1, 1)));
say('fence 0', outcome(fn () => $lock->breakLock('key', 0)));
say('fence -1', outcome(fn () => $lock->breakLock('key', -1)));
say('fence []', outcome(fn () => $lock->breakLock('key', [])));
say('a good one', outcome(fn () => $lock->breakLock('key')));
say('and with a fence', outcome(fn () => $lock->breakLock('key', fence: 1)));
$lock->close();
say('closed', outcome(fn () => $lock->breakLock('key')));
?>
--EXPECT--
empty key: ValueError
no key: ArgumentCountError
array: TypeError
too many: ArgumentCountError
fence 0: ValueError
fence -1: ValueError
fence []: TypeError
a good one: RLock\ConnectionException
and with a fence: RLock\ConnectionException
closed: RLock\RLockException
