<?php

declare(strict_types=1);

namespace RLock\Client;

/**
 * What the extension refuses, with a ValueError. Durations are checked where they are read.
 *
 * @internal
 */
final class Arguments
{
    private const KEY_MAX = 1 << 20;
    private const METADATA_MAX = 1 << 16;
    private const NAME_MAX = 255;

    public static function checkKey(string $key): void
    {
        if ($key === '' || strlen($key) > self::KEY_MAX) {
            throw new \ValueError('A key must have 1 to ' . self::KEY_MAX . ' bytes');
        }
    }

    /** The name that holds a detached lock. */
    public static function checkName(#[\SensitiveParameter] string $name): void
    {
        if ($name === '' || strlen($name) > self::NAME_MAX) {
            throw new \ValueError('$name must have 1 to ' . self::NAME_MAX . ' bytes');
        }
    }

    public static function checkPolicy(int $policy): void
    {
        if ($policy !== \RLock::POLICY_WAIT && $policy !== \RLock::POLICY_FAIL_FAST) {
            throw new \ValueError('$policy must be RLock::POLICY_FAIL_FAST or RLock::POLICY_WAIT');
        }
    }

    public static function checkLimit(?int $limit): void
    {
        if ($limit !== null && $limit < 1) {
            throw new \ValueError('$limit must be 1 or more, or null');
        }
    }

    public static function checkMaxHold(?float $maxHold, bool $autoRenew): void
    {
        if ($maxHold !== null && (!($maxHold >= 0.0) || is_infinite($maxHold))) {
            throw new \ValueError('$maxHold must be a finite number of seconds, 0 or more');
        }
        if ($maxHold !== null && !$autoRenew) {
            throw new \ValueError('$maxHold must be null without autoRenew: nothing is renewed that it could end');
        }
    }

    public static function checkMetadata(?string $metadata): void
    {
        if ($metadata !== null && strlen($metadata) > self::METADATA_MAX) {
            throw new \ValueError('$metadata must be at most ' . self::METADATA_MAX . ' bytes long');
        }
    }
}
