<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use RLock\Locker;
use RLock\Symfony\LockerFactory;
use RLock\Symfony\RLockFactory;
use RLock\Symfony\RLockStore;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\ContainerInterface;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Lock\Exception\LockConflictedException;

require_once __DIR__ . '/App.php';
require_once __DIR__ . '/OnARealServer.php';

/** The bundle in an application. */
final class BundleTest extends TestCase
{
    use OnARealServer;

    public function testTheFrameworksLocksAreRlocks(): void
    {
        $locks = self::boot('rlock')->get('locks');
        self::assertInstanceOf(RLockFactory::class, $locks);
        $lock = $locks->createLock('mail');
        self::assertTrue($lock->acquire());
        self::assertEqualsWithDelta(30.0, $this->leaseOf('mail'), 3.0);
        self::assertEqualsWithDelta(300.0, $lock->getRemainingLifetime(), 10.0);
        $lock->release();
    }

    public function testAResourceMayHaveItAndAnotherNot(): void
    {
        $container = self::boot(['default' => 'flock', 'invoices' => 'rlock']);
        $onFile = $container->get('locks')->createLock('mail');
        $onFile->acquire();
        self::assertNull($this->leaseOf('mail'));
        $lock = $container->get('invoices')->createLock('mail');
        $lock->acquire();
        self::assertNotNull($this->leaseOf('mail'));
        $onFile->release();
    }

    public function testItMayBeOneOfSeveralStores(): void
    {
        $lock = self::boot(['default' => ['rlock', 'in-memory']])->get('locks')->createLock('mail');
        self::assertTrue($lock->acquire());
        self::assertNotNull($this->leaseOf('mail'));
        $lock->release();
        self::assertNull($this->leaseOf('mail'));
    }

    public function testAStoreOfTheApplicationsOwnCanBeNamed(): void
    {
        $container = self::boot('app.lock_store', services: function (ContainerBuilder $container): void {
            $container->register('app.lock_store', RLockStore::class)->setArguments([new Reference(Locker::class), 20.0]);
        });
        $lock = $container->get('locks')->createLock('mail', null);
        $lock->acquire();
        self::assertEqualsWithDelta(20.0, $this->leaseOf('mail'), 10.0);
    }

    public function testTheSettings(): void
    {
        $settings = ['prefix' => 'shop:', 'initial_ttl' => 40, 'max_wait' => 0.05, 'lease' => 8];
        $container = self::boot('rlock', $settings);
        [$one, $other] = array_map(fn () => $container->get('locks')->createLock('mail', null), range(1, 2));
        $one->acquire();
        self::assertEqualsWithDelta(8_000, self::$server->client()('PTTL', 'shop:mail'), 3_000);
        self::assertEqualsWithDelta(40.0, $one->getRemainingLifetime(), 3.0);
        $this->expectException(LockConflictedException::class);
        $other->acquire(true);
    }

    public function testServersMayBeAList(): void
    {
        $servers = array_map(fn (): \TestServer => \TestServer::start(), range(1, 3));
        $urls = array_map(fn (\TestServer $server): string => $server->url(), $servers);
        $lock = self::boot('rlock', ['servers' => $urls])->get('locks')->createLock('mail');
        self::assertTrue($lock->acquire());
        $have = array_filter($servers, fn (\TestServer $server): bool => $server->client()('EXISTS', 'lock@mail') === 1);
        self::assertGreaterThanOrEqual(2, count($have));
        $lock->release();
    }

    public function testServersMayComeFromTheEnvironment(): void
    {
        $_ENV['LOCK_SERVERS'] = self::$server->url();
        $lock = self::boot('rlock', ['servers' => '%env(LOCK_SERVERS)%'])->get('locks')->createLock('mail');
        $lock->acquire();
        unset($_ENV['LOCK_SERVERS']);
        self::assertNotNull($this->leaseOf('mail'));
    }

    public function testAnAddressThatCannotBeReadIsInNoTrace(): void
    {
        ini_set('zend.exception_ignore_args', '0');
        ini_set('zend.exception_string_param_max_len', '200');
        try {
            LockerFactory::create('redis://shop:hunter2@redis:wrong', null);
            self::fail('it was read');
        } catch (\ValueError $e) {
            self::assertStringContainsString('LockerFactory', (string) $e);
            self::assertStringNotContainsString('hunter2', $e . print_r($e->getTrace()[1]['args'], true));
        } finally {
            ini_restore('zend.exception_ignore_args');
            ini_restore('zend.exception_string_param_max_len');
        }
    }

    /** @dataProvider provideNoServers */
    public function testWithoutServersThoseOfPhpIniCount(mixed $none): void
    {
        $_ENV['NO_SERVERS'] = '';
        ini_set('rlock.servers', self::$server->url());
        $lock = self::boot('rlock', ['servers' => $none])->get('locks')->createLock('mail');
        $lock->acquire();
        ini_restore('rlock.servers');
        unset($_ENV['NO_SERVERS']);
        self::assertNotNull($this->leaseOf('mail'));
    }

    /** @return iterable<array{mixed}> */
    public static function provideNoServers(): iterable
    {
        yield from [[null], [''], [[]], ['%env(NO_SERVERS)%']];
    }

    public function testNoLongestWaitIsForever(): void
    {
        $lock = self::boot('rlock', ['max_wait' => null])->get('locks')->createLock('mail');
        self::assertTrue($this->locks->getLock('mail', ttl: 0.1));
        self::assertTrue($lock->acquire(true));
    }

    public function testServicesGetTheLockerThatTheStoreUses(): void
    {
        $container = self::boot('rlock');
        $locks = $container->get('locker');
        self::assertInstanceOf(\RLock::class, $locks);
        self::assertTrue($locks->getLock('mail'));
        self::assertFalse($container->get('locks')->createLock('mail')->acquire());
        $locks->releaseLock('mail');
    }

    /**
     * @param string|array<string, string|list<string>> $lock
     * @param array<string, mixed> $rlock
     */
    private static function boot(string|array $lock, array $rlock = [], ?\Closure $services = null): ContainerInterface
    {
        $app = new App($lock, $rlock + ['servers' => self::$server->url()], $services);
        $app->boot();
        return $app->getContainer();
    }
}
