<?php

declare(strict_types=1);

namespace RLock\Symfony;

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
 */
final class RLockStore implements BlockingStoreInterface, BlockingSharedLockStoreInterface
{
    use ExpiringStoreTrait;

    /** The limits of a lease, in seconds. */
    private const SHORTEST = 0.01;
    private const LONGEST = 1e9;

    /** Where a Key has the ttl of its lock. */
    private const TTL = self::class . '.ttl';

    /** Of the time of day as a float, in seconds. */
    private const ROUNDING = 1e-6;

    /** @var \WeakMap<Key, Holding> */
    private \WeakMap $holdings;

    /**
     * @param Locker $locks where the locks are kept
     * @param float $initialTtl the lease in seconds of a lock that is created with the ttl null
     * @param float $maxWait how long acquire(true) waits, in seconds; INF: forever
     */
    public function __construct(
        private readonly Locker $locks,
        private readonly float $initialTtl = 300.0,
        private readonly float $maxWait = INF,
    ) {
        if (!($initialTtl >= self::SHORTEST && $initialTtl <= self::LONGEST)) {
            throw new InvalidTtlException("The initial ttl must be 0.01 to 1000000000 seconds, not $initialTtl");
        }
        if (!($maxWait >= 0.0)) {
            throw new InvalidArgumentException("The longest wait must be 0.0 seconds or more, not $maxWait");
        }
        $this->holdings = new \WeakMap();
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
        $since = $this->savedJustNow($holding, $ttl) ?? $this->prolongate($holding, $ttl);
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
        $holding->savedAt = null;
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
        $asked = hrtime(true);
        try {
            $isOurs = $isShared ? self::share($holding, $wait, $ttl) : $holding->lock->getLock($wait, $ttl);
        } catch (RLockException $trouble) {
            throw self::storageException($trouble);
        }
        if (!$isOurs) {
            throw self::busy($holding, $wait);
        }
        $waitedLong = $wait > 0.0 && self::secondsSince($asked) >= $ttl / 100;
        $since = $waitedLong ? $this->prolongate($holding, $ttl) : $asked; // when in the wait the lease began is not known
        $holding->savedAt = $holding->isFree ? $since : null; // if it was held, its lease may be longer than we asked for
        $holding->savedTtl = $ttl;
        $this->limitLifetime($key, $holding, $since, $ttl);
    }

    /** To acquire to read what is held to write demotes it. */
    private static function share(Holding $holding, float $wait, float $ttl): bool
    {
        if (!$holding->isFree) {
            $holding->lock->downgrade();
        }
        return $holding->lock->getSharedLock($wait, $ttl);
    }

    /**
     * Says which ttl the lock of this key is going to have; null: none.
     *
     * @internal
     */
    public static function expect(Key $key, ?float $ttl): void
    {
        $key->setState(self::TTL, $ttl);
    }

    /** The first lease of a lock: what Lock is going to ask for, if that is known and can be a lease. */
    private function ttlFor(Key $key): float
    {
        $ttl = $key->hasState(self::TTL) ? $key->getState(self::TTL) : null;
        return is_float($ttl) && $ttl >= self::SHORTEST && $ttl <= self::LONGEST ? $ttl : $this->initialTtl;
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
    private function prolongate(Holding $holding, float $ttl): int
    {
        $asked = hrtime(true);
        try {
            $isOurs = $holding->lock->prolongate(min($ttl, self::LONGEST));
        } catch (RLockException $trouble) {
            throw self::storageException($trouble);
        }
        if (!$isOurs) {
            $key = $holding->lock->key();
            throw self::conflict($holding, "The lock \"$key\" is no longer held: its time was up, or it was broken");
        }
        return $asked;
    }

    /** @throws LockExpiredException its time is up already */
    private function limitLifetime(Key $key, Holding $holding, int $since, float $ttl): void
    {
        $holding->isFree = $holding->isDeleted = false;
        $key->reduceLifetime($ttl - self::secondsSince($since));
        $this->checkNotExpired($key);
    }

    private function holdingOf(Key $key): Holding
    {
        $holding = $this->holdings[$key] ?? null;
        return $holding?->pid === getmypid() ? $holding : $this->holdings[$key] = $this->newHolding($key, $holding);
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
            return new Holding($this->locks->detached((string) $key, $owner), $owner, $isNew);
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
