--TEST--
The built-in strategies: none, linear, exponential, limit
--FILE--
<?php
require __DIR__ . '/../server.inc';

use RLock\Retry;

function backoffs(RLock\RetryStrategy $retry, int ...$attempts): array
{
    return array_map($retry->nextBackoff(...), $attempts);
}

say('none', backoffs(Retry::none(), 1, 2, 1000));
say('linear', backoffs(Retry::linear(0.25), 1, 2, 1000));
say('linear 0', backoffs(Retry::linear(0.0), 1, 2));
say('exponential', backoffs(Retry::exponential(0.001, 10.0), 1, 2, 3, 10));
say('clamped', backoffs(Retry::exponential(0.005, 0.1), 1, 2, 3, 6, 7, 64, PHP_INT_MAX));
say('limit 0', backoffs(Retry::linear(0.5)->limit(0), 1, 2));
say('limit 2', backoffs(Retry::linear(0.5)->limit(2), 1, 2, 3, 4));
say('limit of exponential', backoffs(Retry::exponential(0.001, 10.0)->limit(3), 1, 3, 4));
say('limit of none', backoffs(Retry::none()->limit(5), 1, 2));
say('limit returns', Retry::linear(1.0)->limit(1)::class);
?>
--EXPECT--
none: [null,null,null]
linear: [0.25,0.25,0.25]
linear 0: [0.0,0.0]
exponential: [0.002,0.004,0.008,1.024]
clamped: [0.005,0.005,0.008,0.064,0.1,0.1,0.1]
limit 0: [null,null]
limit 2: [0.5,0.5,null,null]
limit of exponential: [0.002,0.008,null]
limit of none: [null,null]
limit returns: RLock\Retry
