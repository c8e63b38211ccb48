<?php

declare(strict_types=1);

namespace RLock\Revolt;

use Amp\Sync\Lock;
use Amp\Sync\SyncException;
use RLock\Lease;
use RLock\Locker;
use RLock\RLockException;

/**
 * What KeyedMutex and KeyedSemaphore share: each acquisition has a Locker of its own, so that one object excludes
 * itself. Those that are given back are used again.
 *
 * @internal
 */
final class Lockers
{
    /** @var list<Locker> */
    private array $idle = [];

    /** @var \WeakMap<Lock, Lease> */
    private \WeakMap $leases;

    /** @param \Closure(): Locker $make */
    public function __construct(private readonly \Closure $make)
    {
        $this->leases = new \WeakMap();
    }

    /** @param \Closure(AsyncLocker): bool $take */
    public function acquire(string $key, \Closure $take): Lock
    {
        $locker = array_pop($this->idle) ?? ($this->make)();
        try {
            $isOurs = $take(new AsyncLocker($locker));
        } catch (RLockException $e) {
            throw new SyncException($e->getMessage(), 0, $e);
        }
        if (!$isOurs) {
            $this->idle[] = $locker;
            throw new SyncException("The lock \"$key\" stayed busy");
        }
        $lock = new Lock(function () use ($locker, $key, &$handle): void {
            try {
                $locker->releaseLock($key);
                $this->idle[] = $locker;
            } catch (RLockException $e) {
                if ($handle->get() !== null) {
                    throw $e;
                }
                self::warn($e);
            }
        });
        $handle = \WeakReference::create($lock);
        $this->leases[$lock] = $locker->lease($key)
            ?? throw new SyncException("The lock \"$key\" is held no longer");
        return $lock;
    }

    /** A lock that was dropped is released by the loop, where an exception would have nobody to catch it. */
    private static function warn(RLockException $e): void
    {
        try {
            trigger_error('rlock: a lock that was not released by hand: ' . $e->getMessage(), E_USER_WARNING);
        } catch (\Throwable) {
            // An error handler that throws has been told.
        }
    }

    public function leaseOf(Lock $lock): ?Lease
    {
        return $lock->isReleased() ? null : $this->leases[$lock] ?? null;
    }
}
