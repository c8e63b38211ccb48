<?php

declare(strict_types=1);

use RLock\Client\Address;
use RLock\Client\Answers;
use RLock\Client\Arguments;
use RLock\Client\Clock;
use RLock\Client\Duration;
use RLock\Client\Fate;
use RLock\Client\Held;
use RLock\Client\Losses;
use RLock\Client\Names;
use RLock\Client\NotSerializable;
use RLock\Client\Queue;
use RLock\Client\Sections;
use RLock\Client\Sendings;
use RLock\Client\Server;
use RLock\Client\Unsupported;
use RLock\ConnectionException;
use RLock\Holder;
use RLock\Lease;
use RLock\Locker;
use RLock\NotAcquiredException;
use RLock\RLockException;
use RLock\TimeoutException;

/**
 * Exclusive locks on one server, where the extension is not loaded. The same keys, the same queue, the same verdicts.
 */
final class RLock implements Locker
{
    use NotSerializable;
    use Sections;
    use Unsupported;

    public const POLICY_FAIL_FAST = 0;
    public const POLICY_WAIT = 1;

    private Server $server;

    private bool $isClosed = false;
    private readonly Address $address;
    private readonly string $prefix;
    private readonly int $lease;
    private readonly Losses $losses;

    /** @var array<string, Held> */
    private array $held = [];

    private int|false $process;

    /** @var array<string, Held> of the process that forked us */
    private array $parents = [];

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
        $this->lease = self::milliseconds(Duration::ofLease($ttl ?? (float) self::setting('rlock.ttl', '30')));
        $this->losses = new Losses();
        $this->process = getmypid();
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

    /** @return array<string, mixed> without tokens and passwords */
    public function __debugInfo(): array
    {
        return ['server' => $this->address->shown, 'prefix' => $this->prefix, 'held' => array_keys($this->held)];
    }

    public function __destruct()
    {
        try {
            !$this->isClosed && $this->process === getmypid() && $this->releaseAll();
        } catch (RLockException $e) {
            trigger_error($e->getMessage(), E_USER_WARNING);
        }
    }

    #[\NoDiscard]
    public function getLock(
        string $key,
        float $wait = 0.0,
        ?float $ttl = null,
        int $policy = \RLock::POLICY_WAIT,
        ?string $metadata = null,
    ): bool {
        $server = $this->server($key);
        $wait = Duration::ofWait($wait);
        $lease = $this->leaseFor($ttl);
        Arguments::checkPolicy($policy);
        Arguments::checkMetadata($metadata);
        if (isset($this->held[$key])) {
            $this->extend($this->held[$key], $lease, 'longer');
            $this->held[$key]->depth++;
            return true;
        }
        $began = Clock::now();
        $until = $wait === PHP_INT_MAX ? PHP_INT_MAX : $began + $wait;
        $lock = new Held($key, $this->prefix . $key, $metadata);
        $queue = new Queue($server, $lock, $lease, $until, $policy === self::POLICY_FAIL_FAST);
        if (!$queue->take($wait > 0)) {
            return false;
        }
        $lock->waited = Clock::now() - $began;
        $this->hold($lock);
        return true;
    }

    public function releaseLock(string $key, float $delayAfter = 0.0, bool $confirm = true): bool
    {
        $this->server($key);
        $delay = Duration::ofDelay($delayAfter);
        $lock = $this->held[$key] ?? null;
        if ($lock === null) {
            return false;
        }
        if ($lock->depth > 1 && $lock->isSafe()) {
            $lock->depth--;
        } else {
            $this->giveBack($lock, self::milliseconds($delay));
        }
        return true;
    }

    public function prolongate(string $key, ?float $ttl = null): bool
    {
        $this->server($key);
        $lease = $this->leaseFor($ttl);
        $lock = $this->held[$key] ?? null;
        if ($lock === null) {
            return false;
        }
        if ($lock->isSafe()) {
            $isShorter = Held::safeUntil(Clock::now(), $lease) < $lock->safe;
            $this->extend($lock, $lease, $isShorter ? 'anew' : 'longer', orAgain: true);
        } else {
            $this->again($lock, $lease);
        }
        return true;
    }

    public function releaseAll(): bool
    {
        $this->server('-');
        $failures = 0;
        foreach ($this->held as $lock) {
            try {
                $this->giveBack($lock, 0);
            } catch (TimeoutException) {
                $failures++;
            }
        }
        return $failures === 0;
    }

    public function isLocking(string $key): bool
    {
        return $this->ttl($key) > 0.0;
    }

    public function ttl(string $key): float
    {
        $this->server($key);
        $lock = $this->held[$key] ?? null;
        if ($lock === null) {
            return 0.0;
        }
        $this->settle($lock, $deadline = $this->server->deadline());
        [$code, , $left] = $this->askExtend($lock, 0, 'longer', $deadline);
        return $code !== 1 ? 0.0 : ($left < 0 ? 1e9 : $left / 1000);
    }

    public function check(string $key): void
    {
        $this->server($key);
        $lock = $this->held[$key] ?? throw $this->reasonNotHeld($key);
        if (!$lock->isSafe()) {
            try {
                $this->giveBack($lock, 0);
            } catch (ConnectionException) {
                $this->losses->add($key, Fate::Lost, $lock->lateBy());
                throw $this->lost($key, $lock->lateBy(), asks: false);
            }
            throw $this->forfeit($lock, 2);
        }
    }

    public function lease(string $key): ?Lease
    {
        $this->server($key);
        $lock = $this->held[$key] ?? null;
        return $lock === null ? null : new Lease(
            $key,
            self::passable($lock->token, $lock->metadata),
            $lock->fence,
            $lock->depth,
            $lock->left(),
            $lock->metadata,
            waited: Duration::seconds($lock->waited),
        );
    }

    public function holder(string $key): ?Holder
    {
        return Answers::holder($key, ...$this->inspect($key, $this->server($key)->deadline()));
    }

    #[\NoDiscard]
    public function handOver(string $key, ?float $ttl = null): string
    {
        $this->server($key);
        $lease = $ttl === null ? 0 : $this->leaseFor($ttl);
        $lock = $this->held[$key] ?? throw new RLockException("The lock \"$key\" is not held", $key);
        $this->settle($lock, $deadline = $this->server->deadline());
        $next = 'rlock1:' . bin2hex(random_bytes(16)) . ':';
        try {
            $answer = $this->askExtend($lock, $lease, 'anew', $deadline, "$next:");
        } catch (ConnectionException $e) {
            unset($this->held[$key]);
            $this->server->owe($lock->names, $lock->token, $lock->baton);
            $this->server->owe($lock->names, $next, $lock->baton);
            throw $e;
        }
        $answer[2] !== -2 || throw $this->forfeit($lock, $answer[0]);
        unset($this->held[$key]);
        return self::passable($next, $lock->metadata);
    }

    #[\NoDiscard]
    public function adopt(string $key, #[\SensitiveParameter] string $token, ?float $ttl = null): bool
    {
        $this->server($key);
        $lease = $ttl === null ? 0 : $this->leaseFor($ttl);
        if (!preg_match('/^(rlock1:[0-9a-f]{32}:):(?::(.*))?$/sD', $token, $match)) {
            return false;
        }
        $lock = new Held($key, $this->prefix . $key, null);
        $sendings = new Sendings();
        try {
            $arguments = [$match[1], 0, $lease, Server::UNTIL, 'anew', $lock->value];
            $answer = $this->askFor($lock, $arguments, $this->server->deadline(), $sendings);
        } catch (ConnectionException $e) {
            $this->server->owe($lock->names, $lock->token, $lock->baton);
            throw $e;
        }
        if ($answer[2] === -2) {
            return false;
        }
        [$lock->metadata, $lock->fence] = [$match[2] ?? null, $answer[1]];
        $lock->safe = Held::safeUntil((int) $sendings->first, $answer[2]);
        $this->hold($lock);
        return true;
    }

    public function breakLock(string $key, ?int $fence = null): bool
    {
        $deadline = $this->server($key)->deadline();
        do {
            [$value, $left, $seen] = $this->inspect($key, $deadline);
            if ($left === -2 || ($fence !== null && $fence !== $seen)) {
                return false;
            }
            $lock = new Held($key, $this->prefix . $key, null);
            $sendings = new Sendings();
            $arguments = [$value ?? '', $seen ?? 0, $lock->baton, 0, Server::UNTIL];
            $answer = $this->server->ask('release', $lock->names, $arguments, $deadline, Answers::verdict(...), $sendings);
        } while ($answer !== 1 && $sendings->count === 1 && Clock::now() < $deadline);
        return $answer === 1 || $sendings->count > 1;
    }

    public function close(): void
    {
        try {
            $this->isClosed || $this->releaseAll();
        } finally {
            $this->server->hangUp();
            $this->isClosed = true;
        }
    }

    // What all calls begin with.

    private function server(string $key): Server
    {
        Arguments::checkKey($key);
        if (Names::isCompanion($this->prefix . $key)) {
            throw new ValueError('A key must not begin like those that belong to another lock');
        }
        if ($this->process !== getmypid()) {
            [$this->process, $this->parents, $this->held] = [getmypid(), $this->parents + $this->held, []];
            $this->server = new Server($this->address);
        }
        if (isset($this->parents[$key])) {
            throw new RLockException("The lock \"$key\" belongs to the process that forked this one", $key);
        }
        return $this->isClosed ? throw new RLockException('This RLock is closed', $key) : $this->server;
    }

    /** In ms. */
    private function leaseFor(?float $ttl): int
    {
        return $ttl === null ? $this->lease : self::milliseconds(Duration::ofLease($ttl));
    }

    private static function milliseconds(int $microseconds): int
    {
        return intdiv($microseconds, Duration::MILLISECOND);
    }

    private function hold(Held $lock): void
    {
        $this->held[$lock->key] = $lock;
        $this->losses->forget($lock->key);
    }

    // Requests.

    /** @return array{string|null, int, int|null, bool} value, ms left, fence, whether anybody waits */
    private function inspect(string $key, int $deadline): array
    {
        return $this->server->ask('inspect', Names::of($this->prefix . $key), [], $deadline, Answers::inspected(...));
    }

    /** @return array{int, int, int} code, fence, ms left; -2: it is not ours */
    private function askExtend(
        Held $lock,
        int $lease,
        string $how,
        int $deadline,
        ?string $value = null,
        Sendings $sendings = new Sendings(),
    ): array {
        $arguments = [$lock->token, $lock->fence, $lease, Server::UNTIL, $how, ...$value === null ? [] : [$value]];
        return $this->askFor($lock, $arguments, $deadline, $sendings);
    }

    /**
     * @param list<string|int|null> $arguments of extend
     * @return array{int, int, int}
     */
    private function askFor(Held $lock, array $arguments, int $deadline, Sendings $sendings): array
    {
        $keys = array_slice($lock->names, 0, 2);
        return $this->server->ask('extend', $keys, $arguments, $deadline, Answers::extended(...), $sendings);
    }

    /** A lease that is not shorter, or a new grant whose lease is. */
    private function extend(Held $lock, int $lease, string $how, bool $orAgain = false): void
    {
        $this->settle($lock, $deadline = $this->server->deadline());
        if ($how === 'anew') {
            $lock->pending = $lease;
            $lock->safe = min($lock->safe, Held::safeUntil(Clock::now(), $lease));
            $this->settle($lock, $deadline);
            return;
        }
        $answer = $this->askExtend($lock, $lease, $how, $deadline, sendings: $sendings = new Sendings());
        if ($answer[0] === 2 && $orAgain && !$lock->isSafe()) {
            $this->again($lock, $lease);
            return;
        }
        $answer[0] === 1 || throw $this->forfeit($lock, $answer[0]);
        $this->isGiven($lock, $answer, $sendings);
    }

    /** A shorter lease that is not answered yet is asked for again, before anything else. */
    private function settle(Held $lock, int $deadline): void
    {
        if ($lock->pending !== null) {
            $answer = $this->askExtend($lock, $lock->pending, 'anew', $deadline, sendings: $sendings = new Sendings());
            $lock->pending = null;
            $answer[2] !== -2 || throw $this->forfeit($lock, $answer[0]);
            $this->isGiven($lock, $answer, $sendings);
        }
    }

    /** @param array{int, int, int} $answer */
    private function isGiven(Held $lock, array $answer, Sendings $sendings): void
    {
        $lock->fence = $answer[1];
        $lock->safe = max($lock->safe, Held::safeUntil((int) $sendings->first, $answer[2]));
        if (!$lock->isSafe()) {
            $this->giveBack($lock, 0);
            throw $this->forfeit($lock, 2);
        }
    }

    /** A late lock: ours again, if nobody has had it since; and its holder is told of the gap. */
    private function again(Held $lock, int $lease): void
    {
        $this->settle($lock, $deadline = $this->server->deadline());
        $lateBy = $lock->lateBy();
        $answer = $this->askExtend($lock, $lease, 'again', $deadline, $lock->value, $sendings = new Sendings());
        $answer[2] !== -2 || throw $this->forfeit($lock, $answer[0]);
        $this->isGiven($lock, $answer, $sendings);
        if ($answer[0] === 2 || $sendings->count > 1) {
            throw new TimeoutException(
                "The lease of \"{$lock->key}\" had run out $lateBy s ago; nobody else has had the lock, and it is held again",
                $lock->key,
                $lateBy,
                held: true,
            );
        }
    }

    private function giveBack(Held $lock, int $delay): void
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
        $sendings = new Sendings();
        try {
            $arguments = [$lock->token, $fence, $lock->baton, $delay];
            $answer = $this->server->ask('release', $lock->names, $arguments, $deadline, Answers::verdict(...), $sendings);
        } catch (RLockException $e) {
            $this->server->owe($lock->names, $lock->token, $lock->baton, $delay);
            throw $e;
        }
        $wasInTime = $sendings->count > 1 && $sendings->first < $lock->safe;
        if (!$wasInTime && ($answer !== 1 || ($fence === 0 && !$lock->isSafe()))) {
            throw $this->forfeit($lock, $fence === 0 ? 3 : $answer);
        }
    }

    // Verdicts.

    /** It is not ours any more: what its holder is told. */
    private function forfeit(Held $lock, int $answer): TimeoutException
    {
        unset($this->held[$lock->key]);
        $lateBy = $lock->lateBy();
        $fate = $answer === 2 && !$lock->isSafe() ? Fate::RanOut : Fate::Lost;
        $this->losses->add($lock->key, $fate, $lateBy);
        return $fate === Fate::Lost ? $this->lost($lock->key, $lateBy) : new TimeoutException(
            "The lease of \"{$lock->key}\" ran out $lateBy s ago; nobody else has had the lock. "
                . 'Take it with a longer ttl, or prolongate it in time',
            $lock->key,
            $lateBy,
        );
    }

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
        $by = $holder === null ? '' : ": {$holder->owner} has it ({$holder->kind->value})";
        return new NotAcquiredException("The lock \"$key\" stayed busy for $wait s$by", $key, $holder);
    }

    /** What adopt() takes. */
    private static function passable(string $token, ?string $metadata): string
    {
        return "$token:" . ($metadata === null ? '' : ":$metadata");
    }
}
