<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Cache\RedisStore;
use Illuminate\Contracts\Redis\Factory;
use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\Connections\PredisConnection;
use Illuminate\Redis\RedisManager;
use RLock\Holder;
use RLock\Kind;
use RLock\Locker;

/** Laravel's Redis store with other locks. */
final class RLockStore extends RedisStore
{
    /** The lease of a lock without one, in seconds: a day, as that of Laravel's scheduler. */
    public const UNLIMITED = 86400;

    /** The lease that is renewed while a process works under the lock, in seconds: what others wait for one that is killed. */
    public const LEASE = 30;

    /** Before the name of a lock of the job middleware WithoutOverlapping, which has it while the job runs. */
    private const WORKERS = 'laravel-queue-overlap:';

    /** Before the name of a lock that keeps a job unique. */
    private const UNIQUE = 'laravel_unique_job:';

    /** The limits of a lease, in seconds. */
    private const SHORTEST = 0.01;
    private const LONGEST = 1e9;

    /** Locks that are flushed from one search. */
    private const TOGETHER = 20_000;

    private readonly float $unlimited;

    private readonly float $lease;

    /**
     * @param Locker $locks on the server of the connection for locks, without a prefix
     * @param string $prefix of all keys, those of locks included
     * @param string $connection the name of Laravel's Redis connection for all but locks
     * @param array<string>|bool|null $serializableClasses
     * @param int|float|string $unlimited the lease of locks with `seconds = 0`
     * @param string|null $lockConnection the name of the connection for locks; null: $connection
     * @param string $connectionPrefix what that connection puts before every key, until it is open and can be asked
     * @param int|float|string $lease what is renewed while a process works under a lock
     * @param \Closure(float, float): Locker|null $renewing makes a locker that renews this lease, for so long
     * @param \Closure(string, ?Holder): void|null $tell as RLockLock's
     * @throws \InvalidArgumentException $unlimited or $lease is no lease
     */
    public function __construct(
        private readonly Locker $locks,
        Factory $redis,
        string $prefix = '',
        string $connection = 'default',
        array|bool|null $serializableClasses = null,
        mixed $unlimited = self::UNLIMITED,
        ?string $lockConnection = null,
        private readonly string $connectionPrefix = '',
        mixed $lease = self::LEASE,
        private readonly ?\Closure $renewing = null,
        private readonly ?\Closure $tell = null,
    ) {
        parent::__construct($redis, $prefix, $connection, $serializableClasses);
        $this->unlimited = self::seconds('unlimited', $unlimited);
        $this->lease = self::seconds('lease', $lease);
        $this->lockConnection = $lockConnection ?? $connection;
    }

    /**
     * The locks stay where they are.
     *
     * @param string $connection
     * @return $this
     * @throws \LogicException it is another than that of the locks
     */
    public function setLockConnection($connection): static
    {
        if ($connection !== $this->lockConnection) {
            throw new \LogicException(
                "The locks of this cache store are on the connection [$this->lockConnection] and cannot move to "
                . "[$connection]: set `lock_connection` of a store with driver `rlock`",
            );
        }
        return $this;
    }

    /**
     * @param string $name
     * @param int|float|string|null $seconds
     * @param string|int|\Stringable|null $owner
     */
    public function lock($name, $seconds = 0, $owner = null): RLockLock
    {
        return new RLockLock(
            $this->locks,
            $this->lockPrefix() . $name,
            $seconds,
            $owner,
            $this->unlimited,
            $this->lockConnection,
            $this->lease,
            str_starts_with($name, self::WORKERS),
            $this->tell,
            str_starts_with($name, self::UNIQUE) ? $name : null,
        );
    }

    /** Who has the lock of this name. */
    public function holder(string $name): ?Holder
    {
        return $this->locks->holder($this->lockPrefix() . $name);
    }

    /**
     * Lets at most so many in at once, each for so many seconds.
     *
     * @param int|float $seconds 0: as a lock
     */
    public function funnel(string $name, int $limit, int|float $seconds): Funnel
    {
        $lease = $seconds > 0 ? min((float) $seconds, self::LONGEST) : $this->unlimited;
        $renewing = $this->renewing !== null && $lease > $this->lease
            ? fn (): Locker => ($this->renewing)($this->lease, $lease)
            : null;
        return new Funnel(
            $this->locks,
            $renewing,
            "{$this->lockPrefix()}$name:funnel",
            $lease,
            $this,
            $name,
            $limit,
            $seconds,
        );
    }

    /** Frees every lock whose key begins with the store's prefix, and nothing else, as entries of the cache may too. */
    public function flushLocks(): bool
    {
        $ours = addcslashes($this->lockPrefix(), '*?[]^\\') . '*';
        $others = 0;
        do { // some at a time, since there may be a million
            $limit = self::TOGETHER + 2 * $others;
            $found = $this->locks->holders($ours, $limit);
            $locks = array_filter($found, static fn (Holder $holder): bool => $holder->kind !== Kind::Foreign);
            foreach ($locks as $key => $holder) {
                $this->locks->breakLock((string) $key, $holder->shared ? null : $holder->fence);
            }
            $others = count($found) - count($locks);
        } while (count($found) === $limit);
        return true;
    }

    /** Before the name of each lock. Packages for tenants change the connection's part at run time. */
    private function lockPrefix(): string
    {
        $connections = $this->redis instanceof RedisManager ? $this->redis->connections() : null;
        $connection = $connections[$this->lockConnection] ?? null;
        return match (true) {
            $connection instanceof PhpRedisConnection => $connection->_prefix($this->prefix),
            $connection instanceof PredisConnection => $connection->getOptions()->prefix . $this->prefix,
            default => $this->connectionPrefix . $this->prefix,
        };
    }

    private static function seconds(string $setting, mixed $seconds): float
    {
        if (!(is_numeric($seconds) && $seconds >= self::SHORTEST && $seconds <= self::LONGEST)) {
            throw new \InvalidArgumentException(
                "The setting `$setting` of a cache store with driver `rlock` must be 0.01 to 1000000000 seconds, not "
                . var_export($seconds, true),
            );
        }
        return (float) $seconds;
    }

    /** Locks can be flushed in any case. */
    public function hasSeparateLockStore(): bool
    {
        return true;
    }
}
