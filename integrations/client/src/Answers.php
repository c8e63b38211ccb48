<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\Holder;
use RLock\Kind;

/**
 * What the scripts answer, and what that says.
 *
 * @internal
 */
final class Answers
{
    private const HOUR = 3_600_000_000;

    /** A grant, of a name perhaps; or a cooldown. Behind it HOST, PID, and metadata. */
    private const VALUE = '/^(?:rlock1(@[^:]*)?:[^:]*:|(-)~[^:]*:)([^:]*):([^:]*)(?::(.*))?$/sD';

    /** Null for what that script cannot answer. */
    public static function of(string $script, mixed $reply, int $clock): mixed
    {
        return match ($script) {
            'acquire' => self::acquired((array) $reply, $clock),
            'extend' => is_array($reply) ? self::extended($reply) : null,
            'release' => in_array($reply, [1, 2, 3, 4], true) ? $reply : null,
            default => is_array($reply) ? self::inspected($reply) : null,
        };
    }

    /**
     * @param array<mixed> $words
     * @return array{int, int|null}|null the fence, or 0; and what is left in ms, if that is told
     */
    private static function acquired(array $words, int $clock): ?array
    {
        $fence = self::fence($words[0] ?? null);
        if (count($words) === 1) {
            return $fence < max(5, $clock - self::HOUR) ? null : [$fence, null];
        }
        return $fence !== null && count($words) <= 3 && is_int($words[1] ?? null) ? [$fence, $words[1]] : null;
    }

    /**
     * @param array<mixed> $words
     * @return array{int, int, int}|null the code, the fence, what is left in ms; without these 0 and -2
     */
    private static function extended(array $words): ?array
    {
        [$code, $fence, $left] = $words + [null, 0, -2];
        $fence = self::fence($fence);
        $codes = [1 => [2, 3, 4], 3 => [1, 2]][count($words)] ?? [];
        return in_array($code, $codes, true) && $fence !== null && is_int($left) ? [$code, $fence, $left] : null;
    }

    /**
     * @param array<mixed> $words
     * @return array{string|null, int, int|null, bool}|null what L holds, ms left, the fence, whether anybody waits
     */
    private static function inspected(array $words): ?array
    {
        [$value, $left, $fence, $waits] = $words + [null, null, null, 0];
        return is_int($left) && count($words) === 4 ? [is_string($value) ? $value : null, $left, self::fence($fence), (bool) $waits] : null;
    }

    /** A number, or its text. */
    private static function fence(mixed $fence): ?int
    {
        return is_int($fence) || (is_string($fence) && preg_match('/^\d+$/D', $fence)) ? (int) $fence : null;
    }

    /** Who has the lock, as inspect has told it. */
    public static function holder(string $key, ?string $value, int $left, ?int $fence, bool $waits): ?Holder
    {
        if ($left === -2 || str_starts_with((string) $value, '~')) {
            return null;
        }
        preg_match(self::VALUE, (string) $value, $match, PREG_UNMATCHED_AS_NULL);
        [, $name, $cooldown, $host, $pid, $metadata] = $match + array_fill(0, 6, null);
        $isShared = $value === '+shared';
        $kind = match (true) {
            $match === [] => $isShared ? Kind::Lease : Kind::Foreign,
            $cooldown !== null => Kind::Cooldown,
            $host === '' => Kind::HandOver,
            default => $name === null ? Kind::Lease : Kind::Detached,
        };
        $owner = (string) $host === '' ? '' : "$host:$pid";
        $fence = $kind === Kind::Foreign ? null : $fence;
        return new Holder($key, $owner, $fence, $left < 0 ? null : $left / 1000, $metadata, $waits, $kind, $isShared);
    }
}
