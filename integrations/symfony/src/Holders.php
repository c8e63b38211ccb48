<?php

declare(strict_types=1);

namespace RLock\Symfony;

use RLock\Holder;
use RLock\Locker;
use RLock\RLockException;

/**
 * Says who has a lock that was not had.
 *
 * @internal
 */
final class Holders
{
    /** A fence that is a clock counts microseconds since 1970; one that counts grants is far below this. */
    private const FIRST_CLOCK = 1e15;

    public static function describe(Locker $locks, string $key): string
    {
        try {
            return self::words($locks->holder($key));
        } catch (RLockException $trouble) {
            return "held by somebody unknown: {$trouble->getMessage()}";
        }
    }

    private static function words(?Holder $holder): string
    {
        if ($holder === null) {
            return 'it was held, and is free by now';
        }
        $words = 'held by ' . ($holder->owner === '' ? 'a client that does not say who it is' : $holder->owner);
        $since = $holder->fence > self::FIRST_CLOCK ? max(0.0, microtime(true) - $holder->fence / 1e6) : null;
        return $words . ($since === null ? '' : sprintf(' for %.0f s', $since))
            . ($holder->ttl === null ? '' : sprintf(', %.0f s left', $holder->ttl));
    }
}
