<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * Durations as callers give them, in seconds, checked and made microseconds.
 *
 * @internal
 */
final class Duration
{
    public const MILLISECOND = 1_000;
    public const SECOND = 1_000_000;
    public const HOUR = 3_600 * self::SECOND;

    private const LONGEST = 1e9;

    public static function ofLease(float $ttl): int
    {
        if (!($ttl >= 0.01 && $ttl <= self::LONGEST)) {
            throw new \ValueError('$ttl must be between 0.01 and 1000000000 seconds');
        }
        return self::microseconds($ttl);
    }

    /** PHP_INT_MAX for one without an end. */
    public static function ofWait(float $wait): int
    {
        if (!($wait >= 0.0)) {
            throw new \ValueError('$wait must be 0 or more seconds, or INF');
        }
        return $wait > self::LONGEST ? PHP_INT_MAX : self::microseconds($wait);
    }

    public static function ofDelay(float $delayAfter): int
    {
        if (!($delayAfter >= 0.0 && $delayAfter <= self::LONGEST)) {
            throw new \ValueError('$delayAfter must be between 0 and 1000000000 seconds');
        }
        return self::microseconds($delayAfter);
    }

    public static function seconds(int $microseconds): float
    {
        return $microseconds / self::SECOND;
    }

    /** Whole milliseconds, rounded up, as the extension counts; but 2.007 s are 2007 ms, though in binary they are a hair more. */
    private static function microseconds(float $seconds): int
    {
        return (int) ceil(round($seconds * 1000.0, 6)) * self::MILLISECOND;
    }
}
