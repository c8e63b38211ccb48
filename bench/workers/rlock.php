<?php
/* rlock; with a fourth argument `unconfirmed`, its releases are not waited for. */

declare(strict_types=1);

require __DIR__ . '/turns.php';

[$address, $key, $lease] = place();
$locks = new RLock($address[0] === '/' ? "unix://$address" : "redis://127.0.0.1:$address", ttl: $lease);
$confirm = ($argv[4] ?? '') !== 'unconfirmed';
turns(
    fn () => $locks->getLock($key, wait: WAIT) ?: throw new RuntimeException('still busy'),
    fn () => $locks->releaseLock($key, confirm: $confirm) ?: throw new RuntimeException('not released'),
);
