<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Client\Arguments;
use RLock\Client\Duration;
use RLock\Client\Fate;
use RLock\Client\Held;
use RLock\Client\Owner;
use RLock\DetachedLock;
use RLock\Holder;
use RLock\Locker;
use RLock\Pending;
use RLock\RLockException;
use RLock\TimeoutException;

/**
 * A Locker without a server, for tests. Time passes only when a test says so, or while a lock is waited for.
 *
 * Each object is an owner, as an RLock is. Give several the same InMemoryStore to let them compete:
 *
 *     $store = new InMemoryStore();
 *     $ours = new InMemoryLocker($store);
 *     $theirs = new InMemoryLocker($store);
 *
 * A wait does not block. It moves the clock to the moment when the lock becomes free, or to the end of the wait if that
 * comes first.
 */
final class InMemoryLocker implements Locker
{
    /** @use Owner<Grant, Want> */
    use Owner;

    /** @var array<string, \WeakReference<PendingRequest>> */
    private array $pending = [];

    /** @param float $ttl the lease in seconds where a call names none */
    public function __construct(private readonly InMemoryStore $store = new InMemoryStore(), float $ttl = 30.0)
    {
        $this->beginEmpty($ttl);
    }

    /** Lets time pass, for everybody on the same store. */
    public function advance(float $seconds): void
    {
        $this->store->advance($seconds);
    }

    #[\NoDiscard]
    public function getSharedLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        ?int $limit = null,
    ): bool {
        return $this->get($key, $wait, $ttl, $policy, $metadata, Want::share($limit));
    }

    public function downgrade(string $key): bool
    {
        $grant = $this->find($key);
        if ($grant === null || $grant->isShared) {
            return false;
        }
        if ($this->store->fateOf($grant) !== Fate::Held) {
            throw $this->verdict($grant);
        }
        $grant->isShared = true;
        return true;
    }

    private function prolong(Held $grant, int $lease): void
    {
        $fate = $this->store->fateOf($grant);
        if ($fate === Fate::Lost || ($fate === Fate::RanOut && !$this->store->canReturn($grant))) {
            throw $this->verdict($grant);
        }
        $lateBy = $this->lateBy($grant);
        $this->store->extend($grant, $lease);
        $fate === Fate::RanOut && throw $this->heldAgain($grant, $lateBy);
    }

    #[\NoDiscard]
    public function getLocks(array $keys, float $wait = 0.0, ?float $ttl = null): bool
    {
        $names = self::namesOf($keys);
        array_map($this->refuseSecond(...), $names);
        $until = $this->store->momentAfter(Duration::ofWait($wait));
        $lease = $this->leaseFor($ttl);
        for ($first = 0; count($names) > 0; $first = $busy) {
            $busy = $this->takeRound($names, $first, $until, $lease);
            if ($busy === null) {
                return true;
            }
            if ($busy === $first || $this->store->now() >= $until) {
                return false;
            }
        }
        return true;
    }

    /**
     * Each once, in sorted order.
     *
     * @param array<mixed> $keys
     * @return list<string>
     */
    private static function namesOf(array $keys): array
    {
        $names = [];
        foreach ($keys as $key) {
            if (!is_string($key) && !is_int($key)) {
                throw new \TypeError('$keys must contain only strings and ints, ' . get_debug_type($key) . ' given');
            }
            Arguments::checkKey((string) $key);
            $names[] = (string) $key;
        }
        $names = array_unique($names);
        sort($names, SORT_STRING);
        return $names;
    }

    private function secondsLeft(Held $grant): float
    {
        $isHeld = $this->store->fateOf($grant) === Fate::Held;
        return $isHeld ? Duration::seconds($grant->endsAt - $this->store->now()) : 0.0;
    }

    public function holder(string $key): ?Holder
    {
        Arguments::checkKey($key);
        return $this->store->holder($key);
    }

    public function sharers(string $key): array
    {
        Arguments::checkKey($key);
        return array_map($this->store->holderOf(...), $this->store->all($key));
    }

    public function holders(string $pattern = '*', int $limit = 1000): array
    {
        if ($limit < 1) {
            throw new \ValueError('$limit must be greater than 0');
        }
        return $this->store->holders(new Glob($pattern), $limit);
    }

    private function passOn(Held $grant, ?int $lease): string
    {
        if ($grant->isShared) {
            throw new RLockException("The lock \"$grant->key\" is held shared, and a share cannot be handed over", $grant->key);
        }
        if ($this->store->fateOf($grant) !== Fate::Held) {
            throw $this->verdict($grant);
        }
        unset($this->held[$grant->key]);
        return $this->store->passOn($grant, toNobody: true, lease: $lease)->token;
    }

    private function takeOver(string $key, #[\SensitiveParameter] string $token, ?int $lease): ?Grant
    {
        $present = $this->store->find($key);
        $isIt = $present !== null && !$present->isShared && $token !== '' && $present->token === $token;
        return $isIt ? $this->store->passOn($present, toNobody: false, lease: $lease) : null;
    }

    private function free(string $key, ?int $fence): bool
    {
        foreach ($this->store->all($key) as $grant) {
            if ($fence === null || $grant->fence === $fence) {
                $this->store->break($key, $fence === null ? null : $grant);
                return true;
            }
        }
        return false;
    }

    public function detached(string $key, #[\SensitiveParameter] string $name): DetachedLock
    {
        Arguments::checkKey($key);
        Arguments::checkName($name);
        return new NamedLock($key, $name, $this->store, $this->lease);
    }

    #[\NoDiscard]
    public function requestLock(
        string $key,
        float $wait = \INF,
        ?float $ttl = null,
        ?string $metadata = null,
        bool $shared = false,
        ?int $limit = null,
    ): Pending {
        Arguments::checkKey($key);
        $until = $this->store->momentAfter(Duration::ofWait($wait));
        $lease = $this->leaseFor($ttl);
        Arguments::checkMetadata($metadata);
        $want = $shared || $limit !== null ? Want::share($limit) : null;
        $this->refuseSecond($key);
        $ask = fn () => $this->obtain($key, 0, $lease, metadata: $metadata, want: $want);
        $pending = new PendingRequest($key, $ask, $this->store, $until);
        $this->pending[$key] = \WeakReference::create($pending);
        return $pending;
    }

    /** What is asked for already is not asked for in another way. */
    private function refuseSecond(string $key): void
    {
        if (($this->pending[$key] ?? null)?->get()?->isUndecided()) {
            throw new RLockException("This object waits for the lock \"$key\" already, by requestLock()", $key);
        }
        unset($this->pending[$key]);
    }

    // Taking.

    private function take(string $key, int $wait, int $lease, int $policy, ?string $metadata, ?object $want): ?Grant
    {
        $want ??= Want::exclusively();
        $isFree = $this->store->awaitFree($key, $want, $this->store->momentAfter($wait), $policy);
        return $isFree ? $this->store->grant($key, $want, $metadata, $lease) : null;
    }

    private function lengthen(Held $grant, int $lease, ?object $want): bool
    {
        if ($this->store->fateOf($grant) !== Fate::Held) {
            throw $this->verdict($grant);
        }
        if ($grant->isShared && $want === null && !$this->store->upgrade($grant)) {
            return false;
        }
        $this->store->extend($grant, max($lease, $grant->endsAt - $this->store->now()));
        return true;
    }

    /**
     * Waits for the first and asks once for each of the others; then all are ours, or none. Which one was busy; null: none.
     *
     * @param list<string> $names
     */
    private function takeRound(array $names, int $first, int $until, int $lease): ?int
    {
        $taken = $shares = [];
        try {
            for ($i = 0; $i < count($names); $i++) {
                $at = ($first + $i) % count($names);
                $key = $names[$at];
                $wasShare = isset($this->held[$key]) && $this->held[$key]->isShared;
                if (!$this->obtain($key, $i === 0 ? max(0, $until - $this->store->now()) : 0, $lease)) {
                    return $at;
                }
                $taken[] = $key;
                $shares = $wasShare ? [...$shares, $key] : $shares;
            }
            $taken = $shares = [];
            return null;
        } finally {
            $this->takeBack($taken);
            foreach ($shares as $key) {
                $this->held[$key]->isShared = true;
            }
        }
    }

    // Giving back.

    private function giveBack(Held $grant, int $delay = 0): void
    {
        if ($this->store->fateOf($grant) !== Fate::Held) {
            throw $this->verdict($grant);
        }
        unset($this->held[$grant->key]);
        $this->store->release($grant, $delay);
    }

    /**
     * One level of each, since getLocks() did not get all.
     *
     * @param list<string> $taken
     */
    private function takeBack(array $taken): void
    {
        foreach ($taken as $key) {
            $grant = $this->held[$key];
            $grant->depth > 1 ? $grant->depth-- : $this->giveBack($grant);
        }
    }

    private function now(): int
    {
        return $this->store->now();
    }

    private function begin(?string $key): void
    {
        $key === null || Arguments::checkKey($key);
    }

    private function verdict(Held $grant): TimeoutException
    {
        return $this->forfeit($grant, $this->store->fateOf($grant));
    }
}
