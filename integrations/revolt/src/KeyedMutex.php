<?php

declare(strict_types=1);

namespace RLock\Revolt;

use Amp\Sync\KeyedMutex as AmpKeyedMutex;
use Amp\Sync\Lock;
use Amp\Sync\SyncException;
use RLock\Lease;
use RLock\Locker;

/**
 * Mutual exclusion of fibers, processes and hosts, by keys:
 *
 *     $mutex = new KeyedMutex(fn () => new RLock(autoRenew: true));
 *     $lock = $mutex->acquire('order:17');
 *     try {
 *         $fence = $mutex->leaseOf($lock)->fence;
 *     } finally {
 *         $lock->release();
 *     }
 *
 * First come, first served. A lock that turns out to be late or lost when it is released throws RLock\TimeoutException.
 */
final class KeyedMutex implements AmpKeyedMutex
{
    private readonly Lockers $lockers;

    /**
     * @param \Closure(): Locker $make a new Locker each time
     * @param float $wait seconds; what stays busy for longer throws Amp\Sync\SyncException
     * @param float|null $ttl the lease in seconds; null: that of the Locker
     */
    public function __construct(\Closure $make, private readonly float $wait = INF, private readonly ?float $ttl = null)
    {
        $this->lockers = new Lockers($make);
    }

    /** @throws SyncException it stayed busy, or as previous what the Locker threw */
    public function acquire(string $key): Lock
    {
        return $this->lockers->acquire($key, fn (AsyncLocker $locks) => $locks->getLock($key, $this->wait, $this->ttl));
    }

    /** What was held when the lock was acquired, with its fence; null: it was released. */
    public function leaseOf(Lock $lock): ?Lease
    {
        return $this->lockers->leaseOf($lock);
    }
}
