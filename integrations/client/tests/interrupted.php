<?php

declare(strict_types=1);

namespace RLock\Client;

/** Whether Clock, whose it is in place of PHP's, throws as a signal's handler may: after so many readings, if not null. */
final class Interruption
{
    public static ?int $after = null;
}

function hrtime(bool $asNumber): int
{
    if (Interruption::$after !== null && Interruption::$after-- === 0) {
        Interruption::$after = null;
        throw new \LogicException('enough');
    }
    return \hrtime($asNumber);
}
