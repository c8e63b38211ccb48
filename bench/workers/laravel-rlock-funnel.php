<?php
/* Cache::funnel() from the store of integrations/laravel. Whoever is in, is in a fiber. */

declare(strict_types=1);

require __DIR__ . '/turns.php';
array_map(fn (string $file) => require $file, explode(':', getenv('RLOCK_BENCH_LARAVEL')));
foreach (['RLockLock', 'Funnel', 'FunnelBuilder', 'RLockRepository', 'RLockStore'] as $class) {
    require dirname(__DIR__, 2) . "/integrations/laravel/src/$class.php";
}

[$address, $key, $lease] = place();
$limit = limit();
$url = $address[0] === '/' ? "unix://$address" : "redis://127.0.0.1:$address";
$cache = $visit = null;
turns(
    function () use (&$cache, &$visit, $url, $key, $lease, $limit) {
        $cache ??= new RLock\Laravel\RLockRepository(
            new RLock\Laravel\RLockStore(new RLock($url), new Illuminate\Redis\RedisManager(null, 'phpredis', [])));
        $visit = new Fiber(fn () => $cache->funnel($key)->limit($limit)->releaseAfter($lease)
            ->block((int) WAIT)->then(Fiber::suspend(...)));
        $visit->start();
    },
    function () use (&$visit) {
        $visit->resume();
    },
);
