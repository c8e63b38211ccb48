<?php
/* Laravel's cache lock on phpredis: block(), refresh() after each step, and release(). Its leases are whole seconds. */

declare(strict_types=1);

require __DIR__ . '/section.php';
array_map(fn (string $file) => require $file, explode(':', getenv('RLOCK_BENCH_LARAVEL')));

section(function () {
    $store = new Illuminate\Cache\RedisStore(new Illuminate\Redis\RedisManager(null, 'phpredis', [
        'default' => ['host' => ADDRESS, 'port' => 0],
    ]));
    $lock = $store->lock(KEY, (int) ceil(LEASE));
    $lock->block(WAIT);
    try {
        work(after: fn () => $lock->refresh() ?: throw new Lost('refresh() is false'));
    } finally {
        $lock->release() || throw new Lost('release() is false');
    }
});
