<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;

/**
 * What Cache::funnel() gives: Laravel's, with another limiter.
 *
 * @internal
 */
final class FunnelBuilder extends ConcurrencyLimiterBuilder
{
    protected function createLimiter(): Funnel
    {
        return $this->connection->getStore()->funnel($this->name, (int) $this->maxLocks, $this->releaseAfter);
    }

    /**
     * Fractions count.
     *
     * @param \DateTimeInterface|\DateInterval|int|float|string $delay
     * @return int|float
     */
    protected function secondsUntil($delay)
    {
        return is_numeric($delay) ? $delay + 0 : parent::secondsUntil($delay);
    }
}
