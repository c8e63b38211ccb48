--TEST--
getSharedLock() refuses bad arguments before any I/O, and a closed object
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->getSharedLock(''),
    'key over 1 MiB' => fn () => $lock->getSharedLock(str_repeat('k', 1024 * 1024 + 1)),
    'wait NAN' => fn () => $lock->getSharedLock('key', wait: NAN),
    'wait -0.1' => fn () => $lock->getSharedLock('key', wait: -0.1),
    'ttl 0' => fn () => $lock->getSharedLock('key', ttl: 0.0),
    'ttl INF' => fn () => $lock->getSharedLock('key', ttl: INF),
    'ttl above 10^9' => fn () => $lock->getSharedLock('key', ttl: 1.0e9 + 1),
    'policy 2' => fn () => $lock->getSharedLock('key', policy: 2),
    'metadata' => fn () => $lock->getSharedLock('key', metadata: str_repeat('x', 65537)),
    'limit 0' => fn () => $lock->getSharedLock('key', limit: 0),
    'limit -1' => fn () => $lock->getSharedLock('key', limit: -1),
    'the lowest limit' => fn () => $lock->getSharedLock('key', limit: PHP_INT_MIN),
    'no key' => fn () => $lock->getSharedLock(),
    'text for limit' => fn () => $lock->getSharedLock('key', limit: 'few'),
    'array for limit' => fn () => $lock->getSharedLock('key', limit: []),
    'too many' => fn () => $lock->getSharedLock('key', 0.0, null, 1, null, 1, 1),
    'good ones' => fn () => $lock->getSharedLock('key', 0.0, 1.0e9, RLock::POLICY_FAIL_FAST, str_repeat('x', 65536), PHP_INT_MAX),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
try {
    ignore($lock->getSharedLock('key', limit: 0));
} catch (ValueError $e) {
    say('message', $e->getMessage());
}
say("a companion's key", outcome(fn () => (new RLock(nowhere(), prefix: ''))->getSharedLock('rlock:s:{x}:x')));
$lock->close();
say('closed', outcome(fn () => $lock->getSharedLock('key')));
say('closed, a bad argument', outcome(fn () => $lock->getSharedLock('key', limit: 0)));
?>
--EXPECT--
empty key: ValueError
key over 1 MiB: ValueError
wait NAN: ValueError
wait -0.1: ValueError
ttl 0: ValueError
ttl INF: ValueError
ttl above 10^9: ValueError
policy 2: ValueError
metadata: ValueError
limit 0: ValueError
limit -1: ValueError
the lowest limit: ValueError
no key: ArgumentCountError
text for limit: TypeError
array for limit: TypeError
too many: ArgumentCountError
good ones: RLock\ConnectionException
message: RLock::getSharedLock(): Argument #6 ($limit) must be 1 or more, or null
a companion's key: ValueError
closed: RLock\RLockException
closed, a bad argument: ValueError
