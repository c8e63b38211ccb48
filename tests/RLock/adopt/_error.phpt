--TEST--
adopt() refuses bad arguments before any I/O, and no trace shows the token
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
$calls = [
    'empty key' => fn () => $lock->adopt('', 'token'),
    'ttl 0' => fn () => $lock->adopt('key', 'token', 0.0),
    'ttl NAN' => fn () => $lock->adopt('key', 'token', NAN),
    'ttl INF' => fn () => $lock->adopt('key', 'token', INF),
    'ttl above 10^9' => fn () => $lock->adopt('key', 'token', 1.0e9 + 1),
    'array for token' => fn () => $lock->adopt('key', []),
    'no token' => fn () => $lock->adopt('key'),
    'too many' => fn () => $lock->adopt('key', 'token', 1.0, 1),
    /* What cannot be a token holds nothing. */
    'empty token' => fn () => $lock->adopt('key', ''),
    'foreign token' => fn () => $lock->adopt('key', 'foreign'),
    'baton' => fn () => $lock->adopt('key', '~' . str_repeat('0', 32)),
    'cooldown' => fn () => $lock->adopt('key', '-~' . str_repeat('0', 32) . ':h:1'),
    'endless token' => fn () => $lock->adopt('key', 'rlock1:' . str_repeat('0', 32) . ':h:1:' . str_repeat('x', 65537)),
    'a good one' => fn () => $lock->adopt('key', 'rlock1:' . str_repeat('0', 32) . ':h:1'),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
try {
    ignore($lock->adopt('key', 'rlock1:5ec2e75ec2e75ec2e75ec2e75ec2e700:h:1'));
} catch (RLock\ConnectionException $e) {
    say('hidden', [!str_contains($e . print_r($e->getTrace(), true), '5ec2e7'), $e->getTrace()[0]['args'][1]::class]);
}
?>
--EXPECT--
empty key: ValueError
ttl 0: ValueError
ttl NAN: ValueError
ttl INF: ValueError
ttl above 10^9: ValueError
array for token: TypeError
no token: ArgumentCountError
too many: ArgumentCountError
empty token: false
foreign token: false
baton: false
cooldown: false
endless token: false
a good one: RLock\ConnectionException
hidden: [true,"SensitiveParameterValue"]
