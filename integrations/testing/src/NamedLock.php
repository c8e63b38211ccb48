<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Holder;

/**
 * A lock that a name holds: what a DetachedLock without the extension passes its calls on to.
 *
 * @internal
 */
final class NamedLock
{
    /**
     * @param int $lease where a call names none
     */
    public function __construct(
        public readonly string $key,
        public readonly string $name,
        private readonly InMemoryStore $store,
        private readonly int $lease,
    ) {
    }

    public function take(float $wait, ?float $ttl, int $policy, ?string $metadata): bool
    {
        return $this->takeAs(Want::exclusively(), $wait, $ttl, $policy, $metadata);
    }

    public function takeShare(float $wait, ?float $ttl, int $policy, ?string $metadata, ?int $limit): bool
    {
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

    public function prolongate(?float $ttl): bool
    {
        $lease = $this->leaseFor($ttl);
        $grant = $this->find();
        if ($grant !== null) {
            $this->store->extend($grant, $lease);
        }
        return $grant !== null;
    }

    public function release(float $delayAfter): bool
    {
        $delay = Duration::ofDelay($delayAfter);
        $grant = $this->find();
        if ($grant !== null) {
            $this->store->release($grant, $delay);
        }
        return $grant !== null;
    }

    /** Null if the lock is not this name's. */
    public function look(): ?Holder
    {
        $grant = $this->find();
        return $grant === null ? null : $this->store->holderOf($grant);
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
        $this->store->extend($grant, max($lease, $grant->endsAt - $this->store->now()));
        return true;
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
