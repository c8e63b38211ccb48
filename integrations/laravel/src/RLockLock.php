<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Cache\Lock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use RLock\DetachedLock;
use RLock\Holder;
use RLock\Kind;
use RLock\Locker;

/**
 * Laravel's lock, held as a detached lock.
 *
 * A detached lock's name may take the lock again while it has it. An owner of Laravel's may not, and several processes
 * may use one owner to exclude each other. Therefore every grant has a name of its own, made of the owner and a random
 * mark; the mark is the lock's metadata, so that whoever knows the owner finds the name.
 *
 * Where a process works under it for as long as it has it, its lease is short and renewed, and the time that the user gave
 * is a bound. Nobody else's is renewed: a lock may be kept for another request, or for a job that waits in the queue.
 */
final class RLockLock extends Lock
{
    /** The longest lease there is, in seconds. */
    private const LONGEST = 1e9;

    /** How long a lock is on its way to a waiter at most, in seconds. */
    private const LONGEST_PASS = 1.0;

    /** What this object took and has not released. */
    private ?DetachedLock $grant = null;

    private bool $isRenewed = false;

    /**
     * @param string $name the key, with the store's prefix
     * @param int|float|string|null $seconds the lease; 0 means $unlimited
     * @param string|int|\Stringable|null $owner null makes one
     * @param float $unlimited the lease of a lock without one, in seconds
     * @param string $connection the name of Laravel's Redis connection whose server has the lock
     * @param float $renewed the lease while it is renewed, in seconds
     * @param bool $isWorkers get() and block() take it for as long as they who call are at work
     * @param \Closure(string, ?Holder): void|null $tell is told which lock a worker did not get, and who has it
     * @param string|null $uniqueJob the name without its prefixes, of a lock that keeps a job unique
     * @throws \InvalidArgumentException the name is empty or too long, or $seconds is not a number
     */
    public function __construct(
        private readonly Locker $locks,
        string $name,
        mixed $seconds,
        #[\SensitiveParameter] mixed $owner,
        private readonly float $unlimited,
        private readonly string $connection,
        private readonly float $renewed = RLockStore::LEASE,
        private readonly bool $isWorkers = false,
        private readonly ?\Closure $tell = null,
        private readonly ?string $uniqueJob = null,
    ) {
        parent::__construct($name, self::seconds($seconds), $owner === null ? null : (string) $owner);
        try {
            $this->grant('', ''); // asks no server
        } catch (\ValueError $wrong) {
            throw new \InvalidArgumentException("A lock cannot have this name: {$wrong->getMessage()}", 0, $wrong);
        }
    }

    /** Asks once. */
    public function acquire(): bool
    {
        return $this->take(0.0, false);
    }

    /** Waits so long for it at most, and has it for as long as this process and this object live. */
    public function acquireWhileAlive(float $wait = 0.0): bool
    {
        return $this->take($wait, true);
    }

    /**
     * @param callable|null $callback runs under the lock, which is then released
     * @return mixed what $callback returns; true without one; false: another has the lock
     */
    public function get($callback = null)
    {
        if (!$this->take(0.0, $this->isWorkers || is_callable($callback))) {
            $this->tellOfHolder();
            return false;
        }
        if ($this->uniqueJob !== null) {
            UniqueJobs::took($this->uniqueJob, $this->owner);
        }
        return is_callable($callback) ? $this->callAndRelease($callback) : true;
    }

    /**
     * Waits until the lock is released to it, at most $seconds.
     *
     * @param int|float $seconds
     * @param callable|null $callback runs under the lock, which is then released
     * @return mixed what $callback returns; true without one
     * @throws LockTimeoutException
     */
    public function block($seconds, $callback = null)
    {
        if (!$this->take(max(0.0, (float) $seconds), $this->isWorkers || is_callable($callback))) {
            throw new LockTimeoutException("The lock \"$this->name\" is still held after $seconds s");
        }
        return is_callable($callback) ? $this->callAndRelease($callback) : true;
    }

    /**
     * Sets the lease anew, from now; of one that is renewed, the bound. False: the owner does not have the lock.
     *
     * @param int|float|string|null $seconds null: as when it was taken
     */
    public function refresh($seconds = null): bool
    {
        $grant = $this->grantTo($this->owner);
        $isRenewed = $this->isRenewed && $grant === $this->grant;
        $terms = $this->terms(self::seconds($seconds ?? $this->seconds), $isRenewed);
        return $grant?->prolongate($terms['ttl']) === true
            && (!$isRenewed || $grant->getLock(...$terms)); // its name has it: this is a new bound
    }

    /** False: the owner does not have the lock. */
    public function release(): bool
    {
        $released = (bool) $this->grantTo($this->owner)?->releaseLock();
        $this->grant = null;
        return $released;
    }

    /** Whoever has it; at a unique job's work, only that job. */
    public function forceRelease(): void
    {
        $owner = $this->uniqueJob === null ? null : UniqueJobs::owner($this->uniqueJob);
        $owner === null ? $this->locks->breakLock($this->name) : $this->grantTo($owner)?->releaseLock();
        $this->grant = null;
    }

    public function isLocked(): bool
    {
        return $this->getCurrentOwner() !== null;
    }

    /** @param string|int|\Stringable|null $owner null: whether nobody has it */
    public function isOwnedBy(#[\SensitiveParameter] $owner): bool
    {
        return $owner === null ? !$this->isLocked() : (bool) $this->grantTo((string) $owner)?->isLocking();
    }

    /** The number of the present grant, which rises from one to the next; null: the owner does not have the lock. */
    public function fence(): ?int
    {
        return $this->grantTo($this->owner)?->fence();
    }

    public function getConnectionName(): string
    {
        return $this->connection;
    }

    /** The process that took it, as host:pid, since nobody is told the owner's name. */
    protected function getCurrentOwner(): ?string
    {
        return $this->locks->holder($this->name)?->owner;
    }

    private function take(float $wait, bool $whileAlive): bool
    {
        $mark = bin2hex(random_bytes(8));
        $grant = $this->grant($this->owner, $mark);
        $terms = $this->terms($this->seconds, $whileAlive);
        if (!$grant->getLock($wait, ...$terms, metadata: $mark)) {
            return false;
        }
        $this->grant = $grant;
        $this->isRenewed = $whileAlive;
        return true;
    }

    /**
     * What lasts no longer than a short lease is not renewed.
     *
     * @return array{ttl: float, autoRenew?: true, maxHold?: float}
     */
    private function terms(float $seconds, bool $whileAlive): array
    {
        $lease = $seconds > 0 ? min($seconds, self::LONGEST) : $this->unlimited;
        return $whileAlive && $lease > $this->renewed
            ? ['ttl' => $this->renewed, 'autoRenew' => true, 'maxHold' => $lease]
            : ['ttl' => $lease];
    }

    private function callAndRelease(callable $callback): mixed
    {
        try {
            return $callback();
        } finally {
            $this->release();
        }
    }

    private function tellOfHolder(): void
    {
        if ($this->isWorkers && $this->tell !== null) {
            ($this->tell)($this->name, $this->locks->holder($this->name));
        }
    }

    /** What was granted to this owner, by this object or by another, in whatever process. */
    private function grantTo(#[\SensitiveParameter] string $owner): ?DetachedLock
    {
        if ($this->grant !== null && $owner === $this->owner) {
            return $this->grant;
        }
        $mark = $this->mark();
        return $mark === null ? null : $this->grant($owner, $mark);
    }

    /** A waiter to which the lock is being passed may use it a moment before its mark can be seen: that is waited for. */
    private function mark(): ?string
    {
        $holder = $this->locks->holder($this->name);
        $passed = $holder?->fence;
        for ($pause = 1_000; self::isBeingPassed($holder) && $holder->fence === $passed; $pause = min(2 * $pause, 64_000)) {
            usleep($pause);
            $holder = $this->locks->holder($this->name);
        }
        return $holder?->metadata;
    }

    private static function isBeingPassed(?Holder $holder): bool
    {
        return $holder?->kind === Kind::HandOver && $holder->ttl !== null && $holder->ttl <= self::LONGEST_PASS;
    }

    private function grant(#[\SensitiveParameter] string $owner, string $mark): DetachedLock
    {
        return $this->locks->detached($this->name, hash('sha256', "$mark $owner"));
    }

    /** Laravel takes numbers as they come, and from the environment they come as strings. */
    private static function seconds(mixed $seconds): float
    {
        if (!empty($seconds) && !is_numeric($seconds)) {
            throw new \InvalidArgumentException('A lock takes a number of seconds, not ' . var_export($seconds, true));
        }
        return (float) $seconds;
    }
}
