<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Cache\Limiters\ConcurrencyLimiter;
use Illuminate\Cache\Limiters\LimiterTimeoutException;
use RLock\Locker;
use RLock\RLockException;
use RLock\TimeoutException;

/**
 * Lets at most so many in at once. Each place is a share of one lock, so that whoever leaves wakes the next; Laravel's own
 * has a lock for each place, and tries them one after the other. While a callback runs within, its place is renewed.
 *
 * @internal
 */
final class Funnel extends ConcurrencyLimiter
{
    /** Nothing else tells this one of rlock's exceptions from others of its class. */
    private const ON_A_MAJORITY = 'A majority of servers has no shared locks';

    /**
     * @param \Closure(): Locker|null $renewing makes what renews a place; null: none is renewed
     * @param string $key with the store's prefix
     * @param float $lease in seconds
     * @param string $name for Laravel's own
     */
    public function __construct(
        private readonly Locker $locks,
        private readonly ?\Closure $renewing,
        private readonly string $key,
        private readonly float $lease,
        RLockStore $store,
        string $name,
        int $maxLocks,
        int|float $releaseAfter,
    ) {
        parent::__construct($store, $name, $maxLocks, $releaseAfter);
    }

    /**
     * @param int|float $timeout
     * @param callable|null $callback runs within, and then leaves; without one the place is kept until its time is up
     * @param int $sleep for Laravel's own
     * @return mixed what $callback returns; true without one
     * @throws LimiterTimeoutException
     */
    public function block($timeout, $callback = null, $sleep = 250)
    {
        if ($this->maxLocks < 1) {
            return parent::block($timeout, $callback, $sleep);
        }
        try {
            $leave = $this->enter(max(0.0, (float) $timeout), is_callable($callback));
        } catch (RLockException $trouble) {
            if ($trouble->getMessage() !== self::ON_A_MAJORITY) {
                throw $trouble;
            }
            return parent::block($timeout, $callback, $sleep);
        }
        return $leave !== null ? self::run($callback, $leave) : throw new LimiterTimeoutException();
    }

    /** What gives the place back; null: there was none. */
    private function enter(float $wait, bool $whileAlive): ?\Closure
    {
        if ($whileAlive && $this->renewing !== null) {
            $locks = ($this->renewing)();
            return $locks->getSharedLock($this->key, $wait, limit: $this->maxLocks) ? fn () => $this->leave($locks) : null;
        }
        $place = $this->locks->detached($this->key, bin2hex(random_bytes(16)));
        return $place->getSharedLock($wait, $this->lease, limit: $this->maxLocks) ? $place->releaseLock(...) : null;
    }

    /** Whoever was late is told nothing, as by Laravel's own. */
    private function leave(Locker $locks): void
    {
        try {
            $locks->releaseLock($this->key);
        } catch (TimeoutException) {
        }
    }

    private static function run(mixed $callback, \Closure $leave): mixed
    {
        if (!is_callable($callback)) {
            return true;
        }
        try {
            return $callback();
        } finally {
            $leave();
        }
    }
}
