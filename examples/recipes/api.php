<?php
/*
 * At most three callers of an API at once, counted over all processes and hosts. Whoever has no place waits for one,
 * first come, first served.
 */

declare(strict_types=1);

const AT_ONCE = 3;                                          // the same number in every caller

/**
 * @param callable(): string $request
 * @return string|null null: there was no place within 10 s
 */
function ask(RLock\Locker $locks, callable $request): ?string
{
    if (!$locks->getSharedLock('their-api', wait: 10.0, ttl: 30.0, limit: AT_ONCE)) {
        return null;
    }
    try {
        return $request();
    } finally {
        $locks->releaseLock('their-api');
    }
}
