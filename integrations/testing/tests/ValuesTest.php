<?php

declare(strict_types=1);

namespace RLock\Testing\Tests;

use PHPUnit\Framework\TestCase;
use RLock\ConnectionException;
use RLock\Holder;
use RLock\Kind;
use RLock\Lease;
use RLock\LostLockException;
use RLock\NotAcquiredException;
use RLock\Retry;
use RLock\RetryStrategy;
use RLock\RLockException;
use RLock\ServerException;
use RLock\TimeoutException;

/** Values and exceptions do the same, whoever brings them. */
final class ValuesTest extends TestCase
{
    public function testLease(): void
    {
        $lease = new Lease(key: 'k', token: 'secret', fence: 7, depth: 2, ttl: 1.5, metadata: 'note', waited: 0.25);
        self::assertSame(
            ['k', 'secret', 7, 2, 1.5, 'note', 0.25],
            [$lease->key, $lease->token, $lease->fence, $lease->depth, $lease->ttl, $lease->metadata, $lease->waited],
        );
        ob_start();
        var_dump($lease);
        $dump = (string) ob_get_clean();
        self::assertStringContainsString('note', $dump);
        self::assertStringNotContainsString('secret', $dump);
        self::assertSame('secret', (clone $lease)->token);
        self::assertSame(0.0, (new Lease('k', 't'))->waited);
        self::assertSame([false, true], [$lease->shared, (new Lease('k', 't', shared: true))->shared]);
    }

    public function testHolder(): void
    {
        $holder = new Holder(key: 'k', owner: 'host:1', ttl: 1.5);
        self::assertSame(
            ['k', 'host:1', null, 1.5, null, false],
            [$holder->key, $holder->owner, $holder->fence, $holder->ttl, $holder->metadata, $holder->contended],
        );
        self::assertSame(Kind::Lease, $holder->kind);
        self::assertSame(Kind::Foreign, (new Holder('k', '', kind: Kind::Foreign))->kind);
        self::assertSame([false, true], [$holder->shared, (new Holder('k', '', shared: true))->shared]);
    }

    public function testExceptions(): void
    {
        $previous = new \LogicException();
        $holder = new Holder('k', '');
        $lost = new LostLockException('text', 'k', 1.5, true, null, $holder, $previous);
        self::assertSame(
            ['text', 'k', 1.5, true, $holder, $previous],
            [$lost->getMessage(), $lost->key, $lost->lateBy, $lost->held, $lost->holder, $lost->getPrevious()],
        );
        self::assertInstanceOf(TimeoutException::class, $lost);
        self::assertNull($lost->result);
        self::assertSame([1], (new TimeoutException(result: [1]))->result);
        self::assertSame('r', (new LostLockException(result: 'r'))->result);
        $busy = new NotAcquiredException(holder: $holder, previous: $previous);
        self::assertSame(['', null, $holder, $previous], [$busy->getMessage(), $busy->key, $busy->holder, $busy->getPrevious()]);
        self::assertSame('OOM', (new ServerException(error: 'OOM'))->error);
        self::assertInstanceOf(RLockException::class, new ConnectionException('text', 'k', $previous));
    }

    /** @return list<array{object}> */
    public static function all(): array
    {
        return [
            [new Lease('k', 't')],
            [new Holder('k', '')],
            [Retry::none()],
            [new RLockException()],
            [new TimeoutException()],
            [new LostLockException()],
            [new NotAcquiredException()],
            [new ConnectionException()],
            [new ServerException()],
        ];
    }

    /** @dataProvider all */
    public function testNothingSerializes(object $value): void
    {
        $this->expectException(\Exception::class);
        $this->expectExceptionMessage('is not allowed');
        serialize($value);
    }

    /** @return array<string, array{RetryStrategy, list<?float>}> what comes before tries 1, 2, 3 and 1000 */
    public static function strategies(): array
    {
        return [
            'none' => [Retry::none(), [null, null, null, null]],
            'limit of none' => [Retry::none()->limit(2), [null, null, null, null]],
            'linear' => [Retry::linear(0.25), [0.25, 0.25, 0.25, 0.25]],
            'linear 0' => [Retry::linear(0.0), [0.0, 0.0, 0.0, 0.0]],
            'limit' => [Retry::linear(0.5)->limit(2), [0.5, 0.5, null, null]],
            'limit of limit' => [Retry::linear(0.5)->limit(0)->limit(3), [0.5, 0.5, 0.5, null]],
            'exponential' => [Retry::exponential(0.003, 0.1), [0.003, 0.004, 0.008, 0.1]],
        ];
    }

    /**
     * @dataProvider strategies
     * @param list<?float> $expected
     */
    public function testBackoffs(RetryStrategy $retry, array $expected): void
    {
        self::assertSame($expected, array_map($retry->nextBackoff(...), [1, 2, 3, 1000]));
    }

    /** @return list<array{callable(): mixed}> */
    public static function refusals(): array
    {
        return [
            [fn () => Retry::linear(-1.0)],
            [fn () => Retry::linear(NAN)],
            [fn () => Retry::linear(INF)],
            [fn () => Retry::exponential(0.1, INF)],
            [fn () => Retry::exponential(0.2, 0.1)],
            [fn () => Retry::none()->limit(-1)],
            [fn () => Retry::none()->nextBackoff(0)],
        ];
    }

    /** @dataProvider refusals */
    public function testRefusals(callable $call): void
    {
        $this->expectException(\ValueError::class);
        $call();
    }
}
