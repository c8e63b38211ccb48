<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Cache\Repository;

/** Laravel's cache, but for the funnel, whose places are shares of one lock. */
final class RLockRepository extends Repository
{
    /** @param \UnitEnum|string $name */
    public function funnel($name): FunnelBuilder
    {
        return new FunnelBuilder($this, parent::funnel($name)->name);
    }
}
