<?php
/*
 * The names of a lock's keys, by the rules key1 to key4.
 */

function slot(string $key): int
{
    $crc = 0;
    foreach (unpack('C*', hash_tag($key) ?? $key) as $byte) {
        $crc ^= $byte << 8;
        for ($bit = 0; $bit < 8; $bit++) {
            $crc = ($crc & 0x8000 ? $crc << 1 ^ 0x1021 : $crc << 1) & 0xffff;
        }
    }
    return $crc % 16384;
}

/* What is between the first brace and the first closing one after it, if that is anything. */
function hash_tag(string $key): ?string
{
    return preg_match('/^[^{]*\{([^}]+)\}/', $key, $match) ? $match[1] : null;
}

function tag(string $lock): string
{
    if (($tag = hash_tag($lock)) !== null) {
        return $tag;
    }
    if (!str_contains($lock, '}')) {
        return $lock;
    }
    $digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    $slot = slot($lock);
    for ($i = 0; $i < 62 ** 3; $i++) {
        $tag = $digits[intdiv($i, 62 * 62)] . $digits[intdiv($i, 62) % 62] . $digits[$i % 62];
        if (slot($tag) === $slot) {
            return $tag;
        }
    }
}

/** @return list<string> the lock's own key, and companions: f fence, w waiting, q wake, and those of shares */
function names(string $lock, string ...$companions): array
{
    $tag = tag($lock);
    return [$lock, ...array_map(fn (string $companion) => "rlock:$companion:{{$tag}}:$lock", $companions)];
}
