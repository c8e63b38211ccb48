<?php
/* Laravel's cache lock from the store of integrations/laravel, as Cache::lock() makes it: a new lock for each turn. */

declare(strict_types=1);

require __DIR__ . '/turns.php';
array_map(fn (string $file) => require $file, explode(':', getenv('RLOCK_BENCH_LARAVEL')));
foreach (['RLockLock', 'RLockStore'] as $class) {
    require dirname(__DIR__, 2) . "/integrations/laravel/src/$class.php";
}

[$address, $key, $lease] = place();
$url = $address[0] === '/' ? "unix://$address" : "redis://127.0.0.1:$address";
$store = $lock = null;
turns(
    function () use (&$store, &$lock, $url, $key, $lease) {
        $store ??= new RLock\Laravel\RLockStore(new RLock($url), new Illuminate\Redis\RedisManager(null, 'phpredis', []));
        $lock = $store->lock($key, (int) ceil($lease));
        $lock->block((int) WAIT);
    },
    function () use (&$lock) {
        $lock->release() || throw new RuntimeException('lost');
    },
);
