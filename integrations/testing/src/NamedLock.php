<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Client\Arguments;
use RLock\Client\Duration;
use RLock\Client\NotSerializable;
use RLock\DetachedLock;
use RLock\Holder;

/**
 * What InMemoryLocker::detached() returns. It knows the name, which is secret, only as a hash.
 *
 * @internal
 */
final class NamedLock implements DetachedLock
{
    use NotSerializable;

    private readonly string $name;

    /** The fence of the grant that this object renews, and until when. */
    private ?int $renewed = null;

    private int $renewUntil = 0;

    /**
     * @param int $lease where a call names none
     */
    public function __construct(
        private readonly string $key,
        #[\SensitiveParameter] string $name,
        private readonly InMemoryStore $store,
        private readonly int $lease,
    ) {
        $this->name = hash('sha256', $name);
    }

    private function __clone()
    {
    }

    /** Nothing is released; but what this object renews, nobody renews any more. */
    public function __destruct()
    {
        $grant = $this->findRenewed();
        if ($grant !== null) {
            $this->store->letBe($grant);
        }
    }

    public function key(): string
    {
        return $this->key;
    }

    #[\NoDiscard]
    public function getLock(
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        bool $autoRenew = false,
        ?float $maxHold = null,
    ): bool {
        Arguments::checkMaxHold($maxHold, $autoRenew);
        if (!$this->takeAs(Want::exclusively(), $wait, $ttl, $policy, $metadata)) {
            return false;
        }
        if ($autoRenew) {
            $this->renewUntil = $this->store->momentAfter(Duration::ofWait($maxHold ?? INF));
            $this->renew($this->leaseFor($ttl));
        }
        return true;
    }

    #[\NoDiscard]
    public function getSharedLock(
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        ?int $limit = null,
    ): bool {
        return $this->takeAs(Want::share($limit), $wait, $ttl, $policy, $metadata);
    }

    public function downgrade(): bool
    {
        $grant = $this->find();
        if ($grant === null || $grant->isShared) {
            return false;
        }
        return $grant->isShared = true;
    }

    public function prolongate(?float $ttl = null): bool
    {
        $lease = $this->leaseFor($ttl);
        $goesOn = $this->findRenewed() !== null;
        $grant = $this->find();
        if ($grant !== null) {
            $this->store->raise($grant);
            $this->store->extend($grant, $lease);
        }
        if ($goesOn) {
            $this->renew($lease);
        }
        return $grant !== null;
    }

    public function releaseLock(float $delayAfter = 0.0): bool
    {
        $delay = Duration::ofDelay($delayAfter);
        $grant = $this->find();
        if ($grant !== null) {
            $this->store->release($grant, $delay);
        }
        return $grant !== null;
    }

    public function isLocking(): bool
    {
        return $this->look() !== null;
    }

    public function ttl(): float
    {
        return $this->look()->ttl ?? 0.0;
    }

    public function fence(): ?int
    {
        return $this->look()?->fence;
    }

    private function takeAs(Want $want, float $wait, ?float $ttl, int $policy, ?string $metadata): bool
    {
        $wait = Duration::ofWait($wait);
        $lease = $this->leaseFor($ttl);
        Arguments::checkPolicy($policy);
        Arguments::checkMetadata($metadata);
        $grant = $this->find();
        if ($grant !== null) {
            return $this->takeAgain($grant, $want, $lease);
        }
        if (!$this->store->awaitFree($this->key, $want, $this->store->momentAfter($wait), $policy)) {
            return false;
        }
        $this->store->grant($this->key, $want, $metadata, $lease, $this->name);
        return true;
    }

    private function takeAgain(Grant $grant, Want $want, int $lease): bool
    {
        if ($grant->isShared && !$want->isShared && !$this->store->upgrade($grant)) {
            return false;
        }
        $this->store->raise($grant);
        $this->store->extend($grant, max($lease, $this->store->left($grant)));
        return true;
    }

    private function renew(int $lease): void
    {
        $grant = $this->find() ?? throw new \LogicException('It was taken just now');
        $this->renewed = $grant->fence;
        $this->store->renew($grant, $lease, $this->renewUntil - $this->store->now());
    }

    /** Null where the name has made another grant since, or the lock is not its own any more. */
    private function findRenewed(): ?Grant
    {
        $grant = $this->renewed === null ? null : $this->find();
        return $grant?->fence === $this->renewed ? $grant : null;
    }

    /** Null if the lock is not this name's. */
    private function look(): ?Holder
    {
        $grant = $this->find();
        return $grant === null ? null : $this->store->holderOf($grant);
    }

    private function find(): ?Grant
    {
        return $this->store->findByName($this->key, $this->name);
    }

    private function leaseFor(?float $ttl): int
    {
        return $ttl === null ? $this->lease : Duration::ofLease($ttl);
    }
}
