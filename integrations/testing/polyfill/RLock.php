<?php

declare(strict_types=1);

use RLock\RLockException;

/**
 * Stands where the extension is not loaded: its constants are there, its locks are not.
 */
final class RLock implements RLock\Locker
{
    public const POLICY_FAIL_FAST = 0;
    public const POLICY_WAIT = 1;

    /** @param string|array<string>|null $servers */
    public function __construct(
        #[\SensitiveParameter] string|array|null $servers = null,
        ?string $prefix = null,
        ?float $ttl = null,
        bool $autoRenew = false,
        bool $interrupt = false,
        ?float $maxHold = null,
        ?RLock\RetryStrategy $retry = null,
        int $replicas = 0,
        bool $durable = false,
    ) {
        throw self::missing();
    }

    #[\NoDiscard]
    public function getLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
    ): bool {
        throw self::missing();
    }

    #[\NoDiscard]
    public function getSharedLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        ?int $limit = null,
    ): bool {
        throw self::missing();
    }

    public function downgrade(string $key): bool
    {
        throw self::missing();
    }

    public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool
    {
        throw self::missing();
    }

    public function prolongate(string $key, ?float $ttl = null): bool
    {
        throw self::missing();
    }

    #[\NoDiscard]
    public function getLocks(array $keys, float $wait = 0.0, ?float $ttl = null): bool
    {
        throw self::missing();
    }

    public function releaseAll(): bool
    {
        throw self::missing();
    }

    public function synchronized(
        string $key,
        callable $critical,
        float $wait = 0.0,
        ?float $ttl = null,
        ?string $metadata = null,
    ): mixed {
        throw self::missing();
    }

    public function isLocking(string $key): bool
    {
        throw self::missing();
    }

    public function ttl(string $key): float
    {
        throw self::missing();
    }

    public function check(string $key): void
    {
        throw self::missing();
    }

    public function lease(string $key): ?RLock\Lease
    {
        throw self::missing();
    }

    public function holder(string $key): ?RLock\Holder
    {
        throw self::missing();
    }

    /** @return list<RLock\Holder> */
    public function sharers(string $key): array
    {
        throw self::missing();
    }

    /** @return array<string, RLock\Holder> */
    public function holders(string $pattern = '*', int $limit = 1000): array
    {
        throw self::missing();
    }

    #[\NoDiscard]
    public function handOver(string $key, ?float $ttl = null): string
    {
        throw self::missing();
    }

    #[\NoDiscard]
    public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool
    {
        throw self::missing();
    }

    public function breakLock(string $key, ?int $fence = null): bool
    {
        throw self::missing();
    }

    public function detached(string $key, #[\SensitiveParameter] string $name): RLock\DetachedLock
    {
        throw self::missing();
    }

    #[\NoDiscard]
    public function requestLock(
        string $key,
        float $wait = INF,
        ?float $ttl = null,
        ?string $metadata = null,
        bool $shared = false,
        ?int $limit = null,
    ): RLock\Pending {
        throw self::missing();
    }

    public function waitUntilFree(string $key, float $wait = INF): bool
    {
        throw self::missing();
    }

    /** @return array<string, int|float> */
    public function stats(): array
    {
        throw self::missing();
    }

    /** @return array<string, int|float> */
    public static function totals(): array
    {
        throw self::missing();
    }

    public function close(): void
    {
        throw self::missing();
    }

    private static function missing(): RLockException
    {
        return new RLockException('The extension rlock is not loaded; tests use RLock\Testing\InMemoryLocker');
    }
}
