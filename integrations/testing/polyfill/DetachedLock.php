<?php

declare(strict_types=1);

namespace RLock;

/**
 * From InMemoryLocker::detached(), which sets what this passes its calls on to.
 */
final class DetachedLock
{
    use Testing\NotSerializable;

    public readonly string $key;

    public readonly string $owner;

    private Testing\NamedLock $lock;

    private function __construct()
    {
    }

    private static function of(Testing\NamedLock $lock): self
    {
        $detached = new self();
        [$detached->key, $detached->owner, $detached->lock] = [$lock->key, $lock->name, $lock];
        return $detached;
    }

    #[\NoDiscard]
    public function getLock(
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
    ): bool {
        return $this->lock->take($wait, $ttl, $policy, $metadata);
    }

    #[\NoDiscard]
    public function getSharedLock(
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        ?int $limit = null,
    ): bool {
        return $this->lock->takeShare($wait, $ttl, $policy, $metadata, $limit);
    }

    public function downgrade(): bool
    {
        return $this->lock->downgrade();
    }

    public function prolongate(?float $ttl = null): bool
    {
        return $this->lock->prolongate($ttl);
    }

    public function releaseLock(float $delayAfter = 0.0): bool
    {
        return $this->lock->release($delayAfter);
    }

    public function isLocking(): bool
    {
        return $this->lock->look() !== null;
    }

    public function ttl(): float
    {
        return $this->lock->look()->ttl ?? 0.0;
    }

    public function fence(): ?int
    {
        return $this->lock->look()?->fence;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['key' => $this->key, 'owner' => '(hidden)'];
    }

    private function __clone()
    {
    }
}
