<?php

declare(strict_types=1);

use RLock\Client\Address;
use RLock\Client\Answers;
use RLock\Client\Arguments;
use RLock\Client\Clock;
use RLock\Client\Duration;
use RLock\Client\Fate;
use RLock\Client\Grant;
use RLock\Client\Held;
use RLock\Client\NotSerializable;
use RLock\Client\Owner;
use RLock\Client\Queue;
use RLock\Client\Server;
use RLock\Client\Unsupported;
use RLock\ConnectionException;
use RLock\Holder;
use RLock\Locker;
use RLock\RLockException;
use RLock\TimeoutException;

/**
 * Exclusive locks on one server, where the extension is not loaded. The same keys, the same queue, the same verdicts.
 */
final class RLock implements Locker
{
    use NotSerializable;
    /** @use Owner<Grant, never> */
    use Owner {
        obtain as private obtainUninterrupted;
    }
    use Unsupported;

    public const POLICY_FAIL_FAST = 0;
    public const POLICY_WAIT = 1;

    private readonly Address $address;
    private readonly string $prefix;
    private Server $server;
    private bool $isClosed = false;
    private int|false $process;

    /** @var array<string, Held> of the process that forked us */
    private array $parents = [];

    /**
     * What is being taken, or given back with a delay in ms. Several, where a signal's handler does so meanwhile.
     *
     * @var list<array{Grant, int}>
     */
    private array $underWay = [];

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
        foreach (compact('autoRenew', 'interrupt', 'maxHold', 'retry', 'replicas', 'durable') as $name => $value) {
            (bool) $value && throw self::unsupported($name);
        }
        $servers = array_values((array) ($servers ?? self::setting('rlock.servers', 'redis://127.0.0.1:6379')));
        count($servers) === 1 || throw self::unsupported('majorities');
        $this->address = new Address($servers[0]);
        $this->server = new Server($this->address);
        $this->prefix = $prefix ?? self::setting('rlock.prefix', 'lock@');
        $this->process = getmypid();
        $this->beginEmpty($ttl ?? (float) self::setting('rlock.ttl', '30'));
    }

    /** Of php.ini, where the extension's settings may stand though it is not loaded. */
    private static function setting(string $name, string $default): string
    {
        $value = get_cfg_var($name);
        return is_string($value) ? $value : $default;
    }

    private function __clone()
    {
    }

    public function __destruct()
    {
        if ($this->process === getmypid()) { // a handler may have ended the program in the midst of it
            $this->drop(0);
        }
        $this->end();
    }

    /** @return array<string, mixed> without tokens and passwords */
    public function __debugInfo(): array
    {
        return ['server' => $this->address->shown, 'prefix' => $this->prefix, 'held' => array_keys($this->held)];
    }

    /** A signal's handler may throw between any two steps, also when the lock has been granted, and is not held yet. */
    private function obtain(
        string $key,
        int $wait,
        int $lease,
        int $policy = self::POLICY_WAIT,
        ?string $metadata = null,
        ?object $want = null,
    ): bool {
        $count = count($this->underWay);
        try {
            $isHeld = $this->obtainUninterrupted($key, $wait, $lease, $policy, $metadata, $want);
            array_splice($this->underWay, $count);
            return $isHeld;
        } catch (Throwable $e) {
            $this->drop($count);
            throw $e;
        }
    }

    /** Gives back what calls have left that were cut off. */
    private function drop(int $from): void
    {
        foreach (array_splice($this->underWay, $from) as [$lock, $delay]) {
            if ($lock->fence !== 0 || $lock->unanswered !== []) {
                unset($this->held[$lock->key]);
                $delay === 0 ? $this->server->undo($lock) : $this->server->owe($lock, $delay);
            }
        }
    }

    private function take(string $key, int $wait, int $lease, int $policy, ?string $metadata, ?object $want): ?Grant
    {
        $lock = new Grant($key, $this->prefix . $key, $metadata);
        $this->underWay[] = [$lock, 0];
        $until = $wait === PHP_INT_MAX ? PHP_INT_MAX : Clock::now() + $wait;
        $queue = new Queue($this->server, $lock, self::milliseconds($lease), $until, $policy === self::POLICY_FAIL_FAST);
        return $queue->take($wait > 0) ? $lock : null;
    }

    private function prolong(Held $lock, int $lease): void
    {
        $lease = self::milliseconds($lease);
        $deadline = $this->settle($lock);
        $safe = Grant::safeUntil(Clock::now(), $lease);
        if ($lock->isSafe() && $safe < $lock->endsAt) {
            [$lock->pending, $lock->endsAt] = [$lease, $safe];
            $this->settle($lock, $deadline);
            return;
        }
        $answer = $lock->isSafe() ? $this->extend($lock, $lease, 'longer', $deadline) : [2, 0, -2];
        if ($answer[0] !== 2 || $lock->isSafe()) {
            $this->isGiven($lock, $answer);
            return;
        }
        $lateBy = $this->lateBy($lock);
        $answer = $this->extend($lock, $lease, 'again', $deadline, $lock->value);
        $hadGap = $answer[0] === 2 || $lock->doubts() !== [];
        $this->isGiven($lock, $answer);
        $hadGap && throw $this->heldAgain($lock, $lateBy);
    }

    private function secondsLeft(Held $lock): float
    {
        [$code, , $left] = $this->extend($lock, 0, 'longer', $this->settle($lock));
        return $code !== 1 ? 0.0 : ($left < 0 ? 1e9 : $left / 1000);
    }

    public function holder(string $key): ?Holder
    {
        $this->begin($key);
        $lock = new Grant($key, $this->prefix . $key);
        return Answers::holder($key, ...$this->server->ask('inspect', $lock, [], $this->server->deadline()));
    }

    private function passOn(Held $lock, ?int $lease): string
    {
        $deadline = $this->settle($lock);
        $next = 'rlock1:' . bin2hex(random_bytes(16)) . ':';
        try {
            $answer = $this->extend($lock, self::milliseconds($lease ?? 0), 'anew', $deadline, "$next:");
        } catch (ConnectionException $e) {
            unset($this->held[$lock->key]);
            $this->server->owe($lock);
            $this->server->owe($lock, token: $next);
            throw $e;
        }
        $this->isOurs($lock, $answer);
        unset($this->held[$lock->key]);
        return Grant::passable($next, $lock->metadata);
    }

    private function takeOver(string $key, #[\SensitiveParameter] string $token, ?int $lease): ?Grant
    {
        if (!preg_match('/^(rlock1:[0-9a-f]{32}:):(?::(.*))?$/sD', $token, $match)) {
            return null;
        }
        $lock = new Grant($key, $this->prefix . $key);
        $arguments = [$match[1], 0, self::milliseconds($lease ?? 0), Server::UNTIL, 'anew', $lock->value];
        try {
            [, $lock->fence, $left] = $this->server->ask('extend', $lock, $arguments, $this->server->deadline());
        } catch (ConnectionException $e) {
            $this->server->owe($lock);
            throw $e;
        }
        [$lock->metadata, $lock->endsAt] = [$match[2] ?? null, $lock->safeSince($left)];
        return $left === -2 ? null : $lock;
    }

    private function free(string $key, ?int $fence): bool
    {
        $deadline = $this->server->deadline();
        do {
            $lock = new Grant($key, $this->prefix . $key);
            [$value, $left, $seen] = $this->server->ask('inspect', $lock, [], $deadline);
            if ($left === -2 || ($fence !== null && $fence !== $seen)) {
                return false;
            }
            $arguments = [(string) $value, (int) $seen, $lock->baton, 0, Server::UNTIL];
            $isBroken = $this->server->ask('release', $lock, $arguments, $deadline) === 1 || $lock->doubts() !== [];
        } while (!$isBroken && Clock::now() < $deadline);
        return $isBroken;
    }

    public function close(): void
    {
        try {
            $this->isClosed || $this->releaseAll();
        } finally {
            $this->server = new Server($this->address); // without a connection
            $this->isClosed = true;
        }
    }

    private function now(): int
    {
        return Clock::now();
    }

    private function begin(?string $key): void
    {
        Arguments::checkKey($key ?? '-');
        if (Grant::isCompanion($this->prefix . $key)) {
            throw new ValueError('A key must not begin like those that belong to another lock');
        }
        if ($this->process !== getmypid()) {
            [$this->process, $this->parents, $this->held] = [getmypid(), $this->parents + $this->held, []];
            $this->server = new Server($this->address);
        }
        if ($key !== null && isset($this->parents[$key])) {
            throw new RLockException("The lock \"$key\" belongs to the process that forked this one", $key);
        }
        $this->isClosed && throw new RLockException('This RLock is closed', $key);
    }

    private static function milliseconds(int $lease): int
    {
        return intdiv($lease, Duration::MILLISECOND);
    }

    /** @return array{int, int, int} code, fence, ms left; -2: it is not ours */
    private function extend(Grant $lock, int $lease, string $how, int $deadline, ?string $value = null): array
    {
        $arguments = [$lock->token, $lock->fence, $lease, Server::UNTIL, $how, ...$value === null ? [] : [$value]];
        return $this->server->ask('extend', $lock, $arguments, $deadline);
    }

    private function lengthen(Held $lock, int $lease, ?object $want): bool
    {
        $this->isGiven($lock, $this->extend($lock, self::milliseconds($lease), 'longer', $this->settle($lock)));
        return true;
    }

    /** A shorter lease that is not answered yet is asked for again, before anything else. When the call is over. */
    private function settle(Grant $lock, ?int $deadline = null): int
    {
        $deadline ??= $this->server->deadline();
        if ($lock->pending !== null) {
            $answer = $this->extend($lock, $lock->pending, 'anew', $deadline);
            $lock->pending = null;
            $this->isGiven($lock, $answer);
        }
        return $deadline;
    }

    /** @param array{int, int, int} $answer */
    private function isGiven(Grant $lock, array $answer): void
    {
        $this->isOurs($lock, $answer);
        $lock->fence = $answer[1];
        $lock->endsAt = max($lock->endsAt, $lock->safeSince($answer[2]));
        $lock->isSafe() || throw $this->verdict($lock);
    }

    /** @param array{int, int, int} $answer */
    private function isOurs(Grant $lock, array $answer): void
    {
        $answer[2] !== -2 || throw $this->lose($lock, $answer[0]);
    }

    private function lose(Grant $lock, int $answer): TimeoutException
    {
        return $this->forfeit($lock, $answer === 2 && !$lock->isSafe() ? Fate::RanOut : Fate::Lost);
    }

    /** It is given back, and late also if it was still ours. */
    private function verdict(Held $lock): TimeoutException
    {
        try {
            $this->giveBack($lock);
            return $this->forfeit($lock, Fate::RanOut);
        } catch (TimeoutException $verdict) {
            return $verdict;
        } catch (ConnectionException) {
            $this->losses->add($lock->key, Fate::Lost, $this->lateBy($lock));
            return $this->lost($lock->key, $this->lateBy($lock), asks: false);
        }
    }

    private function giveBackRest(): void
    {
        foreach ($this->held as $lock) {
            $this->server->owe($lock);
        }
        $this->held === [] && $this->server->payOwed($this->server->deadline());
        $this->held = [];
    }

    private function giveBack(Held $lock, int $delay = 0): void
    {
        $count = count($this->underWay);
        $delay = intdiv($delay, Duration::MILLISECOND);
        $this->underWay[] = [$lock, $delay];
        try {
            $this->release($lock, $delay);
            array_splice($this->underWay, $count);
        } catch (RLockException $e) {
            array_splice($this->underWay, $count);
            throw $e;
        } catch (Throwable $e) {
            $this->drop($count);
            throw $e;
        }
    }

    /** @param int $delay in ms */
    private function release(Grant $lock, int $delay): void
    {
        $deadline = $this->server->deadline();
        unset($this->held[$lock->key]);
        $fence = $lock->fence;
        try {
            $this->settle($lock, $deadline - intdiv($deadline - Clock::now(), 2));
            $fence = $lock->fence;
        } catch (ConnectionException) {
            $fence = 0;
        }
        try {
            $answer = $this->server->ask('release', $lock, [$lock->token, $fence, $lock->baton, $delay], $deadline);
        } catch (RLockException $e) {
            $this->server->owe($lock, $delay);
            throw $e;
        }
        $wasInTime = $lock->doubts() !== [] && $lock->since() < $lock->endsAt;
        $this->server->payOwed($deadline);
        if (!$wasInTime && ($answer !== 1 || ($fence === 0 && !$lock->isSafe()))) {
            throw $this->lose($lock, $fence === 0 ? 3 : $answer);
        }
    }
}
