<?php

declare(strict_types=1);

namespace RLock\Testing\Tests;

use RLock\Locker;
use RLock\LostLockException;
use RLock\Testing\InMemoryLocker;
use RLock\Testing\InMemoryStore;
use RLock\TimeoutException;

require_once __DIR__ . '/LockerContract.php';

/** What every Locker promises, and the clock. */
final class InMemoryLockerTest extends LockerContract
{
    private InMemoryStore $store;

    protected function setUp(): void
    {
        $this->store = new InMemoryStore();
        parent::setUp();
    }

    protected function locker(): Locker
    {
        return new InMemoryLocker($this->store);
    }

    protected function pass(float $seconds): void
    {
        $this->store->advance($seconds);
    }

    protected function now(): float
    {
        return $this->store->now() / 1e6;
    }

    public function testTimePassesOnlyWhenToldTo(): void
    {
        $locks = new InMemoryLocker();
        self::assertTrue($locks->getLock('key', ttl: 5.0));
        $locks->advance(4.999);
        self::assertTrue($locks->isLocking('key'));
        $locks->advance(0.001);
        self::assertFalse($locks->isLocking('key'));
        $this->expectException(TimeoutException::class);
        $locks->releaseLock('key');
    }

    public function testLatenessIsExact(): void
    {
        $locks = new InMemoryLocker(ttl: 2.0);
        self::assertTrue($locks->getLock('key'));
        $locks->advance(2.25);
        try {
            $locks->releaseLock('key');
            self::fail('it was in time');
        } catch (TimeoutException $late) {
            self::assertSame(0.25, $late->lateBy);
        }
    }

    public function testMillisecondsAreRoundedUp(): void
    {
        $locks = new InMemoryLocker(ttl: 1.0001);
        self::assertTrue($locks->getLock('a'));
        self::assertTrue($locks->getLock('b', ttl: 2.007)); // times 1000, in binary, a hair above 2007
        self::assertSame(1.001, $locks->ttl('a'));
        self::assertSame(2.007, $locks->ttl('b'));
    }

    public function testWithoutACommonStoreTheyDoNotMeet(): void
    {
        self::assertTrue((new InMemoryLocker())->getLock('key'));
        self::assertTrue((new InMemoryLocker())->getLock('key'));
    }

    public function testThoseThatShareAStoreCompeteUnderOneClock(): void
    {
        $store = new InMemoryStore();
        $ours = new InMemoryLocker($store);
        $theirs = new InMemoryLocker(ttl: 5.0, store: $store);
        self::assertTrue($theirs->getLock('key'));
        self::assertFalse($ours->getLock('key'));
        self::assertFalse($ours->detached('key', 'name')->getLock());
        $ours->advance(5.0);
        self::assertTrue($ours->getLock('key'));
        $this->expectException(LostLockException::class);
        $theirs->releaseLock('key');
    }

    public function testTheStoreDoesNotShowTheNameOfADetachedLock(): void
    {
        self::assertTrue((new InMemoryLocker($this->store))->detached('key', 'secret')->getLock());
        self::assertStringNotContainsString('secret', print_r($this->store, true));
    }

    public function testAnHourAfterItsLeaseNobodyCanTell(): void
    {
        $locks = new InMemoryLocker();
        self::assertTrue($locks->getLock('key', ttl: 10.0));
        $locks->advance(3610.0);
        $this->expectException(LostLockException::class);
        $locks->releaseLock('key');
    }

    public function testAWarningTellsOfWhatNobodyGaveBack(): void
    {
        $locks = new InMemoryLocker();
        self::assertTrue($locks->getLocks(['a', 'b'], ttl: 1.0));
        $locks->prolongate('b', 10.0);
        $locks->advance(5.0);
        $warnings = [];
        set_error_handler(function (int $level, string $message) use (&$warnings): bool {
            $warnings[] = [$level, $message];
            return true;
        });
        unset($locks);
        restore_error_handler();
        self::assertSame(
            [[E_USER_WARNING, '1 of 2 locks had ended before they were given back']],
            $warnings,
        );
    }

    /** @return list<array{float}> */
    public static function timesThatCannotPass(): array
    {
        return [[-1.0], [NAN], [INF]];
    }

    /** @dataProvider timesThatCannotPass */
    public function testTimeGoesForward(float $seconds): void
    {
        $this->expectException(\ValueError::class);
        $this->store->advance($seconds);
    }
}
