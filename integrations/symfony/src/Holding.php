<?php

declare(strict_types=1);

namespace RLock\Symfony;

use RLock\DetachedLock;
use RLock\Locker;
use RLock\RLockException;
use Symfony\Component\Lock\Exception\LockStorageException;

/**
 * What a store knows of a key without asking.
 *
 * @internal
 */
final class Holding
{
    /** Since when it has had its first lease, in nanoseconds, if nothing has been done to that lease yet. */
    public ?int $savedAt = null;

    /** How long that lease was, or is renewed at most, in seconds. */
    public float $savedTtl = 0.0;

    /** It has just been deleted, and exists() has not been called yet. */
    public bool $isDeleted = false;

    public bool $isShared = false;

    /** Until when it is renewed here at most, in nanoseconds; null: it is not. */
    public ?int $renewedUntil = null;

    /** Another owner of this process has had the lock since. The Locker answers for a resource, and not for one of its owners. */
    public bool $isOvertaken = false;

    /** Whose it is. A child that the process forks has a copy, and none of its locks. */
    public readonly int $pid;

    /**
     * @param Locker $locks that has made $lock
     * @param string $owner the name by which the key owns its lock
     * @param bool $isFree the key did not hold its lock when it was last used here
     */
    public function __construct(
        private readonly Locker $locks,
        public readonly DetachedLock $lock,
        #[\SensitiveParameter] public readonly string $owner,
        public bool $isFree,
    ) {
        $this->pid = getmypid();
    }

    /** What was renewed until now is from now on to last for the rest of its time, whatever becomes of this process. */
    public function leave(): void
    {
        if ($this->renewedUntil === null || $this->pid !== getmypid()) {
            return;
        }
        $left = ($this->renewedUntil - hrtime(true)) / 1e9;
        try {
            $left < RLockStore::SHORTEST || $this->lock->prolongate($left);
        } catch (RLockException $trouble) {
            throw new LockStorageException($trouble->getMessage(), 0, $trouble);
        }
    }

    /** It was to be renewed, and has been lost: to somebody else, to a server, or to a pause of this process. */
    public function isLost(): bool
    {
        if ($this->renewedUntil === null || $this->pid !== getmypid()) {
            return false;
        }
        if ($this->isOvertaken) {
            return true;
        }
        try {
            $this->locks->check($this->lock->key()); // asks no server while the lease is surely there
            return false;
        } catch (RLockException) { // of this lock, or of another one of the same resource
        }
        try {
            return !$this->lock->isLocking();
        } catch (RLockException) {
            return true;
        }
    }
}
