<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\DetachedLock;
use RLock\Pending;
use RLock\RLockException;

/**
 * What only the extension can do.
 *
 * @internal
 */
trait Unsupported
{
    #[\NoDiscard]
    public function getSharedLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        ?int $limit = null,
    ): bool {
        throw self::unsupported('shared locks');
    }

    public function downgrade(string $key): bool
    {
        throw self::unsupported('shared locks');
    }

    public function sharers(string $key): array
    {
        throw self::unsupported('shared locks');
    }

    #[\NoDiscard]
    public function getLocks(array $keys, float $wait = 0.0, ?float $ttl = null): bool
    {
        throw self::unsupported('getLocks()');
    }

    public function waitUntilFree(string $key, float $wait = \INF): bool
    {
        throw self::unsupported('waitUntilFree()');
    }

    public function holders(string $pattern = '*', int $limit = 1000): array
    {
        throw self::unsupported('holders()');
    }

    public function detached(string $key, #[\SensitiveParameter] string $name): DetachedLock
    {
        throw self::unsupported('locks by name');
    }

    #[\NoDiscard]
    public function requestLock(
        string $key,
        float $wait = \INF,
        ?float $ttl = null,
        ?string $metadata = null,
        bool $shared = false,
        ?int $limit = null,
    ): Pending {
        throw self::unsupported('requestLock()');
    }

    /** @return array<string, int|float> */
    public function stats(): array
    {
        throw self::unsupported('counters');
    }

    /** @return array<string, int|float> */
    public static function totals(): array
    {
        throw self::unsupported('counters');
    }

    private static function unsupported(string $what): RLockException
    {
        return new RLockException("This is rlock in PHP, without the extension: it has no $what");
    }
}
