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
    use Owner;

    /** @var array<string, \WeakReference<PendingRequest>> */
    private array $pending = [];

    /** @param float $ttl the lease in seconds where a call names none */
    public function __construct(private readonly InMemoryStore $store = new InMemoryStore(), float $ttl = 30.0)
    {
        $this->beginEmpty($ttl);
    }

    /** Gives back what is still held, as RLock does. */
    public function __destruct()
    {
        $count = count($this->held);
        $ended = $this->giveBackAll();
        if ($ended > 0) {
            trigger_error("InMemoryLocker: $ended of $count locks had ended before they were given back", E_USER_WARNING);
        }
    }

    /** Lets time pass, for everybody on the same store. */
    public function advance(float $seconds): void
    {
        $this->store->advance($seconds);
    }

    #[\NoDiscard]
    public function getLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
    ): bool {
        return $this->get($key, Want::exclusively(), $wait, $ttl, $policy, $metadata);
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
        return $this->get($key, Want::share($limit), $wait, $ttl, $policy, $metadata);
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

    public function prolongate(string $key, ?float $ttl = null): bool
    {
        $grant = $this->find($key);
        $lease = $this->leaseFor($ttl);
        if ($grant === null) {
            return false;
        }
        $fate = $this->store->fateOf($grant);
        if ($fate === Fate::Lost || ($fate === Fate::RanOut && !$this->store->canReturn($grant))) {
            throw $this->verdict($grant);
        }
        $lateBy = $this->lateBy($grant);
        $this->store->extend($grant, $lease);
        return $fate === Fate::RanOut ? throw $this->heldAgain($grant, $lateBy) : true;
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

    public function releaseAll(): bool
    {
        return $this->giveBackAll() === 0;
    }

    public function ttl(string $key): float
    {
        $grant = $this->find($key);
        return $grant !== null && $this->store->fateOf($grant) === Fate::Held ? Duration::seconds($grant->endsAt - $this->store->now()) : 0.0;
    }

    public function check(string $key): void
    {
        $grant = $this->find($key);
        if ($grant === null) {
            throw $this->reasonNotHeld($key);
        }
        if (!$this->isSafe($grant)) {
            throw $this->verdict($grant);
        }
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

    #[\NoDiscard]
    public function handOver(string $key, ?float $ttl = null): string
    {
        Arguments::checkKey($key);
        $lease = $ttl === null ? null : Duration::ofLease($ttl);
        $grant = $this->held[$key] ?? throw new RLockException("The lock \"$key\" is not held", $key);
        if ($grant->isShared) {
            throw new RLockException("The lock \"$key\" is held shared, and a share cannot be handed over", $key);
        }
        if ($this->store->fateOf($grant) !== Fate::Held) {
            throw $this->verdict($grant);
        }
        unset($this->held[$key]);
        return $this->store->passOn($grant, toNobody: true, lease: $lease)->token;
    }

    #[\NoDiscard]
    public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool
    {
        Arguments::checkKey($key);
        $lease = $ttl === null ? null : Duration::ofLease($ttl);
        $present = $this->store->find($key);
        if ($present === null || $present->isShared || $token === '' || $present->token !== $token) {
            return false;
        }
        $this->hold($this->store->passOn($present, toNobody: false, lease: $lease));
        return true;
    }

    public function breakLock(string $key, ?int $fence = null): bool
    {
        Arguments::checkKey($key);
        if ($fence !== null && $fence < 1) {
            throw new \ValueError('$fence must be 1 or more, or null');
        }
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
        $want = $shared || $limit !== null ? Want::share($limit) : Want::exclusively();
        $this->refuseSecond($key);
        $ask = fn () => $this->take($key, $want, $this->store->now(), $lease, metadata: $metadata);
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

    private function get(string $key, Want $want, float $wait, ?float $ttl, int $policy, ?string $metadata): bool
    {
        Arguments::checkKey($key);
        $wait = Duration::ofWait($wait);
        $lease = $this->leaseFor($ttl);
        Arguments::checkPolicy($policy);
        Arguments::checkMetadata($metadata);
        $this->refuseSecond($key);
        return $this->take($key, $want, $this->store->momentAfter($wait), $lease, $policy, $metadata);
    }

    private function take(
        string $key,
        Want $want,
        int $until,
        int $lease,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
    ): bool {
        $grant = $this->held[$key] ?? null;
        if ($grant !== null) {
            return $this->takeAgain($grant, $want, $lease);
        }
        $asked = $this->store->now();
        if (!$this->store->awaitFree($key, $want, $until, $policy)) {
            return false;
        }
        $grant = $this->store->grant($key, $want, $metadata, $lease);
        $grant->waited = $this->store->now() - $asked;
        $this->hold($grant);
        return true;
    }

    private function takeAgain(Grant $grant, Want $want, int $lease): bool
    {
        if ($this->store->fateOf($grant) !== Fate::Held) {
            throw $this->verdict($grant);
        }
        if ($grant->isShared && !$want->isShared && !$this->store->upgrade($grant)) {
            return false;
        }
        $this->store->extend($grant, max($lease, $grant->endsAt - $this->store->now()));
        $grant->depth++;
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
                if (!$this->take($key, Want::exclusively(), $i === 0 ? $until : $this->store->now(), $lease)) {
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

    private function begin(string $key): void
    {
        Arguments::checkKey($key);
    }

    private function verdict(Grant $grant): TimeoutException
    {
        return $this->forfeit($grant, $this->store->fateOf($grant));
    }
}
