<?php
/* Laravel's Redis::funnel() on phpredis, as it is made there, with its own interval between tries. Whoever is in, is in a fiber. */

declare(strict_types=1);

require __DIR__ . '/turns.php';
array_map(fn (string $file) => require $file, explode(':', getenv('RLOCK_BENCH_LARAVEL')));

[$address, $key, $lease] = place();
$limit = limit();
$redis = $visit = null;
turns(
    function () use (&$redis, &$visit, $address, $key, $lease, $limit) {
        $redis ??= new Illuminate\Redis\RedisManager(null, 'phpredis', [
            'default' => $address[0] === '/' ? ['host' => $address, 'port' => 0] : ['host' => '127.0.0.1', 'port' => $address],
        ]);
        $visit = new Fiber(fn () => $redis->connection()->funnel($key)->limit($limit)->releaseAfter((int) ceil($lease))
            ->block((int) WAIT)->then(Fiber::suspend(...)));
        $visit->start();
    },
    function () use (&$visit) {
        $visit->resume();
    },
);
