<?php

declare(strict_types=1);

namespace RLock\Laravel\Tests;

use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Redis\RedisManager;
use PHPUnit\Framework\TestCase;
use RLock\Holder;
use RLock\Kind;
use RLock\Laravel\RLockLock;
use RLock\Laravel\RLockStore;
use RLock\Locker;
use RLock\RLockException;

require_once __DIR__ . '/RedisServer.php';

/** Locks as an application takes them from the store, on a server of our own. */
final class RLockLockTest extends TestCase
{
    private static RedisServer $server;

    private RLockStore $store;

    public static function setUpBeforeClass(): void
    {
        self::$server = new RedisServer();
    }

    protected function setUp(): void
    {
        self::$server->client()->flushAll();
        $this->store = self::store();
    }

    /** As another process would have it: nothing is known of what others took. */
    private static function store(string $prefix = 'shop-cache-', float $lease = 30.0, ?\Closure $tell = null): RLockStore
    {
        $connection = ['host' => self::$server->socket, 'port' => 0];
        return new RLockStore(
            new \RLock('unix://' . self::$server->socket, ''),
            new RedisManager(null, 'phpredis', ['default' => $connection, 'options' => ['prefix' => 'shop-database-']]),
            $prefix,
            connectionPrefix: 'shop-database-',
            lease: $lease,
            tell: $tell,
        );
    }

    private static function secondsLeft(string $name): float
    {
        return self::$server->client()->pttl("shop-database-shop-cache-$name") / 1e3;
    }

    public function testOneHasIt(): void
    {
        $lock = $this->store->lock('mail', 10);
        self::assertTrue($lock->get());
        self::assertFalse(self::store()->lock('mail', 10)->get());
        self::assertTrue($lock->release());
        self::assertTrue(self::store()->lock('mail', 10)->get());
        self::assertFalse($lock->release());
    }

    public function testItsKeyIsThatOfLaravelsOwnLock(): void
    {
        $theirs = new \Illuminate\Cache\RedisStore($this->store->getRedis(), 'shop-cache-');
        $old = $theirs->lock('mail', 10);
        self::assertTrue($old->get());
        self::assertFalse($this->store->lock('mail', 10)->get());
        self::assertTrue($old->release());
        $lock = $this->store->lock('mail', 10);
        self::assertTrue($lock->get());
        self::assertFalse($old->get());
        self::assertFalse($old->release());
        self::assertTrue($lock->release());
    }

    public function testNoOwnerTakesItTwice(): void
    {
        $lock = $this->store->lock('mail', 10, 'web');
        self::assertTrue($lock->get());
        self::assertFalse($lock->get());
        self::assertFalse($this->store->lock('mail', 100, 'web')->get());
        self::assertFalse(self::store()->lock('mail', 100, 'web')->get());
        self::assertLessThan(11.0, self::secondsLeft('mail'));
        $this->expectException(LockTimeoutException::class);
        self::store()->lock('mail', 10, 'web')->block(0.05);
    }

    public function testAClosureRunsUnderIt(): void
    {
        $seen = $this->store->lock('mail', 10)->get(fn (): bool => self::store()->lock('mail')->isLocked());
        self::assertTrue($seen);
        self::assertSame(17, $this->store->lock('mail', 10)->block(5, fn (): int => 17));
        try {
            $this->store->lock('mail', 10)->block(5, fn () => throw new \DomainException('wrong'));
            self::fail('it was not thrown');
        } catch (\DomainException) {
            self::assertFalse($this->store->lock('mail')->isLocked());
        }
    }

    public function testAWaitIsEndedByTheRelease(): void
    {
        $holder = $this->store->lock('mail', 60);
        $holder->get();
        $waiter = self::store()->lock('mail', 60)->betweenBlockedAttemptsSleepFor(60_000);
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, fn () => $holder->release());
        pcntl_alarm(1);
        $start = hrtime(true);
        self::assertTrue($waiter->block(30));
        $seconds = (hrtime(true) - $start) / 1e9;
        pcntl_signal(SIGALRM, SIG_DFL);
        self::assertLessThan(20.0, $seconds);
        self::assertTrue($waiter->isOwnedByCurrentProcess());
    }

    public function testAWaitThatIsInVain(): void
    {
        $this->store->lock('mail', 60)->get();
        foreach ([0, -1, 0.05] as $seconds) {
            try {
                self::store()->lock('mail', 60)->block($seconds, fn () => self::fail('it ran'));
                self::fail('it was had');
            } catch (LockTimeoutException $late) {
                self::assertSame("The lock \"shop-database-shop-cache-mail\" is still held after $seconds s", $late->getMessage());
            }
        }
    }

    public function testTheOwnersNameOpensItElsewhere(): void
    {
        $lock = $this->store->lock('mail', 10);
        $lock->get();
        $owner = $lock->owner();
        for ($time = 0; $time < 3; $time++) {
            $restored = self::store()->restoreLock('mail', $owner);
            self::assertSame($owner, $restored->owner());
            self::assertTrue($restored->isOwnedByCurrentProcess());
            self::assertTrue($restored->refresh(100 + $time));
        }
        self::assertTrue($lock->refresh(20));
        self::assertTrue(self::store()->restoreLock('mail', $owner)->release());
        self::assertFalse(self::store()->restoreLock('mail', $owner)->release());
        self::assertFalse($lock->release());
        self::assertFalse($lock->isLocked());
    }

    public function testItsMarkIsWaitedForWhileItIsPassedOn(): void
    {
        $lock = $this->store->lock('mail', 10);
        $lock->get();
        $real = new \RLock('unix://' . self::$server->socket, 'shop-database-');
        $key = 'shop-cache-mail';
        $held = $real->holder($key);
        $passed = fn (int $fence, float $ttl): Holder => new Holder($key, '', $fence, $ttl, kind: Kind::HandOver);
        $isOwned = function (Holder ...$seen) use ($real, $key, $lock): bool {
            $locks = $this->createStub(Locker::class);
            $locks->method('holder')->willReturnOnConsecutiveCalls(...$seen);
            $locks->method('detached')->willReturnCallback($real->detached(...));
            return (new RLockLock($locks, $key, 10, 'other', 60.0, 'default'))->isOwnedBy($lock->owner());
        };
        self::assertTrue($isOwned($passed($held->fence, 1.0), $passed($held->fence, 0.9), $held));
        self::assertFalse($isOwned($passed(1, 0.9), $passed(2, 1.0)), 'to the next one already');
        self::assertFalse($isOwned($passed(1, 60.0)), 'by handOver()');
    }

    public function testAnyTextIsAnOwner(): void
    {
        foreach (['', 'a b', "\0\n", str_repeat('x', 1000)] as $owner) {
            self::assertTrue($this->store->lock('mail', 10, $owner)->get());
            self::assertFalse(self::store()->restoreLock('mail', "$owner.")->release());
            self::assertTrue(self::store()->restoreLock('mail', $owner)->release());
        }
    }

    public function testWhoOwnsIt(): void
    {
        $lock = $this->store->lock('mail', 10);
        self::assertFalse($lock->isLocked());
        self::assertTrue($lock->isOwnedBy(null));
        self::assertFalse($lock->isOwnedByCurrentProcess());
        $lock->get();
        $other = self::store()->restoreLock('mail', 'other');
        self::assertTrue($other->isLocked());
        self::assertFalse($other->isOwnedBy(null));
        self::assertFalse($other->isOwnedByCurrentProcess());
        self::assertTrue($other->isOwnedBy($lock->owner()));
    }

    public function testNoTraceShowsTheOwner(): void
    {
        $locks = new \RLock('unix://' . self::$server->socket);
        $lock = new RLockLock($locks, 'mail', 10, 'secret', 60.0, 'default');
        $locks->close();
        $before = ini_set('zend.exception_ignore_args', '0');
        $length = ini_set('zend.exception_string_param_max_len', '1000');
        $shown = '';
        foreach ([fn () => $lock->isOwnedBy('secret'), fn () => $lock->refresh(), fn () => $lock->get()] as $call) {
            try {
                $call();
                self::fail('It is closed');
            } catch (RLockException $closed) {
                $shown .= $closed;
            }
        }
        ini_set('zend.exception_ignore_args', (string) $before);
        ini_set('zend.exception_string_param_max_len', (string) $length);
        self::assertStringNotContainsString('secret', $shown);
    }

    public function testOnlyItsOwnerRefreshesAndReleases(): void
    {
        $this->store->lock('mail', 10)->get();
        $other = self::store()->restoreLock('mail', 'other');
        self::assertFalse($other->refresh(100));
        self::assertFalse($other->release());
        self::assertTrue($other->isLocked());
        self::assertLessThan(11.0, self::secondsLeft('mail'));
    }

    public function testForceReleaseAsksNobody(): void
    {
        $lock = $this->store->lock('mail', 10);
        $lock->get();
        self::store()->lock('mail')->forceRelease();
        self::store()->lock('mail')->forceRelease();
        self::assertFalse($lock->isLocked());
        self::assertFalse($lock->release());
    }

    public function testALateReleaseLeavesTheNextOneAlone(): void
    {
        $late = $this->store->lock('mail', 0.05);
        $late->get();
        $next = self::store()->lock('mail', 10);
        self::assertTrue($next->block(5));
        self::assertFalse($late->isOwnedByCurrentProcess());
        self::assertFalse($late->refresh(10));
        self::assertFalse($late->release());
        self::assertTrue($next->isOwnedByCurrentProcess());
    }

    public function testLeases(): void
    {
        $lock = $this->store->lock('mail', 10);
        $lock->get();
        self::assertEqualsWithDelta(10.0, self::secondsLeft('mail'), 2.0);
        $lock->refresh(100);
        self::assertEqualsWithDelta(100.0, self::secondsLeft('mail'), 2.0);
        $lock->refresh();
        self::assertEqualsWithDelta(10.0, self::secondsLeft('mail'), 2.0);
        $lock->refresh(0);
        self::assertEqualsWithDelta(RLockStore::UNLIMITED, self::secondsLeft('mail'), 2.0);
        $this->store->lock('letter')->get();
        self::assertEqualsWithDelta(RLockStore::UNLIMITED, self::secondsLeft('letter'), 2.0);
        $this->store->lock('parcel', PHP_INT_MAX)->get();
        self::assertEqualsWithDelta(1e9, self::secondsLeft('parcel'), 2.0);
    }

    /** A second and a half of work, under leases of one. */
    public function testWhileACallbackRunsAShortLeaseIsRenewed(): void
    {
        $store = self::store(lease: 1.0);
        foreach (['get' => fn ($lock, $work) => $lock->get($work), 'block' => fn ($lock, $work) => $lock->block(5, $work)] as $way => $take) {
            $lock = $store->lock('mail', 600);
            $left = $take($lock, function () use ($lock): array {
                $first = self::secondsLeft('mail');
                usleep(1_500_000);
                $second = self::secondsLeft('mail');
                self::assertFalse(self::store()->lock('mail', 600)->get());
                self::assertTrue($lock->isOwnedByCurrentProcess());
                return [$first, $second];
            });
            self::assertLessThanOrEqual(1.0, max($left), $way);
            self::assertGreaterThan(0.0, min($left), $way);
            self::assertFalse($lock->isLocked());
        }
    }

    public function testTheTimeThatWasGivenIsTheBound(): void
    {
        $store = self::store(lease: 1.0);
        $store->lock('mail', 1.2)->get(function (): void {
            usleep(2_500_000); // as long as that, and one lease
            self::assertFalse(self::store()->lock('mail')->isLocked());
        });
    }

    public function testWhatIsKeptForOthersIsNotRenewed(): void
    {
        $store = self::store(lease: 1.0);
        $taken = ['get' => $store->lock('get', 600), 'block' => $store->lock('block', 600), 'short' => $store->lock('short', 0.5)];
        self::assertTrue($taken['get']->get());
        self::assertTrue($taken['block']->block(5));
        self::assertTrue($taken['short']->get(function (): bool {
            return self::secondsLeft('short') <= 0.5; // shorter than what would be renewed
        }));
        self::assertGreaterThan(590.0, min(self::secondsLeft('get'), self::secondsLeft('block')));
        unset($taken);
        self::assertTrue(self::store()->lock('get')->isLocked());
    }

    /** As the job middleware WithoutOverlapping names and takes it. */
    public function testAWorkersLockIsRenewedUntilItsObjectIsGone(): void
    {
        $store = self::store(lease: 1.0);
        $lock = $store->lock('laravel-queue-overlap:job', 600);
        self::assertTrue($lock->get());
        usleep(1_500_000);
        self::assertTrue(self::store()->lock('laravel-queue-overlap:job')->isLocked());
        unset($lock);
        self::assertTrue(self::store()->lock('laravel-queue-overlap:job', 600)->block(3));
    }

    public function testARefreshOfWhatIsRenewedIsANewBound(): void
    {
        $store = self::store(lease: 1.0);
        $lock = $store->lock('mail', 1.1);
        $lock->get(function () use ($lock): void {
            self::assertTrue($lock->refresh(600));
            usleep(2_500_000);
            self::assertLessThanOrEqual(1.0, self::secondsLeft('mail'));
            self::assertTrue($lock->isOwnedByCurrentProcess());
            self::assertTrue($lock->refresh(0.5));
            self::assertTrue($lock->isOwnedByCurrentProcess());
            usleep(700_000);
            self::assertFalse($lock->refresh(600));
            self::assertFalse($lock->isLocked());
        });
    }

    public function testAWorkerThatDoesNotGetItTellsWhoHasIt(): void
    {
        $told = [];
        $store = self::store(tell: function (string $name, ?Holder $holder) use (&$told): void {
            $told[$name] = $holder?->owner;
        });
        self::assertTrue(self::store()->lock('laravel-queue-overlap:job', 60)->get());
        self::assertTrue(self::store()->lock('mail', 60)->get());
        self::assertFalse($store->lock('mail', 60)->get());
        self::assertFalse($store->lock('laravel-queue-overlap:job', 60)->get());
        self::assertSame(['shop-database-shop-cache-laravel-queue-overlap:job' => gethostname() . ':' . getmypid()], $told);
    }

    public function testNumbersMayBeStrings(): void
    {
        $lock = $this->store->lock('mail', '10');
        self::assertTrue($lock->get());
        self::assertEqualsWithDelta(10.0, self::secondsLeft('mail'), 2.0);
        self::assertTrue($lock->refresh('100'));
        self::assertEqualsWithDelta(100.0, self::secondsLeft('mail'), 2.0);
        foreach (['0', '', null, false] as $index => $none) {
            self::assertTrue($this->store->lock("letter$index", $none)->block('1'));
            self::assertEqualsWithDelta(RLockStore::UNLIMITED, self::secondsLeft("letter$index"), 2.0);
        }
        $this->expectExceptionObject(
            new \InvalidArgumentException("A lock takes a number of seconds, not 'soon'"),
        );
        $this->store->lock('parcel', 'soon');
    }

    public function testWhateverHasATextIsAnOwner(): void
    {
        $lock = $this->store->lock('mail', 10, 42);
        self::assertTrue($lock->get());
        self::assertSame('42', $lock->owner());
        self::assertTrue($lock->isOwnedBy(42));
        self::assertTrue(self::store()->restoreLock('mail', 42)->release());
        $uuid = \Illuminate\Support\Str::uuid();
        self::assertTrue($this->store->lock('mail', 10, $uuid)->get());
        self::assertTrue(self::store()->restoreLock('mail', (string) $uuid)->isOwnedBy($uuid));
    }

    /** @dataProvider provideWrongLeases */
    public function testTheLeaseOfALockWithoutOneIsChecked(mixed $unlimited, string $shown): void
    {
        $this->expectExceptionObject(new \InvalidArgumentException(
            'The setting `unlimited` of a cache store with driver `rlock` must be 0.01 to 1000000000 seconds, not '
            . $shown,
        ));
        new RLockStore(new \RLock('unix://' . self::$server->socket), $this->store->getRedis(), unlimited: $unlimited);
    }

    /** @return iterable<array{mixed, string}> */
    public static function provideWrongLeases(): iterable
    {
        yield from [[0, '0'], ['0', "'0'"], [0.0099, '0.0099'], [-1, '-1'], [INF, 'INF'], [NAN, 'NAN'], [1e12, '1000000000000.0'], ['', "''"]];
    }

    public function testANameThatIsTooLong(): void
    {
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage('A lock cannot have this name');
        $this->store->lock(str_repeat('x', 2 << 20), 10);
    }

    public function testFencesRise(): void
    {
        $lock = $this->store->lock('mail', 10);
        self::assertNull($lock->fence());
        $lock->get();
        $fence = $lock->fence();
        self::assertSame($fence, self::store()->restoreLock('mail', $lock->owner())->fence());
        $lock->release();
        $lock->get();
        self::assertGreaterThan($fence, $lock->fence());
    }

    public function testThePrefixOfTheStoreCounts(): void
    {
        $lock = $this->store->lock('mail', 10);
        $lock->get();
        $this->store->setPrefix('other-cache-');
        self::assertTrue($this->store->lock('mail', 10)->get());
        self::assertTrue($lock->release());
    }

    public function testItKnowsItsConnection(): void
    {
        self::assertSame('default', $this->store->lock('mail')->getConnectionName());
        $this->store->setConnection('values');
        self::assertSame('default', $this->store->setLockConnection('default')->lock('mail')->getConnectionName());
    }

    public function testLocksDoNotMoveToAnotherConnection(): void
    {
        $this->expectException(\LogicException::class);
        $this->expectExceptionMessage('[default] and cannot move to [locks]');
        $this->store->setLockConnection('locks');
    }

    public function testOneRequestEachWay(): void
    {
        $lock = $this->store->lock('mail', 10);
        $lock->get() && $lock->release(); // connected, scripts loaded
        $client = self::$server->client();
        $requests = function () use ($client): int {
            $calls = 0;
            foreach ($client->info('commandstats') as $command => $stats) {
                if (in_array($command, ['cmdstat_evalsha', 'cmdstat_eval'], true)) {
                    preg_match('/calls=(\d+)/', $stats, $match);
                    $calls += (int) $match[1];
                }
            }
            return $calls;
        };
        $before = $requests();
        $lock->get();
        self::assertSame(1, $requests() - $before);
        $lock->release();
        self::assertSame(2, $requests() - $before);

        $lock->get();
        $elsewhere = self::store()->restoreLock('mail', $lock->owner());
        $before = $requests();
        self::assertTrue($elsewhere->release());
        self::assertSame(3, $requests() - $before);
    }

    public function testFlushLocks(): void
    {
        $client = self::$server->client();
        foreach (['a', 'b', 'c'] as $name) {
            self::assertTrue($this->store->lock($name, 10)->get());
        }
        $others = [
            self::store('shop-cache')->lock('d', 10),
            self::store('shop?cache-')->lock('e', 10),
            self::store('other-')->lock('f', 10),
        ];
        foreach ($others as $other) {
            self::assertTrue($other->get());
        }
        $this->store->put('entry', 'kept', 60);
        $client->set('shop-database-shop-cache-foreign', 'theirs');

        self::assertTrue($this->store->hasSeparateLockStore());
        self::assertTrue(self::store('shop?cache-')->flushLocks());
        self::assertFalse($others[1]->isLocked());
        self::assertTrue($this->store->lock('a')->isLocked());

        self::assertTrue($this->store->flushLocks());
        foreach (['a', 'b', 'c'] as $name) {
            self::assertFalse($this->store->lock($name)->isLocked());
        }
        self::assertTrue($others[0]->isLocked());
        self::assertTrue($others[2]->isLocked());
        self::assertSame('kept', $this->store->get('entry'));
        self::assertSame('theirs', $client->get('shop-database-shop-cache-foreign'));
    }

    public function testFlushLocksAmongManyEntries(): void
    {
        $client = self::$server->client();
        $entries = array_map(static fn (int $i): string => "shop-database-shop-cache-$i", range(1, 24_000));
        $client->mSet(array_fill_keys($entries, 'kept'));
        for ($i = 0; $i < 300; $i++) {
            self::assertTrue($this->store->lock("lock-$i", 60)->get());
        }
        $this->store->flushLocks();
        self::assertSame([], $client->keys('shop-database-shop-cache-lock-*'));
        self::assertSame(24_000, $client->exists(...$entries));
    }

    public function testTheRestIsTheRedisStore(): void
    {
        $this->store->put('a', [1, 2], 60);
        self::assertSame([1, 2], $this->store->get('a'));
        self::assertSame(3, $this->store->increment('n', 3));
        $this->store->tags(['t'])->put('b', 'tagged', 60);
        self::assertSame('tagged', $this->store->tags(['t'])->get('b'));
    }
}
