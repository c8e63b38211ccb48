--TEST--
Times and numbers that no lock can have are a ValueError in the constructor
--FILE--
<?php
require __DIR__ . '/../../server.inc';

foreach ([0.0, 0.0099, -1.0, NAN, INF, -INF, 1.0e9 + 1, 1.0e300] as $ttl) {
    echo var_export($ttl, true), ': ', outcome(fn () => new RLock(nowhere(), ttl: $ttl)), "\n";
}
foreach ([0.01, 1.0e9] as $ttl) {
    echo var_export($ttl, true), ': ', outcome(fn () => new RLock(nowhere(), ttl: $ttl)), "\n";
}
foreach ([-1.0, NAN, INF] as $hold) {
    echo 'maxHold ', var_export($hold, true), ': ', outcome(fn () => new RLock(nowhere(), autoRenew: true, maxHold: $hold)), "\n";
}
echo 'replicas: ', outcome(fn () => new RLock(nowhere(), replicas: -1)), "\n";
echo 'retry: ', outcome(fn () => new RLock(nowhere(), retry: new stdClass())), "\n";
echo 'ttl: ', outcome(fn () => new RLock(nowhere(), ttl: 'long')), "\n";
echo 'unknown: ', outcome(fn () => new RLock(nowhere(), unknown: 1)), "\n";
?>
--EXPECT--
0.0: ValueError
0.0099: ValueError
-1.0: ValueError
NAN: ValueError
INF: ValueError
-INF: ValueError
1000000001.0: ValueError
1.0E+300: ValueError
0.01: RLock
1000000000.0: RLock
maxHold -1.0: ValueError
maxHold NAN: ValueError
maxHold INF: ValueError
replicas: ValueError
retry: TypeError
ttl: TypeError
unknown: Error
