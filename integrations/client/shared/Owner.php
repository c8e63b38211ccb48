<?php

declare(strict_types=1);

namespace RLock\Client;

use RLock\Holder;
use RLock\Kind;
use RLock\Lease;
use RLock\LostLockException;
use RLock\NotAcquiredException;
use RLock\RLockException;
use RLock\TimeoutException;

/**
 * What an owner of locks does wherever they are: levels, critical sections, verdicts.
 *
 * @internal
 * @template T of Held
 * @template W of object how it can be had but exclusively, which is null
 */
trait Owner
{
    /** Where a call names none, in microseconds. */
    private int $lease;

    /** @var array<string, T> */
    private array $held = [];

    private Losses $losses;

    /** In microseconds. */
    abstract private function now(): int;

    /** What every call begins with, that of a key or of all: it may be refused. */
    abstract private function begin(?string $key): void;

    /**
     * @param T $lock
     * @throws TimeoutException the verdict, if it was not ours any more
     */
    abstract private function giveBack(Held $lock, int $delay = 0): void;

    /**
     * What the holder is told of one that is late.
     *
     * @param T $lock
     */
    abstract private function verdict(Held $lock): TimeoutException;

    /**
     * Takes what it does not have yet; null: it stayed busy. Durations are microseconds.
     *
     * @param W|null $want
     * @return T|null
     */
    abstract private function take(
        string $key,
        int $wait,
        int $lease,
        int $policy,
        ?string $metadata,
        ?object $want,
    ): ?Held;

    /**
     * A lease that is not shorter, of what it has; false: that stayed as it was.
     *
     * @param T $lock
     * @param W|null $want
     */
    abstract private function lengthen(Held $lock, int $lease, ?object $want): bool;

    /**
     * @param T $lock
     * @throws TimeoutException the verdict, also of one that is held again
     */
    abstract private function prolong(Held $lock, int $lease): void;

    /**
     * Gives it to whoever adopts it by this token; without a lease what is left.
     *
     * @param T $lock
     */
    abstract private function passOn(Held $lock, ?int $lease): string;

    /** @return T|null */
    abstract private function takeOver(string $key, #[\SensitiveParameter] string $token, ?int $lease): ?Held;

    abstract private function free(string $key, ?int $fence): bool;

    /**
     * By the server; 0: it is not ours.
     *
     * @param T $lock
     */
    abstract private function secondsLeft(Held $lock): float;

    public function __destruct()
    {
        $this->end();
    }

    private function end(): void
    {
        try {
            $count = count($this->held);
            $ended = $this->giveBackAll();
            $ended === 0 || trigger_error("$ended of $count locks had ended before they were given back", E_USER_WARNING);
        } catch (RLockException $e) {
            $count === 0 || trigger_error($e->getMessage(), E_USER_WARNING);
        }
    }

    /** What could not be given back: by earlier calls, or since no server answers. */
    private function giveBackRest(): void
    {
    }

    private function beginEmpty(float $ttl): void
    {
        $this->lease = Duration::ofLease($ttl);
        $this->losses = new Losses();
    }

    /** In microseconds. */
    private function leaseFor(?float $ttl): int
    {
        return $ttl === null ? $this->lease : Duration::ofLease($ttl);
    }

    /** @return T|null */
    private function find(string $key): ?Held
    {
        $this->begin($key);
        return $this->held[$key] ?? null;
    }

    /** @param T $lock */
    private function hold(Held $lock): void
    {
        $this->held[$lock->key] = $lock;
        $this->losses->forget($lock->key);
    }

    #[\NoDiscard]
    public function getLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
    ): bool {
        return $this->get($key, $wait, $ttl, $policy, $metadata);
    }

    /** @param W|null $want */
    private function get(
        string $key,
        float $wait,
        ?float $ttl,
        int $policy,
        ?string $metadata,
        ?object $want = null,
    ): bool {
        $this->begin($key);
        [$wait, $lease] = [Duration::ofWait($wait), $this->leaseFor($ttl)];
        Arguments::checkPolicy($policy);
        Arguments::checkMetadata($metadata);
        $this->refuseSecond($key);
        return $this->obtain($key, $wait, $lease, $policy, $metadata, $want);
    }

    /** Where an owner can ask without waiting: what is asked for already is not asked for in another way. */
    private function refuseSecond(string $key): void
    {
    }

    /** @param W|null $want */
    private function obtain(
        string $key,
        int $wait,
        int $lease,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
        ?object $want = null,
    ): bool {
        $lock = $this->held[$key] ?? null;
        if ($lock !== null) {
            $isDeeper = $this->lengthen($lock, $lease, $want);
            $lock->depth += $isDeeper ? 1 : 0;
            return $isDeeper;
        }
        $began = $this->now();
        $lock = $this->take($key, $wait, $lease, $policy, $metadata, $want);
        if ($lock !== null) {
            $lock->waited = $this->now() - $began;
            $this->hold($lock);
        }
        return $lock !== null;
    }

    public function prolongate(string $key, ?float $ttl = null): bool
    {
        $lock = $this->find($key);
        $lease = $this->leaseFor($ttl);
        $lock === null || $this->prolong($lock, $lease);
        return $lock !== null;
    }

    #[\NoDiscard]
    public function handOver(string $key, ?float $ttl = null): string
    {
        $lock = $this->find($key);
        $lease = $ttl === null ? null : $this->leaseFor($ttl);
        return $this->passOn($lock ?? throw new RLockException("The lock \"$key\" is not held", $key), $lease);
    }

    #[\NoDiscard]
    public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool
    {
        $this->begin($key);
        $lock = $this->takeOver($key, $token, $ttl === null ? null : $this->leaseFor($ttl));
        $lock === null || $this->hold($lock);
        return $lock !== null;
    }

    public function breakLock(string $key, ?int $fence = null): bool
    {
        $this->begin($key);
        if ($fence !== null && $fence < 1) {
            throw new \ValueError('$fence must be 1 or more, or null');
        }
        return $this->free($key, $fence);
    }

    public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool
    {
        $lock = $this->find($key);
        $delay = Duration::ofDelay($delayAfter);
        if ($lock === null) {
            return false;
        }
        $isSafe = $this->isSafe($lock);
        if ($isSafe && $lock->depth > 1) {
            $lock->depth--;
            return true;
        }
        try {
            $this->giveBack($lock, $delay);
        } catch (TimeoutException $verdict) {
            ($confirm || !$isSafe) && throw $verdict;
        }
        return true;
    }

    public function releaseAll(): bool
    {
        return $this->giveBackAll() === 0;
    }

    /** How many were not ours any more. */
    private function giveBackAll(): int
    {
        $this->begin(null);
        $ended = 0;
        try {
            foreach ($this->held as $lock) {
                try {
                    $this->giveBack($lock);
                } catch (TimeoutException) {
                    $ended++;
                }
            }
        } finally {
            $this->giveBackRest();
        }
        return $ended;
    }

    public function ttl(string $key): float
    {
        $lock = $this->find($key);
        return $lock === null ? 0.0 : $this->secondsLeft($lock);
    }

    public function isLocking(string $key): bool
    {
        return $this->ttl($key) > 0.0;
    }

    public function check(string $key): void
    {
        $lock = $this->find($key) ?? throw $this->reasonNotHeld($key);
        $this->isSafe($lock) || throw $this->verdict($lock);
    }

    public function lease(string $key): ?Lease
    {
        $lock = $this->find($key);
        return $lock === null ? null : new Lease(
            $key,
            $lock->passableToken(),
            $lock->fence,
            $lock->depth,
            Duration::seconds(max(0, $lock->endsAt - $this->now())),
            $lock->metadata,
            $lock->isShared,
            Duration::seconds($lock->waited),
        );
    }

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

    // Verdicts.

    private function isSafe(Held $lock): bool
    {
        return $this->now() < $lock->endsAt;
    }

    private function lateBy(Held $lock): float
    {
        return Duration::seconds(max(0, $this->now() - $lock->endsAt));
    }

    /** It is not ours any more: what its holder is told. */
    private function forfeit(Held $lock, Fate $fate): TimeoutException
    {
        [$key, $lateBy] = [$lock->key, $this->lateBy($lock)];
        unset($this->held[$key]);
        $this->losses->add($key, $fate, $lateBy);
        return $fate === Fate::Lost ? $this->lost($key, $lateBy) : new TimeoutException(
            "The lease of \"$key\" ran out $lateBy s ago; {$lock->verdictOnOthers()}. "
                . 'Take it with a longer ttl, or prolongate it in time',
            $key,
            $lateBy,
        );
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

    private function heldAgain(Held $lock, float $lateBy): TimeoutException
    {
        return new TimeoutException(
            "The lease of \"$lock->key\" had run out $lateBy s ago; {$lock->verdictOnOthers()}, and it is held again",
            $lock->key,
            $lateBy,
            held: true,
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

    /** For a message: null also if it cannot be asked. */
    private function knownHolder(string $key): ?Holder
    {
        try {
            return $this->holder($key);
        } catch (RLockException) {
            return null;
        }
    }

    private function notAcquired(string $key, float $wait): NotAcquiredException
    {
        $holder = $this->knownHolder($key);
        $who = $holder?->owner . ($holder?->metadata === null ? '' : " (\"$holder->metadata\")");
        $isOurs = $holder?->owner === gethostname() . ':' . getmypid();
        $by = match ($holder?->kind) {
            null => '',
            Kind::HandOver => ': a hand-over keeps it',
            Kind::Cooldown => ": a delay after its release by $who keeps it",
            Kind::Foreign => ': a client that is not rlock holds it',
            Kind::Detached => ": $who holds it",
            default => $isOurs ? ": this very process, $who, holds it" : ': ' . ($who ?: 'somebody') . ' holds it',
        };
        $left = $holder?->ttl === null ? '' : sprintf(' for another %.3F s', $holder->ttl);
        $busy = $wait > 0.0 ? sprintf('The lock "%s" stayed busy for %.3F s', $key, $wait) : "The lock \"$key\" is busy";
        return new NotAcquiredException($busy . $by . $left, $key, $holder);
    }
}
