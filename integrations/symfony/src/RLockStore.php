<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Psr\Log\LoggerAwareInterface;
use Psr\Log\LoggerAwareTrait;
use RLock\Locker;
use RLock\RLockException;
use Symfony\Component\Lock\BlockingSharedLockStoreInterface;
use Symfony\Component\Lock\BlockingStoreInterface;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Store\ExpiringStoreTrait;

/**
 * Makes Symfony's locks rlock's, so that a release wakes the next waiter:
 *
 *     $factory = new RLockFactory(new RLockStore(new RLock('redis://127.0.0.1')));
 *
 * A Key owns its lock by a name that it takes along when it is serialized: every process that has the Key can refresh
 * and release the lock. In a forked child a Key that was used before is another owner: the child neither has nor frees
 * its parent's locks. A lock that was acquired to read is shared.
 *
 * While the Key is in this process alone, the lease is short and renewed for as long as that lives, and the ttl is how
 * long it is renewed at most. A Key that is serialized has a lease of the rest of its ttl. So has a shared lock.
 */
final class RLockStore implements BlockingStoreInterface, BlockingSharedLockStoreInterface, LoggerAwareInterface
{
    use ExpiringStoreTrait;
    use LoggerAwareTrait;

    /** The lease that is renewed, in seconds: what others wait for a process that was killed. */
    public const LEASE = 30.0;

    /**
     * The limits of a lease, in seconds.
     *
     * @internal
     */
    public const SHORTEST = 0.01;
    private const LONGEST = 1e9;

    /** Of the time of day as a float, in seconds. */
    private const ROUNDING = 1e-6;

    /** @var \WeakMap<Holding, true> what is renewed, or was until it was lost */
    private \WeakMap $renewed;

    /**
     * @param Locker $locks where the locks are kept
     * @param float $initialTtl the ttl in seconds of a lock that is created with the ttl null
     * @param float $maxWait how long acquire(true) waits, in seconds; INF: forever
     * @param float $lease the lease in seconds while it is renewed
     */
    public function __construct(
        private readonly Locker $locks,
        private readonly float $initialTtl = 300.0,
        private readonly float $maxWait = INF,
        private readonly float $lease = self::LEASE,
    ) {
        foreach (['initial ttl' => $initialTtl, 'lease' => $lease] as $name => $seconds) {
            if (!($seconds >= self::SHORTEST && $seconds <= self::LONGEST)) {
                throw new InvalidTtlException("The $name must be 0.01 to 1000000000 seconds, not $seconds");
            }
        }
        if (!($maxWait >= 0.0)) {
            throw new InvalidArgumentException("The longest wait must be 0.0 seconds or more, not $maxWait");
        }
        $this->renewed = new \WeakMap();
    }

    public function save(Key $key): void
    {
        $this->acquire($key, 0.0, isShared: false);
    }

    public function waitAndSave(Key $key): void
    {
        $this->acquire($key, $this->maxWait, isShared: false);
    }

    public function saveRead(Key $key): void
    {
        $this->acquire($key, 0.0, isShared: true);
    }

    public function waitAndSaveRead(Key $key): void
    {
        $this->acquire($key, $this->maxWait, isShared: true);
    }

    public function putOffExpiration(Key $key, float $ttl): void
    {
        if (is_nan($ttl)) {
            throw new InvalidTtlException('The ttl must be a number of seconds, not NAN');
        }
        if ($ttl < self::SHORTEST) {
            $key->reduceLifetime(0.0); // such a lease is over before an answer can come
            $this->checkNotExpired($key);
        }
        $holding = $this->holdingOf($key);
        $since = $this->savedJustNow($holding, $ttl) ?? $this->prolongate($key, $holding, $ttl);
        $holding->savedAt = null;
        $this->limitLifetime($key, $holding, $since, $ttl);
    }

    public function delete(Key $key): void
    {
        $holding = $this->holdingOf($key);
        try {
            $holding->lock->releaseLock();
        } catch (RLockException $trouble) {
            throw self::storageException($trouble);
        }
        $holding->savedAt = $holding->renewedUntil = null;
        $holding->isFree = $holding->isDeleted = true;
    }

    public function exists(Key $key): bool
    {
        $holding = $this->holdingOf($key);
        if ($holding->isDeleted) { // Lock asks right after delete()
            $holding->isDeleted = false; // later, another process that has the key, too, may have acquired it
            return false;
        }
        try {
            return $holding->lock->isLocking();
        } catch (RLockException $trouble) {
            throw self::storageException($trouble);
        }
    }

    /** @throws LockConflictedException the lock stayed busy */
    private function acquire(Key $key, float $wait, bool $isShared): void
    {
        $holding = $this->holdingOf($key);
        $ttl = $this->ttlFor($key);
        $terms = $this->terms($key, $isShared, $ttl);
        $asked = hrtime(true);
        try {
            $isOurs = $isShared ? self::share($holding, $wait, $ttl) : $holding->lock->getLock($wait, ...$terms);
        } catch (RLockException $trouble) {
            throw self::storageException($trouble);
        }
        if (!$isOurs) {
            $this->tellOfHolder($key);
            throw self::busy($holding, $wait);
        }
        $this->overtake($holding);
        $holding->isShared = $isShared;
        $isAnew = $holding->isFree || $holding->renewedUntil !== null && isset($terms['maxHold']);
        $waitedLong = $wait > 0.0 && self::secondsSince($asked) >= $ttl / 100;
        $since = $waitedLong ? $this->prolongate($key, $holding, $ttl) : $asked; // when in the wait the lease began is not known
        $holding->savedAt = $isAnew ? $since : null; // if it was held, its lease may be longer than we asked for
        $holding->savedTtl = $ttl;
        $this->limitLifetime($key, $holding, $since, $ttl);
    }

    /** Whoever has had the same lock alone until now has lost it. */
    private function overtake(Holding $holding): void
    {
        foreach ($this->renewed as $other => $_) {
            $other->isOvertaken = $other->isOvertaken
                || $other->owner !== $holding->owner && $other->lock->key() === $holding->lock->key();
        }
        $holding->isOvertaken = false;
    }

    /** @return array{ttl: float, autoRenew?: true, maxHold?: float} */
    private function terms(Key $key, bool $isShared, float $ttl): array
    {
        return $ttl > $this->lease && !$isShared && !KeyState::of($key)->isHandedOver
            ? ['ttl' => $this->lease, 'autoRenew' => true, 'maxHold' => $ttl]
            : ['ttl' => $ttl];
    }

    private function tellOfHolder(Key $key): void
    {
        $this->logger?->info(
            'The "{resource}" lock was not acquired: ' . Holders::describe($this->locks, (string) $key),
            ['resource' => $key],
        );
    }

    /** To acquire to read what is held to write demotes it. */
    private static function share(Holding $holding, float $wait, float $ttl): bool
    {
        if (!$holding->isFree) {
            $holding->lock->downgrade();
        }
        return $holding->lock->getSharedLock($wait, $ttl);
    }

    /** The first ttl of a lock: what Lock is going to ask for, if that is known and can be a lease. */
    private function ttlFor(Key $key): float
    {
        $ttl = KeyState::of($key)->ttl;
        return $ttl !== null && $ttl >= self::SHORTEST && $ttl <= self::LONGEST ? $ttl : $this->initialTtl;
    }

    /**
     * Lock refreshes right after save(). Within a hundredth of the lease, it is as good as new. CombinedStore takes the
     * time that it has needed off the ttl, give or take what rounding does.
     *
     * @return int|null since when the lease counts
     */
    private function savedJustNow(Holding $holding, float $ttl): ?int
    {
        $surplus = $holding->savedTtl - $ttl;
        $isFresh = $holding->savedAt !== null
            && $surplus > -self::ROUNDING
            && $surplus + self::secondsSince($holding->savedAt) < $ttl / 100;
        return $isFresh ? $holding->savedAt : null;
    }

    /**
     * @return int since when the lease counts
     * @throws LockConflictedException the lock is not the key's any more
     */
    private function prolongate(Key $key, Holding $holding, float $ttl): int
    {
        $terms = $this->terms($key, $holding->isShared, min($ttl, self::LONGEST));
        $isBound = isset($terms['maxHold']) || $holding->renewedUntil !== null;
        $asked = hrtime(true);
        try {
            $isOurs = $holding->lock->prolongate($terms['ttl'])
                && (!$isBound || $holding->lock->getLock(0.0, ...$terms)); // its name has it: this is a new bound, or none
        } catch (RLockException $trouble) {
            throw self::storageException($trouble);
        }
        if (!$isOurs) {
            throw self::conflict($holding, "The lock \"$key\" is no longer held: its time was up, or it was broken");
        }
        return $asked;
    }

    /** @throws LockExpiredException its time is up already */
    private function limitLifetime(Key $key, Holding $holding, int $since, float $ttl): void
    {
        $holding->isFree = $holding->isDeleted = false;
        $isRenewed = isset($this->terms($key, $holding->isShared, $ttl)['maxHold']);
        $holding->renewedUntil = $isRenewed ? $since + (int) (min($ttl, self::LONGEST) * 1e9) : null;
        if ($isRenewed) {
            $this->renewed[$holding] = true;
        }
        $key->reduceLifetime($ttl - self::secondsSince($since));
        $this->checkNotExpired($key);
    }

    private function holdingOf(Key $key): Holding
    {
        $holdings = KeyState::of($key)->holdings;
        $holding = $holdings[$this] ?? null;
        return $holding?->pid === getmypid() ? $holding : $holdings[$this] = $this->newHolding($key, $holding);
    }

    /** @param Holding|null $inherited what a parent process knew of the key, whose owner is still the parent's */
    private function newHolding(Key $key, ?Holding $inherited): Holding
    {
        $owner = $key->hasState(self::class) ? $key->getState(self::class) : null;
        $isNew = !is_string($owner) || $owner === $inherited?->owner;
        if ($isNew) {
            $owner = bin2hex(random_bytes(16));
            $key->setState(self::class, $owner);
        }
        try {
            return new Holding($this->locks, $this->locks->detached((string) $key, $owner), $owner, $isNew);
        } catch (\ValueError $wrong) {
            throw new InvalidArgumentException("A lock cannot be of this resource: {$wrong->getMessage()}", 0, $wrong);
        }
    }

    private static function secondsSince(int $time): float
    {
        return (hrtime(true) - $time) / 1e9;
    }

    /** A share that cannot become exclusive stays, and nobody waits for the others to go: they may do the same. */
    private static function busy(Holding $holding, float $wait): LockConflictedException
    {
        $key = $holding->lock->key();
        if (!$holding->isFree) {
            return new LockConflictedException("The lock \"$key\" is not held, or others share it: it cannot be promoted");
        }
        $waited = $wait > 0.0 ? ", also after $wait s" : '';
        return new LockConflictedException("Another owner has the lock \"$key\"$waited");
    }

    private static function conflict(Holding $holding, string $message): LockConflictedException
    {
        $holding->isFree = true;
        return new LockConflictedException($message);
    }

    /** The server cannot be reached, or it refused. */
    private static function storageException(RLockException $trouble): LockStorageException
    {
        return new LockStorageException($trouble->getMessage(), 0, $trouble);
    }
}
