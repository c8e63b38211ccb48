<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\Holder;
use RLock\Kind;

/**
 * What the scripts answer, and what that says; null for what they cannot answer.
 *
 * @internal
 */
final class Answers
{
    /** A grant, of a name perhaps; or a cooldown. Behind it HOST, PID, and metadata. */
    private const VALUE = '/^(?:rlock1(@[^:]*)?:[^:]*:|(-)~[^:]*:)([^:]*):([^:]*)(?::(.*))?$/sD';

    /** Of a release. */
    public static function verdict(mixed $answer): ?int
    {
        return is_int($answer) && $answer >= 1 && $answer <= 4 ? $answer : null;
    }

    /** @return array{int, int|null}|null the fence, or 0; and what is left in ms, if that is told */
    public static function acquired(mixed $answer): ?array
    {
        [$fence, $left] = is_array($answer) ? $answer + [null, ''] : [$answer, null];
        $fence = self::fence($fence);
        if ($fence === null || ($left === null ? $fence < 5 : !is_int($left))) {
            return null;
        }
        return [$fence, is_int($left) ? $left : null];
    }

    /** @return array{int, int, int}|null the code, the fence, what is left in ms; without these 0 and -2 */
    public static function extended(mixed $answer): ?array
    {
        [$code, $fence, $left] = is_array($answer) ? $answer + [null, 0, -2] : [null, 0, -2];
        $fence = self::fence($fence);
        return is_int($code) && $fence !== null && is_int($left) ? [$code, $fence, $left] : null;
    }

    /** @return array{string|null, int, int|null, bool}|null what L holds, ms left, the fence, whether anybody waits */
    public static function inspected(mixed $answer): ?array
    {
        if (!is_array($answer) || count($answer) !== 4) {
            return null;
        }
        [$value, $left, $fence, $waits] = $answer;
        return is_int($left) ? [is_string($value) ? $value : null, $left, self::fence($fence), (bool) $waits] : null;
    }

    /** Who has the lock, as inspect has told it. */
    public static function holder(string $key, ?string $value, int $left, ?int $fence, bool $waits): ?Holder
    {
        if ($left === -2 || str_starts_with((string) $value, '~')) {
            return null;
        }
        preg_match(self::VALUE, (string) $value, $match, PREG_UNMATCHED_AS_NULL);
        [, $name, $cooldown, $host, $pid, $metadata] = $match + array_fill(0, 6, null);
        $kind = match (true) {
            $value === '+shared' => Kind::Lease,
            $match === [] => Kind::Foreign,
            $cooldown !== null => Kind::Cooldown,
            $host === '' => Kind::HandOver,
            default => $name === null ? Kind::Lease : Kind::Detached,
        };
        $owner = (string) $host === '' ? '' : "$host:$pid";
        $fence = $kind === Kind::Foreign ? null : $fence;
        $left = $left < 0 ? null : $left / 1000;
        return new Holder($key, $owner, $fence, $left, $metadata, $waits, $kind, $value === '+shared');
    }

    /** A number, or its text. */
    private static function fence(mixed $fence): ?int
    {
        return is_int($fence) || (is_string($fence) && preg_match('/^\d+$/D', $fence)) ? (int) $fence : null;
    }
}
