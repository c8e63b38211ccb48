<?php
/*
 * rlock. Several addresses, with commas between, are a majority, unless they are a cluster's. Further arguments: `alone`, nobody
 * else wants the lock, so it is asked for without waiting; `unconfirmed`, its releases are not
 * waited for; `detached`, the lock belongs to a name; `shared`, its locks are shares; `limit=N`, of which there are at
 * most N; `leases`, it has 20 more locks from the start; `renewing`, a thread renews them.
 */

declare(strict_types=1);

require __DIR__ . '/turns.php';

[$address, $key, $lease] = place();
$is = fn (string $option) => in_array($option, $argv, true);
$url = fn (string $address) => match (true) {
    str_contains($address, '://') => $address,
    $address[0] === '/' => "unix://$address",
    default => "redis://127.0.0.1:$address",
} . '?timeout=10&connect_timeout=10';                                       // many processes start at once
$servers = str_starts_with($address, 'cluster:') ? $url($address) : array_map($url, explode(',', $address));
$locks = new RLock($servers, ttl: $lease, autoRenew: $is('renewing'));
$wait = $is('alone') ? 0.0 : WAIT;
for ($i = 0; $i < ($is('leases') ? 20 : 0); $i++) {
    $locks->getLock("$key:$i", ttl: $is('renewing') ? 1.0 : 600.0) ?: throw new RuntimeException('busy');
}
if ($is('detached')) {
    $lock = $locks->detached($key, bin2hex(random_bytes(16)));
    turns(
        fn () => $lock->getLock($wait) ?: throw new RuntimeException('still busy'),
        fn () => $lock->releaseLock() ?: throw new RuntimeException('not released'),
    );
    exit;
}
$limit = limit();
/* A named argument that skips another has PHP compile that one's default in every call. */
turns(
    $is('shared')
        ? fn () => $locks->getSharedLock($key, $wait, null, RLock::POLICY_WAIT, null, $limit) ?: throw new RuntimeException('still busy')
        : fn () => $locks->getLock($key, $wait) ?: throw new RuntimeException('still busy'),
    $is('unconfirmed')
        ? fn () => $locks->releaseLock($key, 0.0, false) ?: throw new RuntimeException('not released')
        : fn () => $locks->releaseLock($key) ?: throw new RuntimeException('not released'),
);
