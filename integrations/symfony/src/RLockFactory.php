<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\SharedLockInterface;

/**
 * Makes Symfony's locks, and tells the store each lock's ttl in time.
 *
 * Symfony itself tells a store the ttl only after the lock has been acquired, by a second call, which is a second
 * request. The Key takes the ttl along from here, so that acquiring takes one.
 */
final class RLockFactory extends LockFactory
{
    public function createLockFromKey(Key $key, ?float $ttl = 300.0, bool $autoRelease = true): SharedLockInterface
    {
        $state = KeyState::of($key);
        $state->ttl = $ttl;
        $state->isAutoReleased = $autoRelease;
        return new WatchedLock(parent::createLockFromKey($key, $ttl, $autoRelease), $key);
    }
}
