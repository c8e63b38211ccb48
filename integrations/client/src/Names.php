<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * The names of a lock's keys.
 *
 * @internal
 */
final class Names
{
    private const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

    /** @return list<string> L, fence, waiting, wake */
    public static function of(string $lock): array
    {
        $tag = self::tag($lock);
        return [$lock, "rlock:f:{{$tag}}:$lock", "rlock:w:{{$tag}}:$lock", "rlock:q:{{$tag}}:$lock"];
    }

    public static function isCompanion(string $lock): bool
    {
        return preg_match('/^rlock:[fwqshtr]:\{/', $lock) === 1;
    }

    /** What is in braces, by the rule of Redis Cluster; else what is as good, so that all are in one slot. */
    private static function tag(string $lock): string
    {
        if (preg_match('/^[^{]*\{([^}]+)\}/', $lock, $match)) {
            return $match[1];
        }
        if (!str_contains($lock, '}')) {
            return $lock;
        }
        for ($slot = self::slot($lock), $number = 0;; $number++) {
            $digits = [intdiv($number, 3844), intdiv($number, 62) % 62, $number % 62];
            $tag = implode('', array_map(fn (int $digit) => self::DIGITS[$digit], $digits));
            if (self::slot($tag) === $slot) {
                return $tag;
            }
        }
    }

    private static function slot(string $text): int
    {
        $crc = 0;
        for ($i = 0; $i < strlen($text); $i++) {
            $crc ^= ord($text[$i]) << 8;
            for ($bit = 0; $bit < 8; $bit++) {
                $crc = (($crc << 1) ^ ($crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
            }
        }
        return $crc % 16384;
    }
}
