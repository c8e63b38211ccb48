<?php
/* Laravel's cache lock on phpredis, as Cache::lock() makes it: a new lock for each turn. Its leases are whole seconds. */

declare(strict_types=1);

require __DIR__ . '/turns.php';
array_map(fn (string $file) => require $file, explode(':', getenv('RLOCK_BENCH_LARAVEL')));

[$address, $key, $lease] = place();
$store = $lock = null;
turns(
    function () use (&$store, &$lock, $address, $key, $lease) {
        $store ??= new Illuminate\Cache\RedisStore(new Illuminate\Redis\RedisManager(null, 'phpredis', [
            'default' => $address[0] === '/' ? ['host' => $address, 'port' => 0] : ['host' => '127.0.0.1', 'port' => $address],
        ]));
        $lock = $store->lock($key, (int) ceil($lease));
        $lock->block((int) WAIT);
    },
    function () use (&$lock) {
        $lock->release() || throw new RuntimeException('lost');
    },
);
