<?php

declare(strict_types=1);

namespace RLock\Laravel\Tests;

use Illuminate\Cache\Repository;
use PHPUnit\Framework\TestCase;
use RLock\Laravel\RLockLock;
use RLock\Laravel\RLockStore;

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
