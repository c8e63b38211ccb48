--TEST--
X1: a debugger may add a property to an exception, as Xdebug does to each that is thrown
--FILE--
<?php
require __DIR__ . '/../server.inc';

foreach (['RLockException', 'TimeoutException', 'LostLockException', 'NotAcquiredException', 'ConnectionException', 'ServerException'] as $name) {
    $exception = (new ReflectionClass("RLock\\$name"))->newInstanceWithoutConstructor();
    say($name, outcome(fn () => @$exception->added = 'text'));
}
?>
--EXPECT--
RLockException: "text"
TimeoutException: "text"
LostLockException: "text"
NotAcquiredException: "text"
ConnectionException: "text"
ServerException: "text"
