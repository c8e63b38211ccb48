<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Client\Arguments;
use RLock\Client\Duration;
use RLock\Client\Fate;
use RLock\Client\Losses;
use RLock\Client\Sections;
use RLock\DetachedLock;
use RLock\Holder;
use RLock\Kind;
use RLock\Lease;
use RLock\Locker;
use RLock\NotAcquiredException;
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
    use Sections;

    private readonly int $lease;

    /** @var array<string, Grant> */
    private array $held = [];

    /** @var array<string, \WeakReference<PendingRequest>> */
    private array $pending = [];

    private readonly Losses $losses;

    /** @param float $ttl the lease in seconds where a call names none */
    public function __construct(private readonly InMemoryStore $store = new InMemoryStore(), float $ttl = 30.0)
    {
        $this->lease = Duration::ofLease($ttl);
        $this->losses = new Losses();
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
        Arguments::checkKey($key);
        $grant = $this->held[$key] ?? null;
        if ($grant === null || $grant->isShared) {
            return false;
        }
        if ($this->store->fateOf($grant) !== Fate::Held) {
            throw $this->forfeit($grant);
        }
        $grant->isShared = true;
        return true;
    }

    public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool
    {
        Arguments::checkKey($key);
        $delay = Duration::ofDelay($delayAfter);
        return $this->leave($key, $delay, $confirm);
    }

    public function prolongate(string $key, ?float $ttl = null): bool
    {
        Arguments::checkKey($key);
        $lease = $this->leaseFor($ttl);
        $grant = $this->held[$key] ?? null;
        if ($grant === null) {
            return false;
        }
        $fate = $this->store->fateOf($grant);
        if ($fate === Fate::Lost || ($fate === Fate::RanOut && !$this->store->canReturn($grant))) {
            throw $this->forfeit($grant);
        }
        $lateBy = $this->lateBy($grant);
        $this->store->extend($grant, $lease);
        if ($fate === Fate::RanOut) {
            throw new TimeoutException(
                "The lease of \"$key\" had run out $lateBy s ago; {$grant->verdictOnOthers()}, and it is held again",
                $key,
                $lateBy,
                held: true,
            );
        }
        return true;
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

    public function isLocking(string $key): bool
    {
        return $this->ttl($key) > 0.0;
    }

    public function ttl(string $key): float
    {
        Arguments::checkKey($key);
        $grant = $this->held[$key] ?? null;
        return $grant !== null && $this->store->fateOf($grant) === Fate::Held ? $this->left($grant) : 0.0;
    }

    public function check(string $key): void
    {
        Arguments::checkKey($key);
        $grant = $this->held[$key] ?? null;
        if ($grant === null) {
            throw $this->reasonNotHeld($key);
        }
        if (!$this->isSafe($grant)) {
            throw $this->forfeit($grant);
        }
    }

    public function lease(string $key): ?Lease
    {
        Arguments::checkKey($key);
        $grant = $this->held[$key] ?? null;
        return $grant === null ? null : $this->leaseOn($grant);
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
            throw $this->forfeit($grant);
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
            throw $this->forfeit($grant);
        }
        if ($grant->isShared && !$want->isShared && !$this->store->upgrade($grant)) {
            return false;
        }
        $this->store->extend($grant, max($lease, $grant->endsAt - $this->store->now()));
        $grant->depth++;
        return true;
    }

    private function leaseOn(Grant $grant): Lease
    {
        return new Lease(
            key: $grant->key,
            token: $grant->token,
            fence: $grant->fence,
            depth: $grant->depth,
            ttl: $this->left($grant),
            metadata: $grant->metadata,
            waited: Duration::seconds($grant->waited),
            shared: $grant->isShared,
        );
    }

    private function hold(Grant $grant): void
    {
        $this->held[$grant->key] = $grant;
        $this->losses->forget($grant->key);
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

    private function leave(string $key, int $delay, bool $confirm): bool
    {
        $grant = $this->held[$key] ?? null;
        if ($grant === null) {
            return false;
        }
        $isSafe = $this->isSafe($grant);
        if ($isSafe && $grant->depth > 1) {
            $grant->depth--;
            return true;
        }
        $verdict = $this->giveBack($grant, $delay);
        if ($verdict !== null && ($confirm || !$isSafe)) {
            throw $verdict;
        }
        return true;
    }

    /** Null if it was still ours. */
    private function giveBack(Grant $grant, int $delay = 0): ?TimeoutException
    {
        if ($this->store->fateOf($grant) !== Fate::Held) {
            return $this->forfeit($grant);
        }
        unset($this->held[$grant->key]);
        $this->store->release($grant, $delay);
        return null;
    }

    /** How many were not ours any more. */
    private function giveBackAll(): int
    {
        return count(array_filter(array_map($this->giveBack(...), $this->held)));
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
            if ($grant->depth > 1) {
                $grant->depth--;
            } else {
                $this->giveBack($grant);
            }
        }
    }

    // Verdicts.

    private function isSafe(Grant $grant): bool
    {
        return $this->store->now() < $grant->endsAt;
    }

    private function left(Grant $grant): float
    {
        return Duration::seconds(max(0, $grant->endsAt - $this->store->now()));
    }

    private function lateBy(Grant $grant): float
    {
        return Duration::seconds(max(0, $this->store->now() - $grant->endsAt));
    }

    /** It is not ours any more: the verdict. */
    private function forfeit(Grant $grant): TimeoutException
    {
        $fate = $this->store->fateOf($grant);
        $key = $grant->key;
        $lateBy = $this->lateBy($grant);
        unset($this->held[$key]);
        $this->losses->add($key, $fate, $lateBy);
        if ($fate === Fate::RanOut) {
            return new TimeoutException(
                "The lease of \"$key\" ran out $lateBy s ago; {$grant->verdictOnOthers()}. "
                    . 'Take it with a longer ttl, or prolongate it in time',
                $key,
                $lateBy,
            );
        }
        return $this->lost($key, $lateBy);
    }

    private function knownHolder(string $key): ?Holder
    {
        return $this->store->holder($key);
    }

    private function notAcquired(string $key, float $wait): NotAcquiredException
    {
        $holder = $this->store->holder($key);
        $who = $holder?->owner . ($holder?->metadata === null ? '' : " (\"$holder->metadata\")");
        $by = match ($holder?->kind) {
            null => '',
            Kind::HandOver => ': a hand-over keeps it',
            Kind::Cooldown => ": a delay after its release by $who keeps it",
            Kind::Detached => ": $who holds it",
            default => ": this very process, $who, holds it",
        };
        return new NotAcquiredException(
            ($wait > 0.0 ? sprintf('The lock "%s" stayed busy for %.3F s', $key, $wait) : "The lock \"$key\" is busy")
                . $by . ($holder === null ? '' : sprintf(' for another %.3F s', $holder->ttl)),
            $key,
            $holder,
        );
    }

    // Arguments.

    private function leaseFor(?float $ttl): int
    {
        return $ttl === null ? $this->lease : Duration::ofLease($ttl);
    }
}
