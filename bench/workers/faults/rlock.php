<?php
/* rlock as its README's quick start has it: check() before each step and prolongate() after it. */

declare(strict_types=1);

require __DIR__ . '/section.php';

section(function () {
    $locks = new RLock('unix://' . ADDRESS, ttl: LEASE);
    $locks->getLock(KEY, wait: WAIT) ?: throw new RuntimeException('busy');
    try {
        work(fn () => $locks->check(KEY), fn () => $locks->prolongate(KEY));
    } finally {
        $locks->releaseLock(KEY);
    }
}, RLock\TimeoutException::class);
