<?php

declare(strict_types=1);

namespace RLock\Symfony\Tests;

use RLock\Symfony\RLockStore;
use Symfony\Component\Lock\Key;

require_once dirname(__DIR__, 3) . '/tests/server.inc';

/** A redis-server for the tests of a class, and a look at what they do to it. */
trait OnARealServer
{
    private static \TestServer $server;

    private \RLock $locks;

    public static function setUpBeforeClass(): void
    {
        self::$server = \TestServer::start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->stop();
    }

    protected function setUp(): void
    {
        $this->locks = new \RLock(self::$server->url());
        $this->warmUp();
    }

    protected function tearDown(): void
    {
        $this->locks->releaseAll();
    }

    /** The first call of its kind may take more requests: it connects, and sends a script. */
    private function warmUp(): void
    {
        $key = new Key('warm up');
        $store = $this->getStore();
        $store->save($key);
        $store->putOffExpiration($key, 20.0);
        $store->exists($key);
        $store->delete($key);
        $store->saveRead($key);
        $store->delete($key);
        self::$server->client()('FLUSHALL');
    }

    protected function getStore(): RLockStore
    {
        return new RLockStore($this->locks);
    }

    /** Runs the code, where $store is an RLockStore, $parent the line to us and $args what we pass. */
    private function inAnotherProcess(string $code, mixed ...$args): \Child
    {
        $autoload = dirname((string) (new \ReflectionClass(\Composer\Autoload\ClassLoader::class))->getFileName(), 2);
        return \Child::start('
            require $args["autoload"];
            $locks = new RLock($args["server"]);
            $store = new RLock\Symfony\RLockStore($locks);
        ' . $code, ['autoload' => "$autoload/autoload.php", 'server' => self::$server->url(), ...$args]);
    }

    private static function seconds(callable $call): float
    {
        $start = hrtime(true);
        $call();
        return (hrtime(true) - $start) / 1e9;
    }

    private function requestsOf(callable $call): int
    {
        $before = $this->locks->stats()['requests'];
        $call();
        return $this->locks->stats()['requests'] - $before;
    }

    /** The seconds that are left of the lock's lease at the server; null: it is free. */
    private function leaseOf(string $resource): ?float
    {
        $left = self::$server->client()('PTTL', "lock@$resource");
        return $left === -2 ? null : $left / 1000;
    }

    private static function copyOf(Key $key): Key
    {
        return unserialize(serialize($key));
    }
}
