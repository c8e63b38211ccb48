<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Cache\RedisStore;
use Illuminate\Contracts\Redis\Factory;
use RLock\Kind;
use RLock\Locker;

/** Laravel's Redis store with other locks. */
final class RLockStore extends RedisStore
{
    /** The lease of a lock without one, in seconds: a day, as that of Laravel's scheduler. */
    public const UNLIMITED = 86400;

    /** The limits of a lease, in seconds. */
    private const SHORTEST = 0.001;
    private const LONGEST = 1e9;

    private readonly float $unlimited;

    /**
     * @param Locker $locks on the server of the connection for locks, with that connection's prefix
     * @param string $prefix of all keys, those of locks included
     * @param string $connection the name of Laravel's Redis connection for all but locks
     * @param array<string>|bool|null $serializableClasses
     * @param int|float|string $unlimited the lease of locks with `seconds = 0`
     * @param string|null $lockConnection the name of the connection for locks; null: $connection
     * @throws \InvalidArgumentException $unlimited is no lease
     */
    public function __construct(
        private readonly Locker $locks,
        Factory $redis,
        string $prefix = '',
        string $connection = 'default',
        array|bool|null $serializableClasses = null,
        mixed $unlimited = self::UNLIMITED,
        ?string $lockConnection = null,
    ) {
        parent::__construct($redis, $prefix, $connection, $serializableClasses);
        if (!(is_numeric($unlimited) && $unlimited >= self::SHORTEST && $unlimited <= self::LONGEST)) {
            throw new \InvalidArgumentException(
                'The setting `unlimited` of a cache store with driver `rlock` must be 0.001 to 1000000000 seconds, not '
                . var_export($unlimited, true),
            );
        }
        $this->unlimited = (float) $unlimited;
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
            $this->prefix . $name,
            $seconds,
            $owner,
            $this->unlimited,
            $this->lockConnection,
        );
    }

    /**
     * Lets at most so many in at once, each for so many seconds.
     *
     * @param int|float $seconds 0: as a lock
     */
    public function funnel(string $name, int $limit, int|float $seconds): Funnel
    {
        $lease = $seconds > 0 ? min((float) $seconds, self::LONGEST) : $this->unlimited;
        return new Funnel($this->locks, "$this->prefix$name:funnel", $lease, $this, $name, $limit, $seconds);
    }

    /** Frees every lock whose key begins with the store's prefix, and nothing else, as entries of the cache may too. */
    public function flushLocks(): bool
    {
        $ours = addcslashes($this->prefix, '*?[]^\\') . '*';
        foreach ($this->locks->holders($ours, PHP_INT_MAX) as $key => $holder) {
            if ($holder->kind !== Kind::Foreign) {
                $this->locks->breakLock((string) $key, $holder->shared ? null : $holder->fence);
            }
        }
        return true;
    }

    /** Locks can be flushed in any case. */
    public function hasSeparateLockStore(): bool
    {
        return true;
    }
}
