<?php
/*
 * One call of the API: its arguments, good or bad, and the judgement of what it threw. What a method may throw is what
 * its docblock says; besides, any call may throw what an object's earlier, unconfirmed release came to, what the script's
 * own code throws meanwhile (Thrown), and, if there is an object with `interrupt`, its verdicts.
 */
declare(strict_types=1);

/* What handlers, strategies, closures and destructors of the sequence throw. */
final class Thrown extends Exception
{
}

final class Calls
{
    public const KEYS = ['a', 'b', 'c', 'c', '7', "\0\xff", '{tag}x', 'x}y'];
    private const NAMES = ['me', 'me', 'you', "\0\xff"]; // names that detached locks belong to
    private const NOT_KEYS = ['', [], null, 7, 1.5];
    private const NOT_TIMES = [-0.001, -1.0, NAN, -INF, 'soon', [], true];

    private const ANY = [RLock\TimeoutException::class, RLock\LostLockException::class, RLock\RLockException::class,
        RLock\ConnectionException::class, RLock\ServerException::class];
    private const MAY_THROW = [
        '__construct' => [RLock\RLockException::class],
        'detached' => [RLock\RLockException::class],
        'stats' => [RLock\RLockException::class],
        'totals' => [],
        'synchronized' => [RLock\NotAcquiredException::class, ...self::ANY],
    ];
    private const INTERRUPTS = [RLock\TimeoutException::class, RLock\LostLockException::class];
    private const REFUSALS = [ValueError::class, TypeError::class];

    /* [method, arguments, whether one of them is bad] */
    public static function random(Dice $dice, bool $short): array
    {
        $method = $dice->weigh(['getLock' => 30, 'getSharedLock' => 24, 'downgrade' => 5, 'sharers' => 4, 'releaseLock' => 16, 'getLocks' => 10, 'releaseAll' => 3, 'prolongate' => 6,
            'synchronized' => 10, 'isLocking' => 3, 'ttl' => 3, 'check' => 6, 'lease' => 4, 'holder' => 4, 'handOver' => 3, 'adopt' => 5,
            'breakLock' => 3, 'detached' => 10, 'requestLock' => 16, 'holders' => 2, 'stats' => 2, 'totals' => 1, 'close' => 2]);
        return self::with($method, self::good($method, $dice, $short), $dice);
    }

    /* The same for a detached lock. Nothing but its lease ends what is not released, so that is short. */
    public static function random_detached(Dice $dice): array
    {
        $method = $dice->weigh(['getLock' => 10, 'getSharedLock' => 8, 'downgrade' => 2, 'releaseLock' => 5, 'prolongate' => 4, 'isLocking' => 2, 'ttl' => 1, 'fence' => 1]);
        $arguments = match ($method) {
            'getLock' => [...self::good($method, $dice, true), 'ttl' => self::lease($dice, true), ...$dice->pick([[], [],
                ['autoRenew' => true], ['autoRenew' => true, 'maxHold' => 0.05]])],
            'getSharedLock' => [...self::good($method, $dice, true), 'ttl' => self::lease($dice, true)],
            'prolongate' => ['ttl' => self::lease($dice, true)],
            'releaseLock' => ['delayAfter' => $dice->chance(70) ? 0.0 : $dice->pick([0.001, 0.1])],
            default => [],
        };
        unset($arguments['key']);
        return self::with($method, $arguments, $dice);
    }

    /* And of a request. */
    public static function random_pending(Dice $dice): string
    {
        return $dice->weigh(['poll' => 10, 'stream' => 3, 'key' => 1, 'cancel' => 2]);
    }

    /* Now and then one of them is bad. */
    private static function with(string $method, array $arguments, Dice $dice): array
    {
        $bad = $arguments !== [] && $dice->chance(7);
        if ($bad) {
            $name = $dice->pick(array_keys($arguments));
            $arguments[$name] = self::bad($name, $dice);
        }
        return [$method, $arguments, $bad];
    }

    private static function good(string $method, Dice $dice, bool $short): array
    {
        $key = $dice->pick(self::KEYS);
        $wait = $dice->chance(60) ? 0.0 : $dice->pick([0.001, 0.02, 0.02, 0.05, 0.15, 0.4]);
        $ttl = $dice->chance($short ? 0 : 30) ? null : self::lease($dice, $short);
        $terms = fn () => ['key' => $key, 'wait' => $wait, 'ttl' => $ttl, 'policy' => $dice->roll(2),
            'metadata' => $dice->pick([null, '', "m\0m", str_repeat('m', 65536)])];
        return match ($method) {
            'getLock' => $terms(),
            'getSharedLock' => [...$terms(), 'limit' => $dice->pick([null, null, 1, 2, PHP_INT_MAX])],
            'releaseLock' => ['key' => $key, 'delayAfter' => $dice->chance(70) ? 0.0 : $dice->pick([0.001, 0.1]),
                'confirm' => $dice->chance(60)],
            'prolongate' => ['key' => $key, 'ttl' => $ttl],
            'getLocks' => ['keys' => self::keys($dice), 'wait' => $wait, 'ttl' => $ttl],
            'synchronized' => ['key' => $key, 'critical' => fn (RLock\Lease $lease) => Sequence::$it->critical($lease),
                'wait' => $wait, 'ttl' => $ttl, 'metadata' => $dice->pick([null, 'note'])],
            // Nobody may adopt it.
            'handOver' => ['key' => $key, 'ttl' => self::lease($dice, true)],
            'adopt' => ['key' => $key, 'token' => Sequence::$it->token($key), 'ttl' => $ttl],
            'breakLock' => ['key' => $key, 'fence' => $dice->pick([null, null, 1, Sequence::$it->fence($key)])],
            'detached' => ['key' => $key, 'name' => $dice->pick(self::NAMES)],
            'requestLock' => ['key' => $key, 'wait' => $dice->pick([INF, 0.0, 0.02, 0.4]), 'ttl' => $ttl,
                'metadata' => $dice->pick([null, '', 'note']), 'shared' => $dice->chance(20), 'limit' => $dice->pick([null, null, 1, 2])],
            'holders' => ['pattern' => $dice->pick(['*', '', 'a', '[', '\\', '{tag}?', "\0*"]), 'limit' => $dice->pick([1, 1000, PHP_INT_MAX])],
            'isLocking', 'ttl', 'check', 'lease', 'holder', 'sharers', 'downgrade' => ['key' => $key],
            default => [],
        };
    }

    /* Short: no longer than the end of a sequence is waited for. */
    public static function lease(Dice $dice, bool $short): float
    {
        return $dice->pick([0.01, 0.02, 0.1, 0.4, ...($short ? [] : [60.0, 300.0])]);
    }

    private static function keys(Dice $dice): array
    {
        $keys = [];
        for ($i = $dice->roll(6); $i > 0; $i--) {
            $keys[] = $dice->chance(20) ? $dice->roll(9) : $dice->pick(self::KEYS);
        }
        return $keys;
    }

    private static function bad(string $parameter, Dice $dice): mixed
    {
        return match ($parameter) {
            'key' => $dice->chance(20) ? str_repeat('k', (1 << 20) + 1) : $dice->pick(self::NOT_KEYS),
            'keys' => $dice->pick([[''], ['a', ''], [[]], [null], [1.5], ['a', new stdClass()], 'a', null, ['a', str_repeat('k', (1 << 20) + 1)]]),
            'wait', 'delayAfter' => $dice->pick([...self::NOT_TIMES, null]),
            'maxHold' => $dice->pick([...self::NOT_TIMES, INF]),
            'ttl' => $dice->pick([...self::NOT_TIMES, 0.0, 0.0009, 1e9 + 1, INF]),
            'policy' => $dice->pick([-1, 2, PHP_INT_MIN, 'wait', 0.0, null]),
            'metadata' => $dice->pick([str_repeat('m', 65537), 7, []]),
            'confirm', 'shared', 'autoRenew' => $dice->pick([0, 'no', null]),
            'critical' => $dice->pick(['no such function', null, [], 7]),
            'token' => $dice->pick([null, 7, []]),
            'name' => $dice->pick(['', str_repeat('n', 256), null, 7, []]),
            'limit' => $dice->pick([0, -1, PHP_INT_MIN, 1.5, 'one', []]),
            'pattern' => $dice->pick([null, 7, []]),
            'fence' => $dice->pick([0, -1, PHP_INT_MIN, 1.5, 'one', []]),
        };
    }

    /* Without an object: a new one. */
    public static function make(RLock|RLock\DetachedLock|RLock\Pending|null $lock, string $method, array $arguments, bool $bad): mixed
    {
        try {
            $result = $lock ? $lock->$method(...$arguments) : new RLock(...$arguments);
        } catch (Throwable $e) {
            self::judge($method, $e, $bad);
            return null;
        }
        if ($bad) {
            Sequence::$it->complain("$method() took a bad argument");
        }
        return $result;
    }

    private static function judge(string $method, Throwable $e, bool $bad): void
    {
        if (self::is_stray($e)) {
            return;
        }
        $may = $bad ? self::REFUSALS : self::MAY_THROW[$method] ?? self::ANY;
        if (!in_array($e::class, $may, true)) {
            Sequence::$it->complain("$method() threw" . ($bad ? ' for a bad argument' : ''), $e);
        }
    }

    /* What may be thrown anywhere, not only in a call. */
    public static function is_stray(Throwable $e): bool
    {
        return $e instanceof Thrown || Sequence::$it->interrupts && in_array($e::class, self::INTERRUPTS, true);
    }
}
