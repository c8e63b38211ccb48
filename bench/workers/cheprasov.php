<?php
/* cheprasov/php-redis-lock on its own client, asking as often as it does by itself: a new lock for each turn. */

declare(strict_types=1);

require __DIR__ . '/turns.php';
require getenv('RLOCK_BENCH_CHEPRASOV');

[$address, $key, $lease] = place();
$redis = $lock = null;
turns(
    function () use (&$redis, &$lock, $address, $key, $lease) {
        $redis ??= RedisClient\ClientFactory::create([
            'server' => $address[0] === '/' ? "unix://$address" : "tcp://127.0.0.1:$address",
        ]);
        $lock = new RedisLock\RedisLock($redis, $key);
        $lock->acquire($lease, WAIT) || throw new RuntimeException('still busy');
    },
    function () use (&$lock) {
        $lock->release() || throw new RuntimeException('lost');
    },
);
