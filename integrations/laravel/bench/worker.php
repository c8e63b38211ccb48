<?php
/* Takes turns as bench/workers/turns.php says, by the way that RLOCK_BENCH_WAY names. */

declare(strict_types=1);

use Illuminate\Cache\RedisStore;
use Illuminate\Redis\RedisManager;
use RLock\Laravel\RLockStore;

require dirname(__DIR__, 3) . '/bench/workers/turns.php';
require getenv('RLOCK_BENCH_APP') . '/vendor/autoload.php';

[$socket, $key, $lease] = place();
$way = getenv('RLOCK_BENCH_WAY');
$locks = new RLock("unix://$socket", prefix: '', ttl: $lease);
$redis = new RedisManager(null, 'phpredis', ['default' => ['host' => $socket, 'port' => 0]]);
$store = $way === "Laravel's own" ? new RedisStore($redis) : new RLockStore($locks, $redis);
$lock = null;
$release = function () use (&$lock) {
    ($lock instanceof RLock\DetachedLock ? $lock->releaseLock() : $lock->release()) ?: throw new RuntimeException('not released');
};
match ($way) {
    'RLock' => turns(
        fn () => $locks->getLock($key, wait: WAIT) ?: throw new RuntimeException('still busy'),
        fn () => $locks->releaseLock($key) ?: throw new RuntimeException('not released'),
    ),
    'RLock, detached' => turns(
        function () use ($locks, $key, &$lock) {
            $lock = $locks->detached($key, bin2hex(random_bytes(8)));
            $lock->getLock(wait: WAIT) ?: throw new RuntimeException('still busy');
        },
        $release,
    ),
    default => turns(
        function () use ($store, $key, $lease, &$lock) {
            $lock = $store->lock($key, (int) $lease);
            $lock->block((int) WAIT);
        },
        $release,
    ),
};
