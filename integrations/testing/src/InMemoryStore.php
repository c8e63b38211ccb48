<?php

declare(strict_types=1);

namespace RLock\Testing;

use RLock\Client\Duration;
use RLock\Client\Fate;
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

    /** @var array<string, list<Grant>> what holds a key: one, or several shares, perhaps beyond their time */
    private array $grants = [];

    /** @var array<string, Grant> the last grant of each key, also when it has been given back */
    private array $last = [];

    /** @var array<string, int> of each key the fence since which nobody has had it exclusively */
    private array $eras = [];

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

    /**
     * @internal Who holds the key: of several shares those that end first come first. If nobody does, the cooldown: of
     *           several that shares have left the one that lasts longest.
     * @return list<Grant>
     */
    public function all(string $key): array
    {
        $present = $this->present($key);
        $held = array_values(array_filter($present, fn (Grant $grant) => $grant->kind !== Kind::Cooldown));
        return $held === [] ? array_slice($present, -1) : $held;
    }

    /** @internal The one that lasts longest. Null if the key is free. */
    public function find(string $key): ?Grant
    {
        $all = $this->all($key);
        return $all === [] ? null : end($all);
    }

    /** @internal */
    public function findByName(string $key, string $name): ?Grant
    {
        foreach ($this->all($key) as $grant) {
            if ($grant->name === $name) {
                return $grant;
            }
        }
        return null;
    }

    /** @internal When it can be had so, if nobody gives it back before. */
    public function freeAt(string $key, Want $want): int
    {
        $shares = $others = [];
        foreach ($this->present($key) as $grant) {
            $grant->isShared ? $shares[] = $grant->endsAt : $others[] = $grant->endsAt;
        }
        if (!$want->isShared) {
            return max([$this->now, ...$shares, ...$others]);
        }
        $tooMany = $want->limit === null ? 0 : max(0, count($shares) - $want->limit + 1);
        return max([$this->now, ...array_slice($shares, 0, $tooMany), ...$others]);
    }

    /** @internal Lets time pass until it can be had so. False: not until then, which that policy waits for or not. */
    public function awaitFree(string $key, Want $want, int $until, int $policy): bool
    {
        $freeAt = $this->freeAt($key, $want);
        if ($freeAt === PHP_INT_MAX && $until === PHP_INT_MAX) {
            throw new \LogicException("The lock \"$key\" is renewed without an end, and waited for without one");
        }
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

    /** @internal It must be free to be had so. With a name it is a detached lock. */
    public function grant(string $key, Want $want, ?string $metadata, int $lease, ?string $name = null): Grant
    {
        $grant = $this->put(new Grant(
            $key,
            self::newToken(),
            self::owner(),
            ++$this->lastFence,
            $metadata,
            $this->now + $lease,
            $name === null ? Kind::Lease : Kind::Detached,
            $name,
            $want->isShared,
            $want->limit,
        ));
        $this->beginEraBy($grant);
        return $grant;
    }

    /**
     * @internal A share becomes exclusive. False: it is not the only one, or there is a cooldown. Its fence rises in both
     *           cases.
     */
    public function upgrade(Grant $grant): bool
    {
        $this->raise($grant);
        if ($this->present($grant->key) !== [$grant]) {
            return false;
        }
        $grant->isShared = false;
        $this->beginEraBy($this->put($grant));
        return true;
    }

    /** @internal A new grant of the same lock, to nobody for now or to this process. */
    public function passOn(Grant $grant, bool $toNobody, ?int $lease): Grant
    {
        $this->remove($grant);
        return $this->put(new Grant(
            $grant->key,
            self::newToken(),
            $toNobody ? '' : self::owner(),
            ++$this->lastFence,
            $grant->metadata,
            $lease === null ? $grant->endsAt : $this->now + $lease,
            $toNobody ? Kind::HandOver : Kind::Lease,
        ));
    }

    /**
     * @internal Also for one that ran out while nobody else came. A shorter lease is a new grant, and so is a share that
     *           had ended.
     */
    public function extend(Grant $grant, int $lease): void
    {
        if ($this->now + $lease < $grant->endsAt || ($grant->isShared && $grant->endsAt <= $this->now)) {
            $this->raise($grant);
        }
        $grant->renewedBy = null;
        $grant->endsAt = $this->now + $lease;
        $this->put($grant);
    }

    /** @internal It is prolonged by $lease again and again, for as long as $hold from now, and then ends with the last. */
    public function renew(Grant $grant, int $lease, int $hold): void
    {
        $grant->renewedBy = $lease;
        $grant->endsAt = $hold > PHP_INT_MAX - $lease - $this->now ? PHP_INT_MAX : $this->now + $hold + $lease;
        $this->put($grant);
    }

    /** @internal It is not renewed any more, and ends with what is left. */
    public function letBe(Grant $grant): void
    {
        $this->extend($grant, $this->left($grant));
    }

    /** @internal */
    public function left(Grant $grant): int
    {
        return min($grant->endsAt - $this->now, $grant->renewedBy ?? PHP_INT_MAX);
    }

    /** @internal It becomes a new grant. */
    public function raise(Grant $grant): void
    {
        $grant->fence = ++$this->lastFence;
    }

    /** @internal Lets nobody in for as long as $delay. */
    public function release(Grant $grant, int $delay): void
    {
        $this->remove($grant);
        if ($delay > 0) {
            $this->grants[$grant->key][] = new Grant(
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

    /**
     * @internal Frees the key whoever has it, or takes this one grant out; those that had it will find the lock lost.
     *           So will a share of a lower fence that ends late: it can no longer be told apart.
     */
    public function break(string $key, ?Grant $only = null): void
    {
        foreach ($only === null ? $this->all($key) : [$only] as $grant) {
            if ($grant->isShared) {
                $this->remove($grant);
                $this->eras[$key] = max($this->eras[$key], $grant->fence + 1);
            } else {
                unset($this->last[$key]);
            }
        }
        if ($only === null || !$only->isShared) {
            unset($this->grants[$key]); // with what delays
        }
    }

    /** @internal */
    public function fateOf(Grant $grant): Fate
    {
        if (in_array($grant, $this->present($grant->key), true)) {
            return Fate::Held;
        }
        $isRemembered = $this->now < $grant->endsAt + self::MEMORY;
        return $isRemembered && $this->isUntouched($grant) ? Fate::RanOut : Fate::Lost;
    }

    /** @internal Whether one that ran out can be held again: another share may have come in its place. */
    public function canReturn(Grant $grant): bool
    {
        return !$grant->isShared || $this->freeAt($grant->key, Want::share($grant->limit)) <= $this->now;
    }

    private function isUntouched(Grant $grant): bool
    {
        return $grant->isShared
            ? $grant->fence >= $this->eras[$grant->key]
            : ($this->last[$grant->key] ?? null) === $grant;
    }

    /** @internal */
    public function holder(string $key): ?Holder
    {
        $grant = $this->find($key);
        return $grant === null ? null : $this->holderOf($grant);
    }

    /** @internal */
    public function holderOf(Grant $grant): Holder
    {
        return new Holder(
            key: $grant->key,
            owner: $grant->owner,
            fence: $grant->fence,
            ttl: Duration::seconds($this->left($grant)),
            metadata: $grant->metadata,
            kind: $grant->kind,
            shared: $grant->isShared,
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

    /**
     * Those whose time is not over, and those that end first come first.
     *
     * @return list<Grant>
     */
    private function present(string $key): array
    {
        $present = array_filter($this->grants[$key] ?? [], fn (Grant $grant) => $this->now < $grant->endsAt);
        usort($present, fn (Grant $a, Grant $b) => $a->endsAt <=> $b->endsAt);
        return $present;
    }

    private function put(Grant $grant): Grant
    {
        $this->remove($grant);
        $this->grants[$grant->key][] = $grant;
        return $this->last[$grant->key] = $grant;
    }

    /** With all that have ended. */
    private function remove(Grant $grant): void
    {
        $others = array_filter($this->present($grant->key), fn (Grant $other) => $other !== $grant);
        $this->grants[$grant->key] = array_values($others);
    }

    /** An exclusive grant ends what can be told of those before it. */
    private function beginEraBy(Grant $grant): void
    {
        $this->eras[$grant->key] = $grant->isShared ? $this->eras[$grant->key] ?? $grant->fence : $grant->fence;
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
