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
        return $this->connection->getStore()->funnel($this->name, (int) $this->maxLocks, (int) $this->releaseAfter);
    }
}
