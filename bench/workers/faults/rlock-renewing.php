<?php
/* rlock for steps of unknown length: a thread renews the lease, and a loss throws in the middle of the work. */

declare(strict_types=1);

require __DIR__ . '/section.php';

section(function () {
    $locks = new RLock('unix://' . ADDRESS, ttl: LEASE, autoRenew: true, interrupt: true);
    $locks->synchronized(KEY, fn () => work(), wait: WAIT);
}, RLock\TimeoutException::class);
