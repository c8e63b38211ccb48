<?php

declare(strict_types=1);

namespace RLock\Revolt;

use Amp\Sync\KeyedSemaphore as AmpKeyedSemaphore;
use Amp\Sync\Lock;
use Amp\Sync\SyncException;
use RLock\Lease;
use RLock\Locker;

/**
 * At most so many at once, of fibers, processes and hosts, by keys. As KeyedMutex; a majority of servers has none.
 */
final class KeyedSemaphore implements AmpKeyedSemaphore
{
    private readonly Lockers $lockers;

    /**
     * @param \Closure(): Locker $make a new Locker each time
     * @param int $limit 1 or more; everybody should say the same
     * @param float $wait seconds; what stays busy for longer throws Amp\Sync\SyncException
     * @param float|null $ttl the lease in seconds; null: that of the Locker
     */
    public function __construct(
        \Closure $make,
        private readonly int $limit,
        private readonly float $wait = INF,
        private readonly ?float $ttl = null,
    ) {
        if ($limit < 1) {
            throw new \ValueError('$limit must be 1 or more');
        }
        $this->lockers = new Lockers($make);
    }

    /** @throws SyncException it stayed busy, or as previous what the Locker threw */
    public function acquire(string $key): Lock
    {
        return $this->lockers->acquire($key, fn (AsyncLocker $locks) => $locks->getSharedLock(
            $key,
            $this->wait,
            $this->ttl,
            limit: $this->limit,
        ));
    }

    /** What was held when the lock was acquired, with its fence; null: it was released. */
    public function leaseOf(Lock $lock): ?Lease
    {
        return $this->lockers->leaseOf($lock);
    }
}
