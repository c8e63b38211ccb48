--TEST--
autoRenew, interrupt and maxHold in all their combinations do no I/O and start no thread; maxHold needs autoRenew
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$objects = [];
foreach ([false, true] as $renew) {
    foreach ([false, true] as $interrupt) {
        foreach ($renew ? [null, 0.0, 0.001, 60.0, 1.0e9, 1.0e300] : [null] as $hold) {
            $objects[] = new RLock(nowhere(), autoRenew: $renew, interrupt: $interrupt, maxHold: $hold);
        }
    }
}
say('objects', count($objects));
say('threads', threads());
say('lease', $objects[13]->lease('key'));
array_map(fn ($lock) => $lock->close(), $objects);
foreach ([-0.001, NAN, INF, -INF] as $hold) {
    say('maxHold ' . var_export($hold, true), outcome(fn () => new RLock(nowhere(), autoRenew: true, maxHold: $hold)));
}
try {
    new RLock(nowhere(), interrupt: true, maxHold: 60.0);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
say('a type', outcome(fn () => new RLock(nowhere(), autoRenew: [])));
?>
--EXPECT--
objects: 14
threads: 1
lease: null
maxHold -0.001: ValueError
maxHold NAN: ValueError
maxHold INF: ValueError
maxHold -INF: ValueError
RLock::__construct(): Argument #6 ($maxHold) must be null without autoRenew: nothing is renewed that it could end
a type: TypeError
