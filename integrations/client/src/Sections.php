<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\Holder;
use RLock\LostLockException;
use RLock\NotAcquiredException;
use RLock\RLockException;
use RLock\TimeoutException;

/**
 * What does not depend on where locks are: critical sections, and lists of keys.
 *
 * @internal
 */
trait Sections
{
    public function synchronized(
        string $key,
        callable $critical,
        float $wait = 0.0,
        ?float $ttl = null,
        ?string $metadata = null,
    ): mixed {
        if (!$this->getLock($key, $wait, $ttl, metadata: $metadata)) {
            throw $this->notAcquired($key, $wait);
        }
        $result = null;
        try {
            $result = $critical($this->lease($key) ?? throw $this->reasonNotHeld($key));
            if ($result instanceof \Generator) {
                $result = null;
                throw new \TypeError('RLock::synchronized(): The callable returned a Generator, whose body would run '
                    . 'after the lock was released: iterate it within the callable');
            }
            return $result;
        } finally {
            self::withResult($result, fn () => $this->releaseLock($key));
        }
    }

    abstract private function notAcquired(string $key, float $wait): NotAcquiredException;

    /** For a message: null also if it cannot be asked. */
    abstract private function knownHolder(string $key): ?Holder;

    /** A verdict that the call throws takes the result along. */
    private static function withResult(mixed $result, callable $call): void
    {
        try {
            $call();
        } catch (LostLockException $e) {
            [$message, $previous] = [$e->getMessage(), $e->getPrevious()];
            throw new LostLockException($message, $e->key, $e->lateBy, $e->held, $result, $e->holder, $previous);
        } catch (TimeoutException $e) {
            throw new TimeoutException($e->getMessage(), $e->key, $e->lateBy, $e->held, $result, $e->getPrevious());
        }
    }

    /**
     * Each once, in sorted order.
     *
     * @param array<mixed> $keys
     * @return list<string>
     */
    private static function namesOf(array $keys): array
    {
        $names = [];
        foreach ($keys as $key) {
            if (!is_string($key) && !is_int($key)) {
                throw new \TypeError('$keys must contain only strings and ints, ' . get_debug_type($key) . ' given');
            }
            Arguments::checkKey((string) $key);
            $names[] = (string) $key;
        }
        $names = array_unique($names);
        sort($names, SORT_STRING);
        return $names;
    }

    private function lost(string $key, float $lateBy, bool $asks = true): LostLockException
    {
        return new LostLockException(
            "The lock \"$key\" was lost: another has had it, or that can no longer be told",
            $key,
            $lateBy,
            holder: $asks ? $this->knownHolder($key) : null,
        );
    }

    private function reasonNotHeld(string $key): RLockException
    {
        [$fate, $lateBy] = $this->losses->find($key) ?? [null, 0.0];
        return match ($fate) {
            null => new RLockException("The lock \"$key\" is not held", $key),
            Fate::RanOut => new TimeoutException("The lease of \"$key\" ran out", $key, $lateBy),
            default => $this->lost($key, $lateBy),
        };
    }
}
