<?php

declare(strict_types=1);

namespace RLock;

interface DetachedLock
{
    public function key(): string;

    #[\NoDiscard]
    public function getLock(
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        bool $autoRenew = false,
        ?float $maxHold = null,
    ): bool;

    #[\NoDiscard]
    public function getSharedLock(
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        ?int $limit = null,
    ): bool;

    public function downgrade(): bool;

    public function prolongate(?float $ttl = null): bool;

    public function releaseLock(float $delayAfter = 0.0): bool;

    public function isLocking(): bool;

    public function ttl(): float;

    public function fence(): ?int;
}
