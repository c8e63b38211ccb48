<?php
/* Symfony Lock with its Redis store, in a loop that refreshes after each small part of the job. */

declare(strict_types=1);

require __DIR__ . '/section.php';
require getenv('RLOCK_BENCH_SYMFONY');

section(function () {
    $factory = new Symfony\Component\Lock\LockFactory(new Symfony\Component\Lock\Store\RedisStore(phpredis()));
    $lock = $factory->createLock(KEY, LEASE);
    $lock->acquire(true);
    try {
        work(fn () => $lock->isExpired() && throw new Lost('isExpired()'), fn () => $lock->refresh());
    } finally {
        $lock->release();
    }
}, Symfony\Component\Lock\Exception\LockConflictedException::class, Symfony\Component\Lock\Exception\LockExpiredException::class);
