<?php

declare(strict_types=1);

namespace RLock\Symfony;

use RLock\DetachedLock;
use RLock\Locker;
use RLock\RLockException;
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
 *     $factory = new LockFactory(new RLockStore(new RLock('redis://127.0.0.1')));
 *
 * A Key owns its lock by a name that it takes along when it is serialized: every process that has the Key can refresh
 * and release the lock.
 */
final class RLockStore implements BlockingStoreInterface
{
    use ExpiringStoreTrait;

    /** The limits of a lease, in seconds. */
    private const SHORTEST = 0.001;
    private const LONGEST = 1e9;

    /**
     * When a key was saved that has had a lease of $initialTtl since, in nanoseconds. Lock refreshes right after that,
     * which takes no request then.
     *
     * @var \WeakMap<Key, int>
     */
    private \WeakMap $savedAt;

    /**
     * The keys that did not hold their lock when they were last used here; true from delete() until exists() has said
     * so. Lock asks right after delete(), which takes no request then.
     *
     * @var \WeakMap<Key, bool>
     */
    private \WeakMap $unheld;

    /**
     * @param Locker $locks where the locks are kept
     * @param float $initialTtl the lease in seconds of a lock that is created with the ttl null. If a lock's ttl is the
     *        same, acquiring it takes one request, otherwise two
     * @param float $maxWait how long acquire(true) waits, in seconds; INF: for ever
     */
    public function __construct(
        private readonly Locker $locks,
        private readonly float $initialTtl = 300.0,
        private readonly float $maxWait = INF,
    ) {
        if (!($initialTtl >= self::SHORTEST && $initialTtl <= self::LONGEST)) {
            throw new InvalidTtlException("The initial ttl must be 0.001 to 1000000000 seconds, not $initialTtl");
        }
        if (!($maxWait >= 0.0)) {
            throw new InvalidArgumentException("The longest wait must be 0.0 seconds or more, not $maxWait");
        }
        $this->savedAt = new \WeakMap();
        $this->unheld = new \WeakMap();
    }

    public function save(Key $key): void
    {
        $this->acquire($key, 0.0);
    }

    public function waitAndSave(Key $key): void
    {
        $this->acquire($key, $this->maxWait);
    }

    public function putOffExpiration(Key $key, float $ttl): void
    {
        if ($ttl < self::SHORTEST) {
            $key->reduceLifetime(0.0); // such a lease is over before an answer can come
            $this->checkNotExpired($key);
        }
        $since = $this->hasJustBeenSaved($key, $ttl) ? $this->savedAt[$key] : $this->prolongate($key, $ttl);
        unset($this->savedAt[$key]);
        $this->limitLifetime($key, $since, $ttl);
    }

    public function delete(Key $key): void
    {
        self::ask(fn (): bool => $this->lockOf($key)->releaseLock());
        unset($this->savedAt[$key]);
        $this->unheld[$key] = true;
    }

    public function exists(Key $key): bool
    {
        if ($this->unheld[$key] ?? false) {
            $this->unheld[$key] = false; // later, another process that has the key, too, may have acquired it
            return false;
        }
        return self::ask(fn (): bool => $this->lockOf($key)->isLocking());
    }

    /** @throws LockConflictedException the lock stayed busy */
    private function acquire(Key $key, float $wait): void
    {
        $isNew = !$key->hasState(self::class) || isset($this->unheld[$key]);
        $asked = hrtime(true);
        if (!self::ask(fn (): bool => $this->lockOf($key)->getLock($wait, $this->initialTtl))) {
            $waited = $wait > 0.0 ? ", also after $wait s" : '';
            throw $this->conflict($key, "Another owner has the lock \"$key\"$waited");
        }
        $since = $wait > 0.0 ? hrtime(true) : $asked; // the lease begins when the wait ends
        if ($isNew) { // otherwise it may have been held already, for a longer time than we asked for
            $this->savedAt[$key] = $since;
        }
        $this->limitLifetime($key, $since, $this->initialTtl);
    }

    /** Within a hundredth of the lease, which therefore is as good as new. */
    private function hasJustBeenSaved(Key $key, float $ttl): bool
    {
        return isset($this->savedAt[$key])
            && $ttl === $this->initialTtl
            && self::secondsSince($this->savedAt[$key]) < $ttl / 100;
    }

    /**
     * @return int since when the lease counts
     * @throws LockConflictedException the lock is not the key's any more
     */
    private function prolongate(Key $key, float $ttl): int
    {
        $asked = hrtime(true);
        if (!self::ask(fn (): bool => $this->lockOf($key)->prolongate(min($ttl, self::LONGEST)))) {
            throw $this->conflict($key, "The lock \"$key\" is no longer held: its time was up, or it was broken");
        }
        return $asked;
    }

    /** @throws LockExpiredException its time is up already */
    private function limitLifetime(Key $key, int $since, float $ttl): void
    {
        unset($this->unheld[$key]);
        $key->reduceLifetime($ttl - self::secondsSince($since));
        $this->checkNotExpired($key);
    }

    private function conflict(Key $key, string $message): LockConflictedException
    {
        $this->unheld[$key] = false;
        return new LockConflictedException($message);
    }

    private function lockOf(Key $key): DetachedLock
    {
        if (!$key->hasState(self::class)) {
            $key->setState(self::class, bin2hex(random_bytes(16)));
        }
        return $this->locks->detached((string) $key, $key->getState(self::class));
    }

    private static function secondsSince(int $time): float
    {
        return (hrtime(true) - $time) / 1e9;
    }

    /**
     * @param callable(): bool $question
     * @throws LockStorageException the server cannot be reached, or it refused
     */
    private static function ask(callable $question): bool
    {
        try {
            return $question();
        } catch (RLockException $trouble) {
            throw new LockStorageException($trouble->getMessage(), 0, $trouble);
        }
    }
}
