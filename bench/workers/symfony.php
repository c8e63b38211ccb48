<?php
/* Symfony Lock with its Redis store on phpredis, as its documentation uses it: a new lock for each turn. `shared`: to read. */

declare(strict_types=1);

require __DIR__ . '/turns.php';
require getenv('RLOCK_BENCH_SYMFONY');

[$address, $key, $lease] = place();
$factory = $lock = null;
$acquire = in_array('shared', $argv, true) ? fn ($lock) => $lock->acquireRead(true) : fn ($lock) => $lock->acquire(true);
turns(
    function () use (&$factory, &$lock, $acquire, $address, $key, $lease) {
        $factory ??= new Symfony\Component\Lock\LockFactory(new Symfony\Component\Lock\Store\RedisStore(phpredis($address)));
        $lock = $factory->createLock($key, $lease);
        $acquire($lock) || throw new RuntimeException('still busy');
    },
    function () use (&$lock) {
        $lock->release();
    },
);
