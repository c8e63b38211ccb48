<?php

declare(strict_types=1);

namespace RLock\Testing;

/**
 * Patterns as Redis reads them: * ? [abc] [^a-z], and \ before a character that is meant as it is.
 *
 * @internal
 */
final class Glob
{
    private const PIECES = '/\\\\(?<escaped>.)|(?<any>\*+)|(?<one>\?)|\[(?<not>\^?)(?<set>(?:\\\\.|[^\]])*)\]?|(?<itself>.)/s';

    private readonly string $expression;

    public function __construct(string $pattern)
    {
        preg_match_all(self::PIECES, $pattern, $pieces, PREG_SET_ORDER | PREG_UNMATCHED_AS_NULL);
        $this->expression = '/\A' . implode('', array_map(self::expression(...), $pieces)) . '\z/s';
    }

    public function matches(string $text): bool
    {
        return preg_match($this->expression, $text) === 1;
    }

    /** @param array<string|null> $piece */
    private static function expression(array $piece): string
    {
        return match (true) {
            isset($piece['any']) => '.*',
            isset($piece['one']) => '.',
            isset($piece['set']) => self::set($piece['not'] !== '', $piece['set']),
            default => self::byte($piece['escaped'] ?? $piece['itself'] ?? ''),
        };
    }

    private static function set(bool $isNegated, string $members): string
    {
        preg_match_all('/\\\\(.)|(.)-(.)|(.)/s', $members, $found, PREG_SET_ORDER | PREG_UNMATCHED_AS_NULL);
        $ranges = '';
        foreach ($found as [, $escaped, $from, $to, $itself]) {
            $ranges .= $from === null || $to === null
                ? self::byte($escaped ?? $itself ?? '')
                : self::byte(min($from, $to)) . '-' . self::byte(max($from, $to));
        }
        return match (true) {
            $ranges !== '' => $isNegated ? "[^$ranges]" : "[$ranges]",
            default => $isNegated ? '.' : '(?!)',
        };
    }

    private static function byte(string $byte): string
    {
        return sprintf('\x%02x', ord($byte));
    }
}
