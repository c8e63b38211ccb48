<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * Microseconds that never step back, and that pass while the machine sleeps, too.
 *
 * PHP's own clock of that kind stands still meanwhile. So where the time of day has gone ahead of it, the machine is taken
 * to have slept. If somebody has only set the time, leases are taken to be over that are not, and the server is asked.
 *
 * @internal
 */
final class Clock
{
    private const STEP = 50_000;

    private static int $slept = 0;

    private static ?int $ahead = null;

    public static function now(): int
    {
        $running = intdiv(hrtime(true), 1000);
        $ahead = (int) (microtime(true) * 1e6) - $running;
        if ($ahead - (self::$ahead ?? $ahead) > self::STEP) {
            self::$slept += $ahead - self::$ahead;
        }
        self::$ahead = $ahead;
        return $running + self::$slept;
    }
}
