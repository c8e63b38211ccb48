<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Holder;
use RLock\Kind;

/**
 * Stands for the server: which locks are held, and what time it is. Lockers that share a store exclude each other.
 */
final class InMemoryStore
{
    /** For how long after its lease a grant is remembered, so that a late holder can be told whether another came. */
    private const MEMORY = Duration::HOUR;

    private int $now = 0;

    private int $lastFence = 0;

    /** @var array<string, Grant> what holds a key, perhaps beyond its time */
    private array $grants = [];

    /** @var array<string, Grant> the last grant of each key, also when it has been given back */
    private array $last = [];

    /**
     * Lets time pass. Leases that end meanwhile have ended afterwards.
     *
     * @param float $seconds 0.0 or more
     */
    public function advance(float $seconds): void
    {
        if (!($seconds >= 0.0) || is_infinite($seconds)) {
            throw new \ValueError('$seconds must be finite, 0 or more');
        }
        $this->advanceTo($this->now + (int) round($seconds * Duration::SECOND));
    }

    /** @internal */
    public function advanceTo(int $moment): void
    {
        $this->now = max($this->now, $moment);
    }

    /** @internal */
    public function now(): int
    {
        return $this->now;
    }

    /** @internal Null if the key is free. */
    public function find(string $key): ?Grant
    {
        $grant = $this->grants[$key] ?? null;
        return $grant !== null && $this->now < $grant->endsAt ? $grant : null;
    }

    /** @internal When nobody has it any more, if nobody gives it back before. */
    public function freeAt(string $key): int
    {
        return $this->find($key)->endsAt ?? $this->now;
    }

    /** @internal Lets time pass until the key is free. False: it is not until then, which that policy waits for or not. */
    public function awaitFree(string $key, int $until, int $policy): bool
    {
        $freeAt = $this->freeAt($key);
        if ($freeAt <= $until) {
            $this->advanceTo($freeAt);
        } elseif ($policy === \RLock::POLICY_WAIT) {
            $this->advanceTo($until);
        }
        return $freeAt <= $until;
    }

    /** @internal The moment until which a wait that begins now lasts. */
    public function momentAfter(int $wait): int
    {
        return $wait === PHP_INT_MAX ? PHP_INT_MAX : $this->now + $wait;
    }

    /** @internal The key must be free. With a name it is a detached lock. */
    public function grant(string $key, ?string $metadata, int $lease, ?string $name = null): Grant
    {
        return $this->put(new Grant(
            $key,
            self::newToken(),
            self::owner(),
            ++$this->lastFence,
            $metadata,
            $this->now + $lease,
            $name === null ? Kind::Lease : Kind::Detached,
            $name,
        ));
    }

    /** @internal Passes the same grant on, to nobody for now or to this process. */
    public function passOn(Grant $grant, bool $toNobody, ?int $lease): Grant
    {
        return $this->put(new Grant(
            $grant->key,
            self::newToken(),
            $toNobody ? '' : self::owner(),
            $grant->fence,
            $grant->metadata,
            $lease === null ? $grant->endsAt : $this->now + $lease,
            $toNobody ? Kind::HandOver : Kind::Lease,
        ));
    }

    /** @internal Also for one that ran out while nobody else came. */
    public function extend(Grant $grant, int $lease): void
    {
        $grant->endsAt = $this->now + $lease;
        $this->put($grant);
    }

    /** @internal Keeps the key from everybody for as long as $delay. */
    public function release(Grant $grant, int $delay): void
    {
        unset($this->grants[$grant->key]);
        if ($delay > 0) {
            $this->grants[$grant->key] = new Grant(
                $grant->key,
                '',
                $grant->owner,
                $grant->fence,
                $grant->metadata,
                $this->now + $delay,
                Kind::Cooldown,
            );
        }
    }

    /** @internal Frees the key whoever has it, who will find the lock lost. */
    public function break(string $key): void
    {
        unset($this->grants[$key], $this->last[$key]);
    }

    /** @internal */
    public function fateOf(Grant $grant): Fate
    {
        if ($this->find($grant->key) === $grant) {
            return Fate::Held;
        }
        $isLast = ($this->last[$grant->key] ?? null) === $grant;
        $isRemembered = $this->now < $grant->endsAt + self::MEMORY;
        return $isLast && $isRemembered ? Fate::RanOut : Fate::Lost;
    }

    /** @internal */
    public function holder(string $key): ?Holder
    {
        $grant = $this->find($key);
        return $grant === null ? null : new Holder(
            key: $key,
            owner: $grant->owner,
            fence: $grant->fence,
            ttl: Duration::seconds($grant->endsAt - $this->now),
            metadata: $grant->metadata,
            kind: $grant->kind,
        );
    }

    /**
     * @internal
     * @return array<string, Holder>
     */
    public function holders(Glob $pattern, int $limit): array
    {
        $holders = [];
        foreach (array_map(strval(...), array_keys($this->grants)) as $key) {
            $holder = $pattern->matches($key) ? $this->holder($key) : null;
            if ($holder !== null && count($holders) < $limit) {
                $holders[$key] = $holder;
            }
        }
        return $holders;
    }

    private function put(Grant $grant): Grant
    {
        return $this->grants[$grant->key] = $this->last[$grant->key] = $grant;
    }

    private static function newToken(): string
    {
        return 'memory:' . bin2hex(random_bytes(16));
    }

    private static function owner(): string
    {
        return gethostname() . ':' . getmypid();
    }
}
