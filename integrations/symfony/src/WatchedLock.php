<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\SharedLockInterface;

/**
 * Symfony's Lock, which has expired also if its renewal has failed.
 *
 * @internal
 */
final class WatchedLock implements SharedLockInterface
{
    public function __construct(private readonly SharedLockInterface $lock, private readonly Key $key)
    {
    }

    public function acquire(bool $blocking = false): bool
    {
        return $this->lock->acquire($blocking);
    }

    public function acquireRead(bool $blocking = false): bool
    {
        return $this->lock->acquireRead($blocking);
    }

    public function refresh(?float $ttl = null): void
    {
        $this->lock->refresh($ttl);
    }

    public function isAcquired(): bool
    {
        return $this->lock->isAcquired();
    }

    public function release(): void
    {
        $this->lock->release();
    }

    public function isExpired(): bool
    {
        $this->look();
        return $this->lock->isExpired();
    }

    public function getRemainingLifetime(): ?float
    {
        $this->look();
        return $this->lock->getRemainingLifetime();
    }

    private function look(): void
    {
        if (!$this->lock->isExpired() && KeyState::of($this->key)->isLost()) {
            $this->key->reduceLifetime(0.0);
        }
    }
}
