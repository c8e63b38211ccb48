--TEST--
getLock() refuses bad arguments before any I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->getLock(''),
    'wait NAN' => fn () => $lock->getLock('key', wait: NAN),
    'wait -0.1' => fn () => $lock->getLock('key', wait: -0.1),
    'wait -INF' => fn () => $lock->getLock('key', wait: -INF),
    'ttl 0' => fn () => $lock->getLock('key', ttl: 0.0),
    'ttl 0.0099' => fn () => $lock->getLock('key', ttl: 0.0009),
    'ttl -1' => fn () => $lock->getLock('key', ttl: -1.0),
    'ttl NAN' => fn () => $lock->getLock('key', ttl: NAN),
    'ttl INF' => fn () => $lock->getLock('key', ttl: INF),
    'ttl above 10^9' => fn () => $lock->getLock('key', ttl: 1.0e9 + 1),
    'policy 2' => fn () => $lock->getLock('key', policy: 2),
    'policy -1' => fn () => $lock->getLock('key', policy: -1),
    'metadata' => fn () => $lock->getLock('key', metadata: str_repeat('x', 65537)),
    'no key' => fn () => $lock->getLock(),
    'object for key' => fn () => $lock->getLock(new stdClass()),
    'array key' => fn () => $lock->getLock(['key']),
    'text for wait' => fn () => $lock->getLock('key', 'long'),
    'array for ttl' => fn () => $lock->getLock('key', 0.0, []),
    'text for policy' => fn () => $lock->getLock('key', 0.0, null, 'wait'),
    'array for metadata' => fn () => $lock->getLock('key', metadata: []),
    'too many' => fn () => $lock->getLock('key', 0.0, null, 1, null, 1),
    'unknown name' => fn () => $lock->getLock('key', patience: 1),
    'good ones' => fn () => $lock->getLock('key', 0.0, 1.0e9, RLock::POLICY_WAIT, str_repeat('x', 65536)),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
?>
--EXPECT--
empty key: ValueError
wait NAN: ValueError
wait -0.1: ValueError
wait -INF: ValueError
ttl 0: ValueError
ttl 0.0099: ValueError
ttl -1: ValueError
ttl NAN: ValueError
ttl INF: ValueError
ttl above 10^9: ValueError
policy 2: ValueError
policy -1: ValueError
metadata: ValueError
no key: ArgumentCountError
object for key: TypeError
array key: TypeError
text for wait: TypeError
array for ttl: TypeError
text for policy: TypeError
array for metadata: TypeError
too many: ArgumentCountError
unknown name: Error
good ones: RLock\ConnectionException
