<?php
/*
 * JSON has text, and locks have bytes: so each character of a string is a byte, U+0000 to U+00FF.
 */

function to_json(mixed $value): string
{
    return json_encode(map_strings($value, fn (string $bytes) => preg_replace_callback('/[\x80-\xff]/',
        fn (array $byte) => chr(0xc0 | ord($byte[0]) >> 6) . chr(0x80 | ord($byte[0]) & 0x3f), $bytes)), JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
}

function from_json(string $json): mixed
{
    return map_strings(json_decode($json, true, flags: JSON_THROW_ON_ERROR), fn (string $text) => preg_replace_callback('/[\xc2\xc3][\x80-\xbf]/',
        fn (array $character) => chr((ord($character[0][0]) & 3) << 6 | ord($character[0][1]) & 0x3f), $text));
}

function map_strings(mixed $value, callable $map): mixed
{
    return match (true) {
        is_string($value) => $map($value),
        is_array($value) => array_map(fn (mixed $member) => map_strings($member, $map), $value),
        default => $value,
    };
}
