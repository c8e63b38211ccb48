<?php

declare(strict_types=1);

namespace RLock\Testing\Tests;

use PHPUnit\Framework\TestCase;
use RLock\DetachedLock;
use RLock\Kind;
use RLock\Lease;
use RLock\Locker;
use RLock\LostLockException;
use RLock\NotAcquiredException;
use RLock\Pending;
use RLock\RLockException;
use RLock\TimeoutException;

/**
 * What every Locker promises. Runs against the one in memory and against the real one, so leases are short: time
 * really passes there.
 */
abstract class LockerContract extends TestCase
{
    /** An owner of its own; all of one test compete. */
    abstract protected function locker(): Locker;

    abstract protected function pass(float $seconds): void;

    /** Seconds that have passed since something. */
    abstract protected function now(): float;

    private Locker $ours;

    private Locker $theirs;

    protected function setUp(): void
    {
        $this->ours = $this->locker();
        $this->theirs = $this->locker();
    }

    /** Late ones are counted, so that the objects' end need not warn of them. */
    protected function tearDown(): void
    {
        $this->ours->releaseAll();
        $this->theirs->releaseAll();
    }

    /**
     * @template T of \Throwable
     * @param class-string<T> $class exactly
     * @return T
     */
    private function thrown(string $class, callable $call): \Throwable
    {
        try {
            $call();
        } catch (\Throwable $thrown) {
            self::assertSame($class, $thrown::class, $thrown->getMessage());
            return $thrown;
        }
        self::fail("$class was not thrown");
    }

    // Taking and giving back.

    public function testOneAtATime(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        self::assertFalse($this->theirs->getLock('key'));
        self::assertTrue($this->theirs->getLock('another key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->getLock('key'));
    }

    public function testWhatIsNotHeldIsNotReleased(): void
    {
        self::assertFalse($this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->getLock('key'));
        self::assertFalse($this->ours->releaseLock('key'));
        self::assertFalse($this->ours->prolongate('key'));
        self::assertTrue($this->theirs->isLocking('key'));
    }

    public function testLevels(): void
    {
        self::assertTrue($this->ours->getLock('key', metadata: 'outer'));
        self::assertTrue($this->ours->getLock('key', metadata: 'inner'));
        self::assertSame(2, $this->ours->lease('key')?->depth);
        self::assertSame('outer', $this->ours->lease('key')->metadata);
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertTrue($this->ours->isLocking('key'));
        self::assertSame(1, $this->ours->lease('key')->depth);
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertFalse($this->ours->isLocking('key'));
        self::assertFalse($this->ours->releaseLock('key'));
    }

    public function testAnotherLevelHasTheLongerLease(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 10.0));
        self::assertTrue($this->ours->getLock('key', ttl: 5.0));
        self::assertGreaterThan(9.0, $this->ours->ttl('key'));
        self::assertTrue($this->ours->getLock('key', ttl: 20.0));
        self::assertGreaterThan(19.0, $this->ours->ttl('key'));
    }

    public function testNumbersAsKeys(): void
    {
        self::assertTrue($this->ours->getLock('123'));
        self::assertSame('123', $this->ours->lease('123')?->key);
        self::assertFalse($this->theirs->getLock('123'));
        self::assertTrue($this->ours->getLocks([123]));
        self::assertSame(2, $this->ours->lease('123')->depth);
        self::assertTrue($this->ours->releaseAll());
    }

    public function testAnObjectThatIsGoneHoldsNothing(): void
    {
        $other = $this->locker();
        self::assertTrue($other->getLock('key'));
        unset($other);
        self::assertTrue($this->ours->getLock('key'));
    }

    public function testWhatReleaseAllGivesBack(): void
    {
        self::assertTrue($this->ours->getLock('a'));
        self::assertTrue($this->ours->getLock('a'));
        self::assertTrue($this->ours->getLock('b'));
        self::assertTrue($this->ours->releaseAll());
        self::assertTrue($this->theirs->getLocks(['a', 'b']));
        self::assertTrue($this->ours->releaseAll());
    }

    public function testReleaseAllCountsALateOne(): void
    {
        self::assertTrue($this->ours->getLock('a', ttl: 0.2));
        self::assertTrue($this->ours->getLock('b'));
        $this->pass(0.3);
        self::assertFalse($this->ours->releaseAll());
        self::assertFalse($this->ours->releaseLock('a'));
        self::assertTrue($this->theirs->getLock('b'));
        $this->thrown(TimeoutException::class, fn () => $this->ours->check('a'));
    }

    // Waiting.

    public function testAWaitOutlastsALease(): void
    {
        self::assertTrue($this->theirs->getLock('key', ttl: 0.3));
        $began = $this->now();
        self::assertTrue($this->ours->getLock('key', wait: 10.0));
        self::assertGreaterThan(0.0, $this->now() - $began);
        self::assertLessThan(5.0, $this->now() - $began);
    }

    public function testAWaitWithoutEnd(): void
    {
        self::assertTrue($this->theirs->getLock('key', ttl: 0.3));
        self::assertTrue($this->ours->getLock('key', wait: INF));
    }

    public function testAWaitThatIsTooShort(): void
    {
        self::assertTrue($this->theirs->getLock('key'));
        $began = $this->now();
        self::assertFalse($this->ours->getLock('key', wait: 0.1));
        self::assertGreaterThanOrEqual(0.1, $this->now() - $began);
    }

    public function testWhoWouldNotGetItInTimeMayGiveUpAtOnce(): void
    {
        self::assertTrue($this->theirs->getLock('key'));
        $began = $this->now();
        self::assertFalse($this->ours->getLock('key', wait: 10.0, policy: \RLock::POLICY_FAIL_FAST));
        self::assertLessThan(5.0, $this->now() - $began);
    }

    public function testFailFastStillWaitsForWhatWillBeFree(): void
    {
        self::assertTrue($this->theirs->getLock('key', ttl: 0.3));
        self::assertTrue($this->ours->getLock('key', wait: 10.0, policy: \RLock::POLICY_FAIL_FAST));
    }

    // Late and lost.

    public function testALateReleaseIsTold(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        $late = $this->thrown(TimeoutException::class, fn () => $this->ours->releaseLock('key'));
        self::assertSame('key', $late->key);
        self::assertGreaterThan(0.0, $late->lateBy);
        self::assertLessThan(5.0, $late->lateBy);
        self::assertFalse($late->held);
        self::assertFalse($this->ours->releaseLock('key'));
        self::assertNull($this->ours->lease('key'));
    }

    public function testALockThatAnotherHasIsLost(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertTrue($this->theirs->getLock('key', metadata: 'they'));
        $lost = $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        self::assertSame('key', $lost->key);
        self::assertSame('they', $lost->holder?->metadata);
        self::assertGreaterThan(0.0, $lost->lateBy);
        self::assertTrue($this->theirs->isLocking('key'));
    }

    public function testALockThatAnotherHasHadIsLost(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertTrue($this->theirs->getLock('key'));
        $this->theirs->releaseLock('key');
        $lost = $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        self::assertNull($lost->holder);
    }

    public function testALockThatWasBrokenIsLostWithinItsLease(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->theirs->breakLock('key'));
        $this->ours->check('key');
        self::assertFalse($this->ours->isLocking('key'));
        $lost = $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        self::assertSame(0.0, $lost->lateBy);
    }

    public function testALateLevelEndsAll(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.5));
        self::assertTrue($this->ours->getLock('key', ttl: 0.5));
        $this->pass(0.6);
        $this->thrown(TimeoutException::class, fn () => $this->ours->releaseLock('key'));
        self::assertFalse($this->ours->releaseLock('key'));
    }

    public function testToTakeALateLockAgainIsToldAsWell(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        $this->thrown(TimeoutException::class, fn () => $this->ours->getLock('key'));
        self::assertNull($this->ours->lease('key'));
        self::assertTrue($this->ours->getLock('key'));
        self::assertSame(1, $this->ours->lease('key')?->depth);
    }

    public function testCheckGoesOnUntilTheKeyIsTakenAnew(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.5));
        $this->ours->check('key');
        $this->pass(0.6);
        $this->thrown(TimeoutException::class, fn () => $this->ours->check('key'));
        $this->thrown(TimeoutException::class, fn () => $this->ours->check('key'));
        self::assertFalse($this->ours->releaseLock('key'));
        $this->thrown(TimeoutException::class, fn () => $this->ours->check('key'));
        self::assertTrue($this->ours->getLock('key'));
        $this->ours->check('key');
        $this->ours->releaseLock('key');
        $this->thrown(RLockException::class, fn () => $this->ours->check('key'));
    }

    public function testCheckRemembersALoss(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertTrue($this->theirs->getLock('key'));
        $this->thrown(LostLockException::class, fn () => $this->ours->check('key'));
        $this->theirs->releaseLock('key');
        $this->thrown(LostLockException::class, fn () => $this->ours->check('key'));
    }

    public function testCheckOfWhatIsNotHeld(): void
    {
        $told = $this->thrown(RLockException::class, fn () => $this->ours->check('key'));
        self::assertSame('key', $told->key);
        self::assertTrue($this->ours->getLock('key'));
        $this->ours->releaseLock('key');
        $this->thrown(RLockException::class, fn () => $this->ours->check('key'));
    }

    public function testAThousandLossesAreRemembered(): void
    {
        $keys = array_map(fn (int $i): string => "key $i", range(0, 1000));
        self::assertTrue($this->ours->getLocks($keys, ttl: 60.0));
        foreach ($keys as $key) {
            $this->theirs->breakLock($key);
            $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock($key));
        }
        $this->thrown(RLockException::class, fn () => $this->ours->check('key 0'));
        $this->thrown(LostLockException::class, fn () => $this->ours->check('key 1'));
    }

    // Prolonging.

    public function testProlonging(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 1.0));
        $fence = $this->ours->lease('key')?->fence;
        self::assertTrue($this->ours->prolongate('key', 10.0));
        self::assertGreaterThan(9.0, $this->ours->ttl('key'));
        self::assertSame($fence, $this->ours->lease('key')?->fence);
        self::assertTrue($this->ours->prolongate('key', 2.0));
        self::assertLessThanOrEqual(2.0, $this->ours->ttl('key'));
        self::assertGreaterThan($fence, $this->ours->lease('key')?->fence); // shorter: a new grant
        self::assertSame($this->ours->holder('key')?->fence, $this->ours->lease('key')?->fence);
        self::assertTrue($this->ours->prolongate('key'));
        self::assertGreaterThan(29.0, $this->ours->ttl('key'));
    }

    public function testProlongingTooLateTellsOfTheGap(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $fence = $this->ours->lease('key')?->fence;
        $this->pass(0.3);
        $late = $this->thrown(TimeoutException::class, fn () => $this->ours->prolongate('key', 10.0));
        self::assertTrue($late->held);
        self::assertGreaterThan(0.0, $late->lateBy);
        self::assertTrue($this->ours->isLocking('key'));
        self::assertSame($fence, $this->ours->lease('key')?->fence);
        self::assertTrue($this->ours->releaseLock('key'));
    }

    public function testWhatIsLostIsNotProlonged(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertTrue($this->theirs->getLock('key'));
        $lost = $this->thrown(LostLockException::class, fn () => $this->ours->prolongate('key'));
        self::assertFalse($lost->held);
        self::assertFalse($this->ours->prolongate('key'));
        self::assertTrue($this->theirs->isLocking('key'));
    }

    // After the release.

    public function testADelayKeepsEverybodyOut(): void
    {
        self::assertTrue($this->ours->getLock('key', metadata: 'ours'));
        self::assertTrue($this->ours->releaseLock('key', delayAfter: 0.2));
        self::assertFalse($this->ours->getLock('key'));
        self::assertFalse($this->theirs->getLock('key'));
        self::assertSame(Kind::Cooldown, $this->theirs->holder('key')?->kind);
        self::assertFalse($this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->getLock('key', wait: 10.0));
    }

    public function testADelayCountsAtTheLastLevel(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->ours->releaseLock('key', delayAfter: 10.0));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->getLock('key'));
    }

    public function testALateReleaseDelaysNothing(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        $this->thrown(TimeoutException::class, fn () => $this->ours->releaseLock('key', delayAfter: 10.0));
        self::assertTrue($this->theirs->getLock('key'));
    }

    public function testADelayCanBeBroken(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        $this->ours->releaseLock('key', delayAfter: 10.0);
        self::assertTrue($this->theirs->breakLock('key'));
        self::assertFalse($this->theirs->breakLock('key'));
        self::assertTrue($this->theirs->getLock('key'));
    }

    public function testAnUnconfirmedRelease(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->ours->releaseLock('key', confirm: false));
        self::assertFalse($this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->getLock('key', wait: 10.0));
    }

    public function testWhatBecameOfAnUnconfirmedReleaseIsForgotten(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        $this->theirs->breakLock('key');
        self::assertTrue($this->ours->releaseLock('key', confirm: false));
        $this->pass(0.3);
        self::assertTrue($this->ours->getLock('another key'));
        self::assertFalse($this->ours->releaseLock('key'));
        self::assertTrue($this->ours->releaseAll());
    }

    public function testALateReleaseIsToldAtOnceThoughUnconfirmed(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        $this->thrown(TimeoutException::class, fn () => $this->ours->releaseLock('key', confirm: false));
    }

    // Several at once.

    public function testAllOrNone(): void
    {
        self::assertTrue($this->theirs->getLock('b'));
        self::assertTrue($this->ours->getLock('a'));
        self::assertFalse($this->ours->getLocks(['c', 'a', 'b']));
        self::assertSame(1, $this->ours->lease('a')?->depth);
        self::assertNull($this->ours->lease('b'));
        self::assertNull($this->ours->lease('c'));
        self::assertTrue($this->theirs->getLock('c'));
        $this->theirs->releaseAll();
        self::assertTrue($this->ours->getLocks(['c', 'a', 'b']));
        self::assertSame(2, $this->ours->lease('a')->depth);
    }

    public function testAllOrNoneLeavesSharesAsTheyWere(): void
    {
        self::assertTrue($this->ours->getSharedLock('a'));
        self::assertTrue($this->theirs->getLock('m'));
        self::assertFalse($this->ours->getLocks(['a', 'm']));
        self::assertSame([true, 1], [$this->ours->lease('a')?->shared, $this->ours->lease('a')?->depth]);
        self::assertTrue($this->theirs->getSharedLock('a'));
        self::assertTrue($this->theirs->releaseAll());
        self::assertTrue($this->ours->getLocks(['a', 'm']));
        self::assertSame([false, 2], [$this->ours->lease('a')?->shared, $this->ours->lease('a')?->depth]);
        self::assertTrue($this->theirs->getLock('z'));
        self::assertFalse($this->ours->getLocks(['a', 'z']));
        self::assertSame([false, 2], [$this->ours->lease('a')?->shared, $this->ours->lease('a')?->depth]);
    }

    public function testDuplicatesCountOnceAndNothingIsEasy(): void
    {
        self::assertTrue($this->ours->getLocks(['a', 'a', '7', 7]));
        self::assertSame(1, $this->ours->lease('a')?->depth);
        self::assertSame(1, $this->ours->lease('7')?->depth);
        self::assertTrue($this->ours->getLocks([]));
    }

    public function testNothingIsHeldWhileABusyOneIsWaitedFor(): void
    {
        self::assertTrue($this->theirs->getLock('b', ttl: 1.5));
        self::assertTrue($this->ours->getLocks(['a', 'b'], wait: 10.0, ttl: 1.0));
        self::assertTrue($this->ours->isLocking('a'));
        self::assertGreaterThan(0.5, $this->ours->ttl('a'));
        self::assertTrue($this->ours->releaseAll());
    }

    public function testALateOneAmongSeveralIsTold(): void
    {
        self::assertTrue($this->ours->getLock('b', ttl: 0.2));
        $this->pass(0.3);
        $late = $this->thrown(TimeoutException::class, fn () => $this->ours->getLocks(['a', 'b']));
        self::assertSame('b', $late->key);
        self::assertTrue($this->theirs->getLocks(['a', 'b']));
    }

    // Around a piece of code.

    public function testSynchronized(): void
    {
        $result = $this->ours->synchronized('key', function (Lease $lease): string {
            self::assertSame('key', $lease->key);
            self::assertFalse($this->theirs->getLock('key'));
            return 'done';
        });
        self::assertSame('done', $result);
        self::assertTrue($this->theirs->getLock('key'));
    }

    public function testSynchronizedGivesBackWhateverHappens(): void
    {
        $this->thrown(\DomainException::class, fn () => $this->ours->synchronized(
            'key',
            fn () => throw new \DomainException('its own'),
        ));
        self::assertTrue($this->theirs->getLock('key'));
    }

    public function testSynchronizedWithoutTheLock(): void
    {
        self::assertTrue($this->theirs->getLock('key', metadata: 'they'));
        $busy = $this->thrown(NotAcquiredException::class, fn () => $this->ours->synchronized(
            'key',
            fn () => self::fail('it was called'),
        ));
        self::assertSame('key', $busy->key);
        self::assertSame('they', $busy->holder?->metadata);
        $us = preg_quote(gethostname() . ':' . getmypid(), '/');
        self::assertMatchesRegularExpression(
            "/^The lock \"key\" is busy: this very process, $us \\(\"they\"\\), holds it for another \\d+\\.\\d{3} s$/",
            $busy->getMessage(),
        );
    }

    public function testSynchronizedWithMetadata(): void
    {
        $look = fn (Lease $lease): array => [$lease->metadata, $this->theirs->holder('key')?->metadata];
        self::assertSame(['note', 'note'], $this->ours->synchronized('key', $look, metadata: 'note'));
        self::assertSame([null, null], $this->ours->synchronized('key', $look));
    }

    /** Its body would run without the lock. */
    public function testSynchronizedRefusesAGenerator(): void
    {
        $generator = function (): \Generator {
            yield self::fail('it ran');
        };
        $this->thrown(\TypeError::class, fn () => $this->ours->synchronized('key', $generator));
        $this->thrown(\TypeError::class, fn () => $this->ours->synchronized('key', fn () => $generator()));
        self::assertNull($this->ours->lease('key'));
    }

    public function testTheResultOfSynchronizedThatWasTooLate(): void
    {
        $late = $this->thrown(TimeoutException::class, fn () => $this->ours->synchronized('key', function (): array {
            $this->pass(0.3);
            return ['done'];
        }, ttl: 0.2));
        self::assertSame(['done'], $late->result);
        $lost = $this->thrown(LostLockException::class, fn () => $this->ours->synchronized('key', function (): string {
            $this->theirs->breakLock('key');
            return 'done';
        }));
        self::assertSame('done', $lost->result);
        self::assertTrue($this->ours->getLock('key'));
        $this->theirs->breakLock('key');
        self::assertNull($this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'))->result);
    }

    public function testSynchronizedTooLate(): void
    {
        $cause = new \DomainException('its own');
        $late = $this->thrown(TimeoutException::class, fn () => $this->ours->synchronized(
            'key',
            function () use ($cause): void {
                $this->pass(0.3);
                throw $cause;
            },
            ttl: 0.2,
        ));
        self::assertSame($cause, $late->getPrevious());
        self::assertNull($late->result);
    }

    public function testSynchronizedThatGivesBackItself(): void
    {
        self::assertSame(1, $this->ours->synchronized('key', function (): int {
            $this->ours->releaseAll();
            return 1;
        }));
    }

    // Looking.

    public function testWhatALeaseSays(): void
    {
        self::assertNull($this->ours->lease('key'));
        self::assertTrue($this->ours->getLock('key', ttl: 10.0, metadata: 'note'));
        $lease = $this->ours->lease('key');
        self::assertNotNull($lease);
        self::assertSame(['key', 1, 'note'], [$lease->key, $lease->depth, $lease->metadata]);
        self::assertGreaterThan(9.0, $lease->ttl);
        self::assertLessThanOrEqual(10.0, $lease->ttl);
        self::assertIsInt($lease->fence);
        self::assertNotSame('', $lease->token);
        self::assertNull($this->theirs->lease('key'));
    }

    public function testTheLeaseOfALateLock(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertSame(0.0, $this->ours->lease('key')?->ttl);
        self::assertSame(0.0, $this->ours->ttl('key'));
        self::assertFalse($this->ours->isLocking('key'));
        $this->thrown(TimeoutException::class, fn () => $this->ours->releaseLock('key'));
    }

    public function testWhatAHolderSays(): void
    {
        self::assertNull($this->ours->holder('key'));
        self::assertTrue($this->ours->getLock('key', ttl: 10.0, metadata: 'note'));
        $holder = $this->theirs->holder('key');
        self::assertNotNull($holder);
        self::assertSame(['key', 'note'], [$holder->key, $holder->metadata]);
        self::assertSame(gethostname() . ':' . getmypid(), $holder->owner);
        self::assertSame($this->ours->lease('key')?->fence, $holder->fence);
        self::assertGreaterThan(9.0, $holder->ttl);
        self::assertFalse($holder->contended);
        self::assertSame(Kind::Lease, $holder->kind);
    }

    public function testADelayTellsWhoItWas(): void
    {
        self::assertTrue($this->ours->getLock('key', metadata: 'note'));
        $fence = $this->ours->lease('key')?->fence;
        $this->ours->releaseLock('key', delayAfter: 10.0);
        $holder = $this->theirs->holder('key');
        self::assertSame(
            [Kind::Cooldown, gethostname() . ':' . getmypid(), 'note', $fence],
            [$holder?->kind, $holder?->owner, $holder?->metadata, $holder?->fence],
        );
    }

    public function testWaited(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        self::assertLessThan(0.2, $this->ours->lease('key')?->waited);
        self::assertTrue($this->ours->getLock('key'));
        $this->ours->releaseLock('key');
        $this->ours->releaseLock('key', delayAfter: 0.4);
        self::assertTrue($this->theirs->getLock('key', wait: 10.0));
        self::assertEqualsWithDelta(0.4, $this->theirs->lease('key')?->waited, 0.2);
    }

    public function testWhoHoldsWhat(): void
    {
        self::assertSame([], $this->ours->holders());
        self::assertTrue($this->ours->getLock('order:1', ttl: 10.0, metadata: 'note'));
        self::assertTrue($this->theirs->getLock('order:22'));
        self::assertTrue($this->theirs->getLock('17'));
        self::assertTrue($this->theirs->getLock('ended'));
        $this->theirs->releaseLock('ended');
        $holders = $this->ours->holders();
        ksort($holders, SORT_STRING);
        self::assertSame([17, 'order:1', 'order:22'], array_keys($holders));
        self::assertSame('17', $holders['17']->key);
        self::assertSame('note', $holders['order:1']->metadata);
        self::assertSame($this->ours->lease('order:1')?->fence, $holders['order:1']->fence);
        self::assertCount(2, $this->ours->holders(limit: 2));
    }

    /**
     * @dataProvider patterns
     * @param list<string> $matching
     */
    public function testPatterns(string $pattern, array $matching): void
    {
        foreach (['a', 'ab', 'b', '^', 'a*', 'a[b]', "\n", 'a-c', '-', '\\'] as $key) {
            self::assertTrue($this->theirs->getLock($key));
        }
        $found = array_map(strval(...), array_keys($this->ours->holders($pattern)));
        sort($found);
        sort($matching);
        self::assertSame($matching, $found);
    }

    /** @return array<array{string, list<string>}> */
    public static function patterns(): array
    {
        return [
            ['a', ['a']],
            ['a*', ['a', 'ab', 'a*', 'a[b]', 'a-c']],
            ['**b*', ['ab', 'b', 'a[b]']],
            ['?', ['a', 'b', '^', "\n", '-', '\\']],
            ['a\\*', ['a*']],
            ['[ab]', ['a', 'b']],
            ['[a-c]', ['a', 'b']],
            ['[c-a]', ['a', 'b']],
            ['[^a-c]', ['^', "\n", '-', '\\']],
            ['[a^]', ['a', '^']],
            ['[\\-a]', ['-', 'a']],
            ['a\\[b]', ['a[b]']],
            ['a[*', ['a*']],
            ['[]', []],
            ['\\\\', ['\\']],
            ['', []],
        ];
    }

    public function testTtl(): void
    {
        self::assertSame(0.0, $this->ours->ttl('key'));
        self::assertTrue($this->theirs->getLock('key', ttl: 10.0));
        self::assertSame(0.0, $this->ours->ttl('key'));
        self::assertGreaterThan(9.0, $this->theirs->ttl('key'));
    }

    public function testFencesRise(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        $first = $this->ours->lease('key')?->fence;
        self::assertTrue($this->ours->getLock('key'));
        $this->ours->prolongate('key', 60.0);
        self::assertSame($first, $this->ours->lease('key')?->fence);
        $this->ours->releaseAll();
        self::assertTrue($this->theirs->getLock('key'));
        self::assertGreaterThan($first, $this->theirs->lease('key')?->fence);
    }

    // Giving away and taking over.

    public function testHandOver(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 10.0, metadata: 'note'));
        self::assertTrue($this->ours->getLock('key'));
        $lease = $this->ours->lease('key');
        $token = $this->ours->handOver('key');
        self::assertNull($this->ours->lease('key'));
        self::assertFalse($this->ours->releaseLock('key'));
        $this->thrown(RLockException::class, fn () => $this->ours->check('key'));
        self::assertFalse($this->ours->getLock('key'));

        $inFlight = $this->ours->holder('key');
        self::assertSame(['', 'note'], [$inFlight?->owner, $inFlight?->metadata]);
        self::assertGreaterThan($lease?->fence, $inFlight?->fence);
        self::assertSame(Kind::HandOver, $inFlight?->kind);

        self::assertTrue($this->theirs->adopt('key', $token));
        $adopted = $this->theirs->lease('key');
        self::assertSame(['note', 1], [$adopted?->metadata, $adopted?->depth]);
        self::assertGreaterThan($inFlight?->fence, $adopted?->fence);
        self::assertGreaterThan(9.0, $this->theirs->ttl('key'));
        self::assertFalse($this->ours->adopt('key', $token));
        self::assertTrue($this->theirs->releaseLock('key'));
    }

    public function testHandOverWithANewLease(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 10.0));
        $token = $this->ours->handOver('key', ttl: 20.0);
        self::assertGreaterThan(19.0, $this->ours->holder('key')?->ttl);
        self::assertTrue($this->theirs->adopt('key', $token, ttl: 5.0));
        self::assertLessThanOrEqual(5.0, $this->theirs->ttl('key'));
    }

    public function testHandOverOfWhatIsNotHeldOrLate(): void
    {
        $this->thrown(RLockException::class, fn () => $this->ours->handOver('key'));
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        $this->thrown(TimeoutException::class, fn () => $this->ours->handOver('key'));
        self::assertNull($this->ours->lease('key'));
    }

    public function testWhatIsNotAdoptedEndsWithItsLease(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        $token = $this->ours->handOver('key', ttl: 0.2);
        $this->pass(0.3);
        self::assertFalse($this->theirs->adopt('key', $token));
        self::assertTrue($this->theirs->getLock('key'));
    }

    public function testToAdoptALeaseRobsItsHolder(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->theirs->adopt('key', $this->ours->lease('key')->token ?? ''));
        self::assertGreaterThan($this->ours->lease('key')?->fence, $this->theirs->lease('key')?->fence);
        $this->ours->check('key');
        $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->isLocking('key'));
    }

    public function testToAdoptOnesOwn(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->ours->adopt('key', $this->ours->lease('key')->token ?? ''));
        self::assertSame(1, $this->ours->lease('key')?->depth);
        self::assertTrue($this->ours->releaseLock('key'));
    }

    public function testAWrongTokenOpensNothing(): void
    {
        self::assertFalse($this->theirs->adopt('key', 'wrong'));
        self::assertTrue($this->ours->getLock('key'));
        self::assertFalse($this->theirs->adopt('key', 'wrong'));
        self::assertFalse($this->theirs->adopt('key', ''));
        $this->ours->releaseLock('key', delayAfter: 10.0);
        self::assertFalse($this->theirs->adopt('key', ''));
    }

    public function testToBreakWhatIsFree(): void
    {
        self::assertFalse($this->ours->breakLock('key'));
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->theirs->breakLock('key'));
        self::assertTrue($this->theirs->getLock('key'));
        $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->isLocking('key'));
    }

    public function testToBreakOneGrant(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        $fence = $this->theirs->holder('key')?->fence;
        self::assertFalse($this->theirs->breakLock('key', $fence + 1));
        self::assertTrue($this->ours->isLocking('key'));
        self::assertTrue($this->theirs->breakLock('key', $fence));
        $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        self::assertTrue($this->ours->getLock('key'));
        self::assertFalse($this->theirs->breakLock('key', $fence));
        $fence = $this->ours->lease('key')?->fence;
        $this->ours->releaseLock('key', delayAfter: 10.0);
        self::assertTrue($this->theirs->breakLock('key', $fence));
        self::assertFalse($this->theirs->breakLock('key', $fence));
    }

    public function testAHandOverCanBeBroken(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        $token = $this->ours->handOver('key');
        self::assertTrue($this->theirs->breakLock('key'));
        self::assertFalse($this->theirs->adopt('key', $token));
    }

    // Shares.

    public function testSharesBesideEachOther(): void
    {
        $third = $this->locker();
        self::assertTrue($this->ours->getSharedLock('key', metadata: 'note'));
        self::assertTrue($this->theirs->getSharedLock('key'));
        self::assertFalse($third->getLock('key'));
        self::assertTrue($this->ours->isLocking('key'));
        self::assertTrue($this->theirs->isLocking('key'));
        self::assertFalse($third->isLocking('key'));
        $lease = $this->ours->lease('key');
        self::assertSame([true, 1, 'note'], [$lease?->shared, $lease?->depth, $lease?->metadata]);
        self::assertGreaterThan($lease?->fence, $this->theirs->lease('key')?->fence);

        self::assertTrue($this->ours->releaseLock('key'));
        self::assertFalse($this->ours->releaseLock('key'));
        self::assertFalse($third->getLock('key'));
        self::assertTrue($this->theirs->releaseLock('key'));
        self::assertTrue($third->getLock('key'));
        self::assertFalse($third->lease('key')?->shared);
        self::assertFalse($this->ours->getSharedLock('key'));
        self::assertTrue($third->releaseLock('key'));
        self::assertTrue($this->ours->getSharedLock('key'));
    }

    public function testALimitOfShares(): void
    {
        $third = $this->locker();
        self::assertTrue($this->ours->getSharedLock('key', limit: 2));
        self::assertTrue($this->theirs->getSharedLock('key', limit: 2));
        self::assertFalse($third->getSharedLock('key', limit: 2));
        self::assertTrue($third->getSharedLock('key', limit: 3));
        self::assertTrue($third->releaseLock('key'));
        self::assertTrue($third->getSharedLock('key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertFalse($this->ours->getSharedLock('key', limit: 2));
        self::assertTrue($third->releaseLock('key'));
        self::assertTrue($this->ours->getSharedLock('key', limit: 2));
        self::assertTrue($this->ours->getSharedLock('key', limit: 1)); // another level of its own
    }

    public function testALimitIsWaitedFor(): void
    {
        $third = $this->locker();
        self::assertTrue($this->theirs->getSharedLock('key', ttl: 0.3));
        self::assertTrue($third->getSharedLock('key', ttl: 20.0));
        self::assertFalse($this->ours->getSharedLock('key', limit: 1, wait: 10.0, policy: \RLock::POLICY_FAIL_FAST));
        self::assertTrue($this->ours->getSharedLock('key', limit: 2, wait: 10.0, policy: \RLock::POLICY_FAIL_FAST));
        self::assertCount(2, $this->ours->sharers('key'));
        self::assertFalse($this->theirs->releaseAll());
    }

    public function testAnExclusiveLockWaitsForTheLastShare(): void
    {
        self::assertTrue($this->theirs->getSharedLock('key', ttl: 0.5));
        self::assertTrue($this->ours->getLock('key', wait: 10.0));
        $this->thrown(LostLockException::class, fn () => $this->theirs->releaseLock('key'));
        self::assertFalse($this->theirs->getSharedLock('key', wait: 0.1));
    }

    public function testAShareWithinAShare(): void
    {
        self::assertTrue($this->ours->getSharedLock('key', ttl: 10.0, metadata: 'outer'));
        self::assertTrue($this->ours->getSharedLock('key', ttl: 20.0, metadata: 'inner'));
        self::assertGreaterThan(19.0, $this->ours->ttl('key'));
        self::assertTrue($this->ours->getSharedLock('key', ttl: 5.0));
        self::assertGreaterThan(19.0, $this->ours->ttl('key'));
        self::assertSame([3, 'outer'], [$this->ours->lease('key')?->depth, $this->ours->lease('key')?->metadata]);
        self::assertCount(1, $this->theirs->sharers('key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertFalse($this->theirs->getLock('key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->getLock('key'));
    }

    public function testAShareWithinAnExclusiveLock(): void
    {
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->ours->getSharedLock('key', limit: 1));
        self::assertSame([2, false], [$this->ours->lease('key')?->depth, $this->ours->lease('key')?->shared]);
        self::assertFalse($this->theirs->getSharedLock('key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertFalse($this->theirs->getSharedLock('key'));
    }

    public function testTheOnlyShareBecomesExclusive(): void
    {
        self::assertTrue($this->ours->getSharedLock('key', ttl: 10.0, metadata: 'note'));
        $fence = $this->ours->lease('key')?->fence;
        self::assertTrue($this->ours->getLock('key', ttl: 20.0));
        $lease = $this->ours->lease('key');
        self::assertSame([2, false, 'note'], [$lease?->depth, $lease?->shared, $lease?->metadata]);
        self::assertGreaterThan($fence, $lease?->fence);
        self::assertGreaterThan(19.0, $this->ours->ttl('key'));
        self::assertFalse($this->theirs->getSharedLock('key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertFalse($this->theirs->getSharedLock('key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->getSharedLock('key'));
    }

    public function testAShareBesideOthersStaysOneAtOnce(): void
    {
        self::assertTrue($this->ours->getSharedLock('key'));
        self::assertTrue($this->theirs->getSharedLock('key'));
        $fence = $this->theirs->lease('key')?->fence;
        $began = $this->now();
        self::assertFalse($this->ours->getLock('key', wait: 30.0));
        self::assertLessThan(15.0, $this->now() - $began);
        self::assertSame([1, true], [$this->ours->lease('key')?->depth, $this->ours->lease('key')?->shared]);
        self::assertGreaterThan($fence, $this->ours->lease('key')?->fence); // so that no late request upgrades it
        self::assertTrue($this->theirs->releaseLock('key'));
        self::assertTrue($this->ours->getLock('key'));
    }

    public function testADowngrade(): void
    {
        self::assertFalse($this->ours->downgrade('key'));
        self::assertTrue($this->ours->getLock('key', ttl: 10.0, metadata: 'note'));
        self::assertTrue($this->ours->getLock('key'));
        $before = $this->ours->lease('key');
        self::assertFalse($this->theirs->downgrade('key'));
        self::assertTrue($this->ours->downgrade('key'));
        $after = $this->ours->lease('key');
        self::assertSame(
            [true, 2, $before?->fence, 'note'],
            [$after?->shared, $after?->depth, $after?->fence, $after?->metadata],
        );
        self::assertFalse($this->ours->downgrade('key'));
        self::assertTrue($this->theirs->getSharedLock('key'));
        self::assertFalse($this->locker()->getLock('key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertTrue($this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->getLock('key'));
    }

    public function testALateDowngrade(): void
    {
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        $this->thrown(TimeoutException::class, fn () => $this->ours->downgrade('key'));
        self::assertFalse($this->ours->downgrade('key'));
        self::assertTrue($this->ours->getLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertTrue($this->theirs->getSharedLock('key'));
        $this->thrown(LostLockException::class, fn () => $this->ours->downgrade('key'));
    }

    public function testALateShareThatNobodyHadExclusively(): void
    {
        self::assertTrue($this->ours->getSharedLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertTrue($this->theirs->getSharedLock('key'));
        $late = $this->thrown(TimeoutException::class, fn () => $this->ours->releaseLock('key'));
        self::assertSame('key', $late->key);
        self::assertGreaterThan(0.0, $late->lateBy);
        self::assertFalse($this->ours->releaseLock('key'));
        $this->thrown(TimeoutException::class, fn () => $this->ours->check('key'));
        self::assertTrue($this->theirs->isLocking('key'));
    }

    public function testALateShareThatAnotherHadExclusively(): void
    {
        self::assertTrue($this->ours->getSharedLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertTrue($this->theirs->getLock('key'));
        self::assertTrue($this->theirs->releaseLock('key'));
        self::assertTrue($this->theirs->getSharedLock('key'));
        $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->isLocking('key'));
    }

    public function testALateShareThatAnotherUpgraded(): void
    {
        self::assertTrue($this->theirs->getSharedLock('key'));
        self::assertTrue($this->ours->getSharedLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertTrue($this->theirs->getLock('key'));
        self::assertTrue($this->theirs->downgrade('key'));
        $this->thrown(LostLockException::class, fn () => $this->ours->prolongate('key'));
    }

    public function testAShareIsProlonged(): void
    {
        self::assertTrue($this->ours->getSharedLock('key', ttl: 10.0));
        self::assertTrue($this->theirs->getSharedLock('key', ttl: 5.0));
        self::assertTrue($this->ours->prolongate('key', 2.0));
        self::assertLessThanOrEqual(2.0, $this->ours->ttl('key'));
        self::assertGreaterThan(4.0, $this->theirs->ttl('key'));
        self::assertTrue($this->ours->prolongate('key', 60.0));
        self::assertGreaterThan(59.0, $this->ours->ttl('key'));
        $this->ours->check('key');
    }

    public function testALateShareIsProlongedWithinItsLimit(): void
    {
        self::assertTrue($this->ours->getSharedLock('key', ttl: 0.2, limit: 1));
        $this->pass(0.3);
        self::assertTrue($this->thrown(TimeoutException::class, fn () => $this->ours->prolongate('key', 0.2))->held);
        self::assertFalse($this->theirs->getSharedLock('key', limit: 1));
        $this->pass(0.3);
        self::assertTrue($this->theirs->getSharedLock('key', limit: 1));
        self::assertFalse($this->thrown(TimeoutException::class, fn () => $this->ours->prolongate('key'))->held);
        self::assertCount(1, $this->theirs->sharers('key'));
    }

    public function testADelayAfterAShareLetsNobodyIn(): void
    {
        self::assertTrue($this->theirs->getSharedLock('key', ttl: 20.0));
        self::assertTrue($this->ours->getSharedLock('key', metadata: 'note'));
        $fence = $this->ours->lease('key')?->fence;
        self::assertTrue($this->ours->releaseLock('key', delayAfter: 0.8));
        self::assertTrue($this->theirs->isLocking('key'));
        self::assertFalse($this->ours->getSharedLock('key'));
        self::assertFalse($this->theirs->getLock('key'));
        self::assertTrue($this->theirs->getSharedLock('key'));
        self::assertTrue($this->theirs->releaseAll());
        $holder = $this->theirs->holder('key');
        self::assertSame(
            [Kind::Cooldown, 'note', $fence, false],
            [$holder?->kind, $holder?->metadata, $holder?->fence, $holder?->shared],
        );
        self::assertFalse($this->theirs->getSharedLock('key'));
        self::assertTrue($this->ours->getSharedLock('key', wait: 10.0));
    }

    public function testWhoShares(): void
    {
        self::assertSame([], $this->ours->sharers('key'));
        self::assertTrue($this->ours->getLock('key', metadata: 'alone'));
        [$holder] = $this->theirs->sharers('key');
        self::assertSame(['alone', false, Kind::Lease], [$holder->metadata, $holder->shared, $holder->kind]);
        self::assertTrue($this->ours->releaseLock('key'));

        self::assertTrue($this->ours->getSharedLock('key', ttl: 10.0, metadata: 'a'));
        self::assertTrue($this->theirs->getSharedLock('key', ttl: 20.0, metadata: 'b'));
        $sharers = $this->theirs->sharers('key');
        usort($sharers, fn ($one, $other) => $one->metadata <=> $other->metadata);
        self::assertSame(['a', 'b'], array_column($sharers, 'metadata'));
        self::assertSame([true, true], array_column($sharers, 'shared'));
        self::assertSame(
            [$this->ours->lease('key')?->fence, $this->theirs->lease('key')?->fence],
            array_column($sharers, 'fence'),
        );
        self::assertLessThanOrEqual(10.0, $sharers[0]->ttl);
        self::assertSame(['b', true], [$this->ours->holder('key')?->metadata, $this->ours->holder('key')?->shared]);
        self::assertSame('b', $this->ours->holders()['key']->metadata);
        self::assertTrue($this->ours->holders()['key']->shared);
    }

    public function testAShareIsNeitherHandedOverNorAdopted(): void
    {
        self::assertTrue($this->ours->getSharedLock('key', metadata: 'note'));
        $this->thrown(RLockException::class, fn () => $this->ours->handOver('key'));
        self::assertFalse($this->theirs->adopt('key', $this->ours->lease('key')->token ?? ''));
        self::assertTrue($this->ours->getLock('key'));
        self::assertTrue($this->theirs->adopt('key', $this->ours->handOver('key')));
        self::assertSame([false, 'note'], [$this->theirs->lease('key')?->shared, $this->theirs->lease('key')?->metadata]);
        self::assertTrue($this->theirs->downgrade('key'));
        self::assertTrue($this->ours->getSharedLock('key'));
    }

    public function testToBreakShares(): void
    {
        $third = $this->locker();
        self::assertTrue($this->ours->getSharedLock('key'));
        self::assertTrue($this->theirs->getSharedLock('key'));
        self::assertTrue($third->breakLock('key', $this->ours->lease('key')?->fence));
        $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        self::assertTrue($this->theirs->isLocking('key'));
        self::assertFalse($third->breakLock('key', $this->theirs->lease('key')?->fence + 1));
        self::assertTrue($this->ours->getSharedLock('key'));
        self::assertTrue($third->breakLock('key'));
        self::assertSame([], $third->sharers('key'));
        $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        $this->thrown(LostLockException::class, fn () => $this->theirs->releaseLock('key'));
        self::assertTrue($third->getLock('key'));
    }

    public function testToBreakADelayBesideAShare(): void
    {
        $third = $this->locker();
        self::assertTrue($this->ours->getSharedLock('key'));
        self::assertTrue($this->theirs->getSharedLock('key'));
        $fence = $this->theirs->lease('key')?->fence;
        self::assertTrue($this->theirs->releaseLock('key', delayAfter: 20.0));
        self::assertFalse($third->breakLock('key', $fence)); // the delay is not shown beside a share
        self::assertCount(1, $third->sharers('key'));
        self::assertTrue($third->breakLock('key'));
        $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
        self::assertTrue($third->getLock('key'));
    }

    public function testToBreakAShareLeavesTheDelay(): void
    {
        self::assertTrue($this->ours->getSharedLock('key'));
        self::assertTrue($this->theirs->getSharedLock('key'));
        self::assertTrue($this->theirs->releaseLock('key', delayAfter: 20.0));
        self::assertTrue($this->theirs->breakLock('key', $this->ours->lease('key')?->fence));
        self::assertSame(Kind::Cooldown, $this->theirs->holder('key')?->kind);
        self::assertFalse($this->theirs->getSharedLock('key'));
        $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key'));
    }

    /** @return list<array{bool}> */
    public static function whetherByItsFence(): array
    {
        return [[false], [true]];
    }

    /** @dataProvider whetherByItsFence */
    public function testToBreakWhatIsLeftOfShares(bool $byFence): void
    {
        $third = $this->locker();
        self::assertTrue($this->ours->getSharedLock('key', ttl: 0.2));
        self::assertTrue($this->theirs->getSharedLock('key', metadata: 'note'));
        $fence = $this->theirs->lease('key')?->fence;
        self::assertTrue($this->theirs->releaseLock('key', delayAfter: 20.0));
        $this->pass(0.3);
        $told = [$third->holder('key'), $third->holders()['key'] ?? null, ...$third->sharers('key')];
        self::assertCount(3, $told);
        foreach ($told as $holder) {
            self::assertSame(
                [Kind::Cooldown, false, 'note', $fence],
                [$holder?->kind, $holder?->shared, $holder?->metadata, $holder?->fence],
            );
            self::assertGreaterThan(10.0, $holder?->ttl);
        }
        self::assertFalse($third->breakLock('key', $fence + 1));
        self::assertTrue($third->breakLock('key', $byFence ? $fence : null));
        self::assertNull($third->holder('key'));
        self::assertTrue($third->getSharedLock('key'));
        $this->thrown(TimeoutException::class, fn () => $this->ours->releaseLock('key')); // nobody has had it exclusively
    }

    public function testOfTwoDelaysTheLongerIsTold(): void
    {
        self::assertTrue($this->ours->getSharedLock('key', metadata: 'longer'));
        self::assertTrue($this->theirs->getSharedLock('key', metadata: 'shorter'));
        self::assertTrue($this->ours->releaseLock('key', delayAfter: 20.0));
        self::assertTrue($this->theirs->releaseLock('key', delayAfter: 10.0));
        self::assertSame('longer', $this->theirs->holder('key')?->metadata);
        self::assertSame(['longer'], array_column($this->theirs->sharers('key'), 'metadata'));
    }

    public function testABreakRobsTheSharesThatAreHeld(): void
    {
        $third = $this->locker();
        self::assertTrue($this->ours->getSharedLock('key', ttl: 0.2));
        self::assertTrue($this->theirs->getSharedLock('key'));
        self::assertTrue($third->getSharedLock('key', ttl: 0.2));
        $this->pass(0.3);
        self::assertTrue($third->breakLock('key'));
        $this->thrown(LostLockException::class, fn () => $this->ours->releaseLock('key')); // not told apart
        $this->thrown(LostLockException::class, fn () => $this->theirs->releaseLock('key'));
        $this->thrown(TimeoutException::class, fn () => $third->releaseLock('key'));
    }

    public function testAnUnconfirmedReleaseOfAShare(): void
    {
        self::assertTrue($this->ours->getSharedLock('key'));
        self::assertTrue($this->ours->releaseLock('key', confirm: false));
        self::assertTrue($this->theirs->getLock('key', wait: 10.0));
    }

    public function testReleaseAllGivesBackShares(): void
    {
        self::assertTrue($this->ours->getSharedLock('a'));
        self::assertTrue($this->ours->getSharedLock('a'));
        self::assertTrue($this->ours->getLock('b'));
        self::assertTrue($this->theirs->getSharedLock('a'));
        self::assertTrue($this->ours->releaseAll());
        self::assertCount(1, $this->ours->sharers('a'));
        self::assertTrue($this->theirs->getLocks(['a', 'b']));
    }

    public function testWithinSynchronizedTheOnlyShareIsExclusive(): void
    {
        self::assertTrue($this->ours->getSharedLock('key'));
        self::assertFalse($this->ours->synchronized('key', fn (Lease $lease): bool => $lease->shared));
        self::assertTrue($this->theirs->getSharedLock('another key'));
        self::assertTrue($this->ours->getSharedLock('another key'));
        $busy = $this->thrown(NotAcquiredException::class, fn () => $this->ours->synchronized('another key', fn () => 1));
        self::assertTrue($busy->holder?->shared);
        self::assertSame(1, $this->ours->lease('another key')?->depth);
    }

    // Refusals.

    /** @return array<string, array{callable(Locker): mixed}> */
    public static function refusals(): array
    {
        $long = str_repeat('k', (1 << 20) + 1);
        return [
            'empty key' => [fn (Locker $locks) => $locks->getLock('')],
            'key that is too long' => [fn (Locker $locks) => $locks->getLock($long)],
            'wait NAN' => [fn (Locker $locks) => $locks->getLock('k', wait: NAN)],
            'wait below 0' => [fn (Locker $locks) => $locks->getLock('k', wait: -0.1)],
            'ttl 0' => [fn (Locker $locks) => $locks->getLock('k', ttl: 0.0)],
            'ttl under 10 ms' => [fn (Locker $locks) => $locks->getLock('k', ttl: 0.0099)],
            'ttl over 10^9' => [fn (Locker $locks) => $locks->getLock('k', ttl: 1.1e9)],
            'ttl INF' => [fn (Locker $locks) => $locks->getLock('k', ttl: INF)],
            'ttl NAN' => [fn (Locker $locks) => $locks->getLock('k', ttl: NAN)],
            'unknown policy' => [fn (Locker $locks) => $locks->getLock('k', policy: 2)],
            'metadata too long' => [fn (Locker $locks) => $locks->getLock('k', metadata: str_repeat('m', 65537))],
            'share, empty key' => [fn (Locker $locks) => $locks->getSharedLock('')],
            'share, wait NAN' => [fn (Locker $locks) => $locks->getSharedLock('k', wait: NAN)],
            'share, ttl 0' => [fn (Locker $locks) => $locks->getSharedLock('k', ttl: 0.0)],
            'share, unknown policy' => [fn (Locker $locks) => $locks->getSharedLock('k', policy: 2)],
            'share, metadata too long' => [fn (Locker $locks) => $locks->getSharedLock('k', metadata: str_repeat('m', 65537))],
            'share, limit 0' => [fn (Locker $locks) => $locks->getSharedLock('k', limit: 0)],
            'share, limit below 0' => [fn (Locker $locks) => $locks->getSharedLock('k', limit: -1)],
            'downgrade' => [fn (Locker $locks) => $locks->downgrade('')],
            'sharers' => [fn (Locker $locks) => $locks->sharers('')],
            'empty key to release' => [fn (Locker $locks) => $locks->releaseLock('')],
            'delay NAN' => [fn (Locker $locks) => $locks->releaseLock('k', NAN)],
            'delay below 0' => [fn (Locker $locks) => $locks->releaseLock('k', -1.0)],
            'delay INF' => [fn (Locker $locks) => $locks->releaseLock('k', INF)],
            'prolongate an empty key' => [fn (Locker $locks) => $locks->prolongate('')],
            'prolongate for 0' => [fn (Locker $locks) => $locks->prolongate('k', 0.0)],
            'an empty key among others' => [fn (Locker $locks) => $locks->getLocks(['k', ''])],
            'getLocks, wait' => [fn (Locker $locks) => $locks->getLocks([], -1.0)],
            'getLocks, ttl' => [fn (Locker $locks) => $locks->getLocks([], 0.0, -1.0)],
            'synchronized' => [fn (Locker $locks) => $locks->synchronized('', fn () => 1)],
            'synchronized, metadata' => [
                fn (Locker $locks) => $locks->synchronized('k', fn () => 1, metadata: str_repeat('m', 65537)),
            ],
            'isLocking' => [fn (Locker $locks) => $locks->isLocking('')],
            'ttl' => [fn (Locker $locks) => $locks->ttl('')],
            'check' => [fn (Locker $locks) => $locks->check('')],
            'lease' => [fn (Locker $locks) => $locks->lease('')],
            'holder' => [fn (Locker $locks) => $locks->holder('')],
            'holders' => [fn (Locker $locks) => $locks->holders(limit: 0)],
            'handOver' => [fn (Locker $locks) => $locks->handOver('')],
            'handOver for 0' => [fn (Locker $locks) => $locks->handOver('k', 0.0)],
            'adopt' => [fn (Locker $locks) => $locks->adopt('', 'token')],
            'adopt for 0' => [fn (Locker $locks) => $locks->adopt('k', 'token', 0.0)],
            'breakLock' => [fn (Locker $locks) => $locks->breakLock('')],
            'breakLock, fence 0' => [fn (Locker $locks) => $locks->breakLock('k', 0)],
        ];
    }

    /** @dataProvider refusals */
    public function testRefusals(callable $call): void
    {
        $this->thrown(\ValueError::class, fn () => $call($this->ours));
    }

    public function testWhatIsNoKeyIsATypeError(): void
    {
        $this->thrown(\TypeError::class, fn () => $this->ours->getLocks(['a', 1.5]));
        self::assertTrue($this->theirs->getLock('a'));
    }

    public function testWhatIsJustAllowed(): void
    {
        self::assertTrue($this->ours->getLock(str_repeat('k', 1 << 20), 1e12, 1e9, metadata: str_repeat("\0", 65536)));
        self::assertTrue($this->ours->getLock("\0\xff", ttl: 1e9));
        self::assertTrue($this->ours->releaseAll());
    }

    private function decided(Pending $pending): bool
    {
        while (($answer = $pending->poll()) === null) {
            $streams = [$pending->stream()];
            $none = null;
            stream_select($streams, $none, $none, 10);
        }
        return $answer;
    }

    public function testALockIsRequested(): void
    {
        $pending = $this->ours->requestLock('key', ttl: 20.0, metadata: 'note');
        self::assertSame('key', $pending->key());
        self::assertTrue($this->decided($pending));
        self::assertSame('note', $this->ours->lease('key')?->metadata);
        $pending->cancel();
        self::assertTrue($pending->poll());
        self::assertTrue($this->decided($this->ours->requestLock('key')));
        self::assertSame(2, $this->ours->lease('key')->depth);
        self::assertFalse($this->decided($this->theirs->requestLock('key', 0.0)));

        $pending = $this->theirs->requestLock('key', limit: 1);
        self::assertNull($pending->poll());
        $this->thrown(RLockException::class, fn () => $this->theirs->requestLock('key'));
        $this->thrown(RLockException::class, fn () => $this->theirs->getLock('key'));
        $this->thrown(RLockException::class, fn () => $this->theirs->getLocks(['other', 'key']));
        self::assertTrue($this->theirs->releaseAll());
        self::assertNull($pending->poll());
        self::assertTrue($this->ours->releaseAll());
        self::assertTrue($this->decided($pending));
        self::assertTrue($this->theirs->lease('key')?->shared);

        $pending = $this->ours->requestLock('key');
        self::assertNull($pending->poll());
        $pending->cancel();
        self::assertFalse($pending->poll());
        self::assertFalse($this->ours->getLock('key'));
        unset($pending);
        $pending = $this->ours->requestLock('key');
        unset($pending);
        self::assertFalse($this->ours->getLock('key'));
    }

    public function testWhatIsRequestedIsChecked(): void
    {
        $this->thrown(\ValueError::class, fn () => $this->ours->requestLock(''));
        $this->thrown(\ValueError::class, fn () => $this->ours->requestLock('key', NAN));
        $this->thrown(\ValueError::class, fn () => $this->ours->requestLock('key', ttl: 0.0));
        $this->thrown(\ValueError::class, fn () => $this->ours->requestLock('key', limit: 0));
        $this->thrown(\Exception::class, fn () => serialize($this->ours->requestLock('key')));
    }

    public function testADetachedLockBelongsToItsName(): void
    {
        $mine = $this->ours->detached('key', "me\0");
        $again = $this->theirs->detached('key', "me\0");
        $other = $this->ours->detached('key', 'me');
        self::assertSame('key', $mine->key());
        self::assertFalse($mine->isLocking());
        self::assertSame([0.0, null], [$mine->ttl(), $mine->fence()]);
        self::assertFalse($mine->prolongate());
        self::assertFalse($mine->releaseLock());

        self::assertTrue($mine->getLock(ttl: 20.0, metadata: 'note'));
        self::assertTrue($again->isLocking());
        self::assertSame($this->ours->holder('key')?->fence, $again->fence());
        self::assertSame(Kind::Detached, $this->ours->holder('key')->kind);
        self::assertSame(['note', gethostname() . ':' . getmypid()], [
            $this->ours->holder('key')->metadata,
            $this->ours->holder('key')->owner,
        ]);
        self::assertFalse($other->isLocking());
        self::assertFalse($other->getLock());
        self::assertFalse($other->prolongate());
        self::assertFalse($other->releaseLock());
        self::assertFalse($this->ours->getLock('key'));
        self::assertFalse($this->ours->releaseLock('key'));
        self::assertTrue($again->releaseLock());
        self::assertFalse($mine->releaseLock());
        self::assertNull($this->ours->holder('key'));
    }

    public function testADetachedLockHasNoLevels(): void
    {
        $mine = $this->ours->detached('key', 'me');
        $again = $this->theirs->detached('key', 'me');
        self::assertTrue($mine->getLock(ttl: 20.0));
        $fence = $mine->fence();
        self::assertTrue($again->getLock(ttl: 1.0));
        self::assertGreaterThan(15.0, $mine->ttl());
        self::assertGreaterThan($fence, $mine->fence());
        self::assertTrue($mine->getLock(ttl: 60.0));
        self::assertGreaterThan(55.0, $again->ttl());
        $fence = $mine->fence();
        self::assertTrue($again->prolongate(70.0));
        self::assertGreaterThan($fence, $mine->fence());
        self::assertTrue($again->prolongate(20.0));
        self::assertLessThanOrEqual(20.0, $mine->ttl());
        self::assertTrue($mine->releaseLock());
        self::assertFalse($again->isLocking());
    }

    public function testNothingGivesADetachedLockBack(): void
    {
        $locks = $this->locker();
        self::assertTrue($locks->detached('key', 'me')->getLock(ttl: 20.0));
        self::assertTrue($locks->releaseAll());
        unset($locks);
        $mine = $this->ours->detached('key', 'me');
        self::assertTrue($mine->isLocking());
        self::assertTrue($mine->releaseLock());
    }

    public function testADetachedLockIsNeverSetAnew(): void
    {
        $mine = $this->ours->detached('key', 'me');
        self::assertTrue($mine->getLock(ttl: 0.05));
        $this->pass(0.1);
        self::assertFalse($mine->prolongate());
        self::assertFalse($mine->releaseLock());
        self::assertFalse($mine->isLocking());
        self::assertTrue($mine->getLock());
        self::assertTrue($mine->releaseLock());
    }

    public function testADetachedLockIsRenewedWhileItsObjectExists(): void
    {
        $mine = $this->ours->detached('key', 'me');
        $other = $this->theirs->detached('key', 'other');
        self::assertTrue($mine->getLock(ttl: 1.0, autoRenew: true));
        $this->pass(1.5);
        self::assertTrue($mine->isLocking());
        self::assertGreaterThan(0.0, $mine->ttl());
        self::assertLessThanOrEqual(1.0, $mine->ttl());
        self::assertFalse($other->getLock());
        self::assertTrue($mine->prolongate(0.9));
        $this->pass(1.5);
        self::assertTrue($mine->isLocking());
        unset($mine);
        self::assertFalse($other->getLock());
        $this->pass(1.0);
        self::assertTrue($other->getLock());
        self::assertTrue($other->releaseLock());
    }

    public function testItIsRenewedNoLongerThanMaxHold(): void
    {
        $mine = $this->ours->detached('key', 'me');
        self::assertTrue($mine->getLock(ttl: 1.0, autoRenew: true, maxHold: 0.8));
        $this->pass(1.1);
        self::assertTrue($mine->isLocking());
        $this->pass(0.9);
        self::assertFalse($mine->isLocking());
    }

    public function testItIsNotRenewedWhereTheNameHasAnotherGrant(): void
    {
        $mine = $this->ours->detached('key', 'me');
        $again = $this->theirs->detached('key', 'me');
        self::assertTrue($mine->getLock(ttl: 1.0, autoRenew: true));
        self::assertTrue($again->prolongate(0.5));
        $this->pass(0.6);
        self::assertFalse($mine->isLocking());
        self::assertTrue($mine->getLock(ttl: 1.0, autoRenew: true));
        self::assertTrue($mine->getLock(ttl: 0.2));
        $this->pass(1.1);
        self::assertFalse($mine->isLocking());
    }

    public function testADetachedLockIsWaitedFor(): void
    {
        $mine = $this->ours->detached('key', 'me');
        $other = $this->theirs->detached('key', 'other');
        self::assertTrue($other->getLock(ttl: 0.2));
        self::assertFalse($mine->getLock());
        self::assertFalse($mine->getLock(wait: 0.05));
        self::assertTrue($mine->getLock(wait: 5.0));
        self::assertFalse($other->isLocking());
        self::assertTrue($mine->releaseLock(delayAfter: 0.2));
        self::assertFalse($mine->releaseLock());
        self::assertFalse($mine->getLock());
        self::assertTrue($other->getLock(wait: 5.0));
        self::assertTrue($other->releaseLock());
    }

    public function testADetachedShare(): void
    {
        $mine = $this->ours->detached('key', 'me');
        $again = $this->theirs->detached('key', 'me');
        $other = $this->theirs->detached('key', 'other');
        self::assertTrue($mine->getSharedLock(ttl: 20.0, metadata: 'note', limit: 2));
        self::assertTrue($again->getSharedLock(limit: 1));
        self::assertTrue($other->getSharedLock(limit: 2));
        self::assertFalse($this->ours->getSharedLock('key', limit: 2));
        self::assertSame([Kind::Detached, Kind::Detached], array_column($this->ours->sharers('key'), 'kind'));
        self::assertNotSame($mine->fence(), $other->fence());
        self::assertFalse($mine->getLock(wait: 30.0));
        self::assertTrue($again->prolongate(10.0));
        self::assertLessThanOrEqual(10.0, $mine->ttl());
        self::assertTrue($other->releaseLock());
        self::assertTrue($mine->getLock());
        self::assertFalse($this->ours->getSharedLock('key'));
        self::assertFalse($this->ours->holder('key')?->shared);
        self::assertTrue($again->downgrade());
        self::assertFalse($again->downgrade());
        self::assertTrue($this->ours->getSharedLock('key'));
        self::assertFalse($other->downgrade());
        self::assertTrue($again->releaseLock());
        self::assertFalse($mine->isLocking());
        self::assertTrue($this->ours->isLocking('key'));
    }

    public function testADetachedLockRefusesBadArguments(): void
    {
        $mine = $this->ours->detached('key', 'me');
        foreach (
            [
                fn () => $this->ours->detached('', 'me'),
                fn () => $this->ours->detached(str_repeat('k', (1 << 20) + 1), 'me'),
                fn () => $this->ours->detached('key', ''),
                fn () => $this->ours->detached('key', str_repeat('n', 256)),
                fn () => $mine->getLock(wait: NAN),
                fn () => $mine->getLock(ttl: 0.0),
                fn () => $mine->getLock(policy: 2),
                fn () => $mine->getLock(metadata: str_repeat('m', (1 << 16) + 1)),
                fn () => $mine->getLock(autoRenew: true, maxHold: -1.0),
                fn () => $mine->getLock(autoRenew: true, maxHold: INF),
                fn () => $mine->getLock(maxHold: 1.0),
                fn () => $mine->getSharedLock(wait: NAN),
                fn () => $mine->getSharedLock(ttl: 0.0),
                fn () => $mine->getSharedLock(limit: 0),
                fn () => $mine->prolongate(INF),
                fn () => $mine->releaseLock(-1.0),
            ] as $call
        ) {
            $this->thrown(\ValueError::class, $call);
        }
    }

    public function testADetachedLockKeepsItsSecret(): void
    {
        $mine = $this->ours->detached(key: 'key', name: 'secret');
        self::assertInstanceOf(DetachedLock::class, $mine);
        self::assertTrue($mine->getLock());
        ob_start();
        var_dump($mine);
        $shown = ob_get_clean() . print_r($mine, true) . var_export((array) $mine, true);
        $traces = ini_set('zend.exception_ignore_args', '0');
        $long = ini_set('zend.exception_string_param_max_len', '1000');
        $thrown = [
            $this->thrown(\ValueError::class, fn () => $mine->getLock(wait: NAN)),
            $this->thrown(\ValueError::class, fn () => $this->ours->detached('', 'secret')),
            $this->thrown(\ValueError::class, fn () => $this->ours->detached('key', str_repeat('secret', 50))),
            $this->thrown(\Error::class, fn () => clone $mine),
            $this->thrown(\Exception::class, fn () => serialize($mine)),
        ];
        ini_set('zend.exception_ignore_args', (string) $traces);
        ini_set('zend.exception_string_param_max_len', (string) $long);
        foreach ($thrown as $one) {
            $shown .= $one->getMessage() . print_r($one->getTrace()[0], true) . $one;
        }
        self::assertStringNotContainsString('secret', $shown);
        self::assertTrue($mine->releaseLock());
    }
}
