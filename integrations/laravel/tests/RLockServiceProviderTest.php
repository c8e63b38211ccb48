<?php

declare(strict_types=1);

namespace RLock\Laravel\Tests;

use Illuminate\Cache\Repository;
use PHPUnit\Framework\TestCase;
use RLock\Laravel\RLockLock;
use RLock\Laravel\RLockStore;
use RLock\RLockException;

require_once __DIR__ . '/Application.php';

/** The driver in an application's configuration. */
final class RLockServiceProviderTest extends TestCase
{
    private static RedisServer $server;

    public static function setUpBeforeClass(): void
    {
        self::$server = new RedisServer();
    }

    protected function setUp(): void
    {
        self::$server->client()->flushAll();
    }

    /** @param array<string, array<string, mixed>> $stores */
    private static function cache(array $stores): Repository
    {
        return Application::on(self::$server, $stores)->make('cache')->store();
    }

    public function testAStoreLikeTheOneForRedis(): void
    {
        $cache = self::cache(['redis' => ['driver' => 'redis', 'connection' => 'cache', 'lock_connection' => 'default']]);
        self::assertInstanceOf(RLockStore::class, $cache->getStore());
        self::assertInstanceOf(RLockLock::class, $cache->lock('mail', 10));
        self::assertInstanceOf(RLockLock::class, $cache->restoreLock('mail', 'me'));

        self::assertTrue($cache->lock('mail', 10)->get());
        $cache->put('entry', 'value', 60);
        self::assertSame(1, self::$server->client(0)->exists('shop-database-shop-cache-mail'));
        self::assertSame(1, self::$server->client(1)->exists('shop-database-shop-cache-entry'));
    }

    public function testAStoreOfTheirOwn(): void
    {
        $store = ['driver' => 'rlock', 'connection' => 'cache', 'prefix' => 'own-', 'unlimited' => '100'];
        $cache = self::cache(['rlock' => $store, 'redis' => ['driver' => 'redis']]);
        self::assertTrue($cache->lock('mail')->get());
        $left = self::$server->client(1)->ttl('shop-database-own-mail');
        self::assertEqualsWithDelta(100, $left, 2);
        self::assertSame('cache', $cache->lock('mail')->getConnectionName());
    }

    public function testServersOfTheirOwn(): void
    {
        $other = new RedisServer();
        $cache = self::cache(['rlock' => ['driver' => 'rlock', 'servers' => "unix://$other->socket?db=3"]]);
        self::assertTrue($cache->lock('mail', 10)->get());
        self::assertSame(['shop-database-shop-cache-mail'], $other->client(3)->keys('shop-*'));
        self::assertSame([], self::$server->client()->keys('*mail'));
    }

    /** Laravel's own functions get the whole configuration; ours show none of it. */
    public function testAnAddressThatCannotBeReadIsInNoTraceOfOurs(): void
    {
        ini_set('zend.exception_ignore_args', '0');
        try {
            self::cache(['rlock' => ['driver' => 'rlock', 'servers' => 'redis://shop:hunter2@redis:wrong']]);
            self::fail('it was read');
        } catch (\ValueError $e) {
            $ours = array_filter($e->getTrace(), fn (array $frame): bool =>
                preg_match('/^RLock(?!.Laravel.Tests)/', ($frame['class'] ?? '') . $frame['function']) === 1);
            self::assertGreaterThanOrEqual(3, count($ours));
            array_walk_recursive($ours, function (mixed $value): void { // and not into objects, as no log does
                self::assertStringNotContainsString('hunter2', is_string($value) ? $value : '');
            });
        } finally {
            ini_restore('zend.exception_ignore_args');
        }
    }

    /**
     * @testWith [""]
     *           [[]]
     *           [null]
     */
    public function testNoServersAreThatOfTheConnection(mixed $none): void
    {
        $cache = self::cache(['rlock' => ['driver' => 'rlock', 'servers' => $none]]);
        self::assertTrue($cache->lock('mail', 10)->get());
        self::assertSame(1, self::$server->client()->exists('shop-database-shop-cache-mail'));
    }

    /** As with Laravel's own locks. Packages for tenants do that. */
    public function testAPrefixThatTheConnectionGetsAtRunTimeIsTheLocksToo(): void
    {
        $app = Application::on(self::$server, ['rlock' => ['driver' => 'rlock', 'connection' => 'cache', 'lock_connection' => 'default']]);
        $store = $app->make('cache')->store();
        $become = fn (string $tenant) => $app->make('redis')->connection('default')->client()->setOption(\Redis::OPT_PREFIX, $tenant);
        $first = $store->lock('mail', 10);
        self::assertTrue($first->get());
        $store->funnel('mail')->limit(1)->releaseAfter(60)->block(0)->then(function () use ($store, $become, $first): void {
            $become('tenant2-');
            self::assertTrue($store->lock('mail', 10)->get());
            self::assertSame('in', $store->funnel('mail')->limit(1)->block(0)->then(fn () => 'in'));
            self::assertTrue($first->isOwnedByCurrentProcess());
            $store->getStore()->flushLocks();
            self::assertFalse($store->lock('mail')->isLocked());
            $become('shop-database-');
            self::assertTrue($store->lock('mail')->isLocked());
        });
        self::assertTrue($first->release());
        self::assertSame([], self::$server->client()->keys('[^r]*mail')); // no lock, in any form
    }

    public function testADriverAndNothingElse(): void
    {
        $app = Application::on(self::$server, ['rlock' => ['driver' => 'rlock']]);
        self::assertTrue($app->make('cache')->lock('mail', 10)->get());
        self::assertTrue($app->make('cache')->store()->getStore()->flushLocks());
        self::assertFalse($app->make('cache')->lock('mail')->isLocked());
    }

    public function testFunnel(): void
    {
        $cache = self::cache(['rlock' => ['driver' => 'rlock']]);
        $funnel = fn () => $cache->funnel('mail')->limit(2)->releaseAfter(60)->block(0);
        $inside = $funnel()->then(fn () => $funnel()->then(fn () => $funnel()->then(
            fn () => 'in',
            fn () => 'full',
        )));
        self::assertSame('full', $inside);
        self::assertSame('in', $funnel()->then(fn () => 'in'));
    }

    public function testAFunnelsPlacesAreSharesOfOneLock(): void
    {
        $cache = self::cache(['rlock' => ['driver' => 'rlock']]);
        $locks = new \RLock('unix://' . self::$server->socket, 'shop-database-');
        $holders = fn (): array => $locks->sharers('shop-cache-mail:funnel');
        $cache->funnel('mail')->limit(2)->releaseAfter(100)->block(0)->then(function () use ($cache, $holders): void {
            $cache->funnel('mail')->limit(2)->releaseAfter(0)->block(0)->then(function () use ($cache, $holders): void {
                $left = array_column($holders(), 'ttl');
                sort($left);
                self::assertEqualsWithDelta([30.0, 30.0], $left, 5.0); // renewed while they are in
                self::assertTrue($cache->lock('mail', 10)->get()); // a lock of the same name is another
            });
        });
        self::assertSame([], $holders());
        foreach ([\DomainException::class => fn () => throw new \DomainException(), \TypeError::class => fn (int $none) => 1] as $class => $call) {
            try {
                $cache->funnel('mail')->limit(1)->then($call);
                self::fail('Nothing was thrown');
            } catch (\DomainException | \TypeError $thrown) {
                self::assertInstanceOf($class, $thrown);
            }
            self::assertSame([], $holders());
        }
        self::assertSame('none', $cache->funnel('mail')->limit(0)->block(0)->then(fn () => 'in', fn () => 'none'));

        $cache->funnel('mail')->limit(2)->block(0)->then(function () use ($cache, $holders): void {
            $cache->funnel('mail')->limit(2)->block(0)->then(fn () => $cache->getStore()->flushLocks());
            self::assertSame([], $holders());
        });
    }

    /** @dataProvider providePlacesTimes */
    public function testAPlaceLastsAsLongAsItWasAskedFor(mixed $releaseAfter, float $lease): void
    {
        $cache = self::cache(['rlock' => ['driver' => 'rlock']]);
        $locks = new \RLock('unix://' . self::$server->socket, 'shop-database-');
        $cache->funnel('mail')->limit(1)->releaseAfter($releaseAfter)->block(0)->then(function () use ($locks, $lease): void {
            $left = $locks->holder('shop-cache-mail:funnel')->ttl;
            self::assertLessThanOrEqual($lease, $left);
            self::assertGreaterThan($lease - 0.85, $left);
        });
    }

    /** @return iterable<string, array{mixed, float}> */
    public static function providePlacesTimes(): iterable
    {
        yield 'a fraction' => [0.9, 0.9];
        yield 'more than whole seconds' => [2.9, 2.9];
        yield 'a string' => ['2.9', 2.9];
        yield 'whole seconds' => [30, 30.0];
        yield 'none, and renewed' => [null, 30.0];
        yield 'more, and renewed' => [600, 30.0];
    }

    public function testAPlaceIsRenewedWhileSomebodyIsIn(): void
    {
        $cache = self::cache(['rlock' => ['driver' => 'rlock', 'lease' => '1']]);
        $locks = new \RLock('unix://' . self::$server->socket, 'shop-database-');
        $cache->funnel('mail')->limit(1)->releaseAfter(600)->block(0)->then(function () use ($locks): void {
            usleep(1_500_000);
            self::assertLessThanOrEqual(1.0, $locks->holder('shop-cache-mail:funnel')?->ttl);
            $locks->breakLock('shop-cache-mail:funnel'); // whoever was late is told nothing
        });
        self::assertTrue($cache->getStore()->funnel('mail', 1, 600)->block(0)); // it is kept, and nobody knows for whom
        self::assertGreaterThan(590.0, $locks->holder('shop-cache-mail:funnel')?->ttl);
    }

    public function testTheShortLeaseIsChecked(): void
    {
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage('The setting `lease` of a cache store');
        self::cache(['rlock' => ['driver' => 'rlock', 'lease' => 0]])->lock('mail');
    }

    public function testWhoeverLeavesAFunnelWakesTheNext(): void
    {
        $cache = self::cache(['rlock' => ['driver' => 'rlock']]);
        $locks = new \RLock('unix://' . self::$server->socket, 'shop-database-');
        self::assertTrue($locks->getSharedLock('shop-cache-mail:funnel', ttl: 0.3, limit: 1));
        $began = hrtime(true);
        self::assertSame('in', $cache->funnel('mail')->limit(1)->block(10)->sleep(60_000)->then(fn () => 'in'));
        self::assertLessThan(5e9, hrtime(true) - $began);
        self::assertFalse($locks->releaseAll()); // it was late
    }

    public function testAFunnelOnAMajorityIsLaravels(): void
    {
        $servers = array_map(fn () => new RedisServer(), range(1, 3));
        $addresses = implode(' ', array_map(fn (RedisServer $server) => "unix://$server->socket", $servers));
        $cache = self::cache(['rlock' => ['driver' => 'rlock', 'servers' => $addresses]]);
        $funnel = fn () => $cache->funnel('mail')->limit(2)->releaseAfter(60)->block(0);
        self::assertSame('full', $funnel()->then(fn () => $funnel()->then(fn () => $funnel()->then(
            fn () => 'in',
            fn () => 'full',
        ))));
        self::assertSame('in', $funnel()->then(fn () => 'in'));
    }

    public function testAFunnelsOtherTroubleIsThrown(): void
    {
        $cache = self::cache(['rlock' => ['driver' => 'rlock']]);
        $locks = new \RLock('unix://' . self::$server->socket, 'shop-database-', autoRenew: true);
        self::assertTrue($locks->getLock('shop-cache-mail:funnel', ttl: 60.0)); // this very thread: a wait would never end
        $this->expectException(RLockException::class);
        $this->expectExceptionMessage('would never end');
        $cache->funnel('mail')->limit(1)->block(10)->then(fn () => self::fail('It is in'));
    }

    public function testEventsAreDispatchedUnlessTheyAreOff(): void
    {
        foreach ([true, false] as $events) {
            $app = Application::on(self::$server, ['rlock' => ['driver' => 'rlock', 'events' => $events]]);
            $heard = 0;
            $app->make('events')->listen(\Illuminate\Cache\Events\KeyWritten::class, function () use (&$heard): void {
                $heard++;
            });
            $app->make('cache')->put('entry', 'value', 60);
            self::assertSame((int) $events, $heard);
        }
    }

    public function testWithoutOverlapping(): void
    {
        $cache = self::cache(['rlock' => ['driver' => 'rlock']]);
        self::assertSame(17, $cache->withoutOverlapping('mail', fn () => 17, 10, 5));
        $this->expectException(\Illuminate\Contracts\Cache\LockTimeoutException::class);
        $cache->withoutOverlapping('mail', fn () => $cache->withoutOverlapping('mail', fn () => 17, '10', '0'), '10', '5');
    }

    public function testAUniqueJobsTimeMayBeAString(): void
    {
        $job = new class {
            public string $uniqueFor = '3600';
        };
        $unique = new \Illuminate\Bus\UniqueLock(self::cache(['rlock' => ['driver' => 'rlock']]));
        self::assertTrue($unique->acquire($job));
        self::assertFalse($unique->acquire($job));
    }
}
