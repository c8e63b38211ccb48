<?php

declare(strict_types=1);

namespace RLock\Symfony;

use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Lock;

/**
 * The Lock that has called a store.
 *
 * It tells a store its ttl only after it has acquired, by a second call. A store that has to guess must not guess too
 * little: a lock without a ttl makes no second call. Therefore we look into the Lock.
 *
 * @internal
 */
final class CallingLock
{
    /** Between a Lock and its store there may be a few other stores. */
    private const DEPTH = 12;

    /** The ttl of the Lock that is acquiring this key; null: it has none, or nothing is known of it. */
    public static function ttl(Key $key): ?float
    {
        foreach (debug_backtrace(DEBUG_BACKTRACE_PROVIDE_OBJECT | DEBUG_BACKTRACE_IGNORE_ARGS, self::DEPTH) as $frame) {
            $caller = $frame['object'] ?? null;
            if ($caller instanceof Lock) {
                return self::ttlOf($caller, $key);
            }
        }
        return null;
    }

    private static function ttlOf(Lock $lock, Key $key): ?float
    {
        $private = (array) $lock;
        $get = fn (string $name): mixed => $private["\0" . Lock::class . "\0$name"] ?? null;
        return $get('key') === $key ? $get('ttl') : null;
    }
}
