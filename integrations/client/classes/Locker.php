<?php

declare(strict_types=1);

namespace RLock;

interface Locker
{
    #[\NoDiscard]
    public function getLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
    ): bool;

    #[\NoDiscard]
    public function getSharedLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        ?int $limit = null,
    ): bool;

    public function downgrade(string $key): bool;

    public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool;

    public function prolongate(string $key, ?float $ttl = null): bool;

    /** @param array<string|int> $keys */
    #[\NoDiscard]
    public function getLocks(array $keys, float $wait = 0.0, ?float $ttl = null): bool;

    public function releaseAll(): bool;

    /**
     * @template T
     * @param callable(Lease): T $critical
     * @return T
     */
    public function synchronized(
        string $key,
        callable $critical,
        float $wait = 0.0,
        ?float $ttl = null,
        ?string $metadata = null,
    ): mixed;

    public function isLocking(string $key): bool;

    public function ttl(string $key): float;

    public function check(string $key): void;

    public function lease(string $key): ?Lease;

    public function holder(string $key): ?Holder;

    /** @return list<Holder> */
    public function sharers(string $key): array;

    /** @return array<string, Holder> */
    public function holders(string $pattern = '*', int $limit = 1000): array;

    #[\NoDiscard]
    public function handOver(string $key, ?float $ttl = null): string;

    #[\NoDiscard]
    public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool;

    public function breakLock(string $key, ?int $fence = null): bool;

    public function detached(string $key, #[\SensitiveParameter] string $name): DetachedLock;

    #[\NoDiscard]
    public function requestLock(
        string $key,
        float $wait = \INF,
        ?float $ttl = null,
        ?string $metadata = null,
        bool $shared = false,
        ?int $limit = null,
    ): Pending;
}
