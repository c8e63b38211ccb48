--TEST--
isLocking() and the other questions refuse bad keys before any I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
foreach (['isLocking', 'ttl', 'check', 'lease', 'holder'] as $method) {
    say($method, [
        outcome(fn () => $lock->$method('')),
        outcome(fn () => $lock->$method()),
        outcome(fn () => $lock->$method([])),
        outcome(fn () => $lock->$method('key', 1)),
    ]);
}
?>
--EXPECT--
isLocking: ["ValueError","ArgumentCountError","TypeError","ArgumentCountError"]
ttl: ["ValueError","ArgumentCountError","TypeError","ArgumentCountError"]
check: ["ValueError","ArgumentCountError","TypeError","ArgumentCountError"]
lease: ["ValueError","ArgumentCountError","TypeError","ArgumentCountError"]
holder: ["ValueError","ArgumentCountError","TypeError","ArgumentCountError"]
