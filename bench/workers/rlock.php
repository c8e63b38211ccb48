<?php
/*
 * rlock. Several addresses, with commas between, are a majority. Further arguments: `alone`, nobody else wants the lock, so it is asked for without waiting;
 * `unconfirmed`, its releases are not waited for.
 */

declare(strict_types=1);

require __DIR__ . '/turns.php';

[$address, $key, $lease] = place();
$url = fn (string $address) => ($address[0] === '/' ? "unix://$address" : "redis://127.0.0.1:$address")
    . '?timeout=10&connect_timeout=10';                                     // many processes start at once
$locks = new RLock(array_map($url, explode(',', $address)), ttl: $lease);
$confirm = !in_array('unconfirmed', $argv, true);
$wait = in_array('alone', $argv, true) ? 0.0 : WAIT;
turns(
    fn () => $locks->getLock($key, wait: $wait) ?: throw new RuntimeException('still busy'),
    fn () => $locks->releaseLock($key, confirm: $confirm) ?: throw new RuntimeException('not released'),
);
