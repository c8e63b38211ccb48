<?php

declare(strict_types=1);

namespace RLock\Laravel\Tests;

use PHPUnit\Framework\TestCase;
use RLock\Laravel\RedisConfig;

final class RedisConfigTest extends TestCase
{
    private static function of(array $connection, array $options = []): RedisConfig
    {
        return new RedisConfig(['options' => $options, 'locks' => $connection], 'locks');
    }

    /** @return array<string, array{array<string, mixed>, string}> */
    public static function addresses(): array
    {
        return [
            "a new application's" => [
                ['url' => null, 'host' => '127.0.0.1', 'username' => null, 'password' => null, 'port' => '6379', 'database' => '0'],
                'redis://127.0.0.1:6379/0',
            ],
            'the least' => [['host' => 'redis'], 'redis://redis:6379/0'],
            'a database' => [['host' => 'redis', 'port' => 6380, 'database' => '7'], 'redis://redis:6380/7'],
            'a password' => [['host' => 'redis', 'password' => 'a:b/c@d'], 'redis://:a%3Ab%2Fc%40d@redis:6379/0'],
            'a user' => [['host' => 'redis', 'username' => 'me', 'password' => 'it'], 'redis://me:it@redis:6379/0'],
            'no password' => [['host' => 'redis', 'username' => 'me', 'password' => ''], 'redis://redis:6379/0'],
            'IPv6' => [['host' => '::1'], 'redis://[::1]:6379/0'],
            'TLS by the scheme' => [['scheme' => 'tls', 'host' => 'redis'], 'rediss://redis:6379/0'],
            'TLS by the host' => [['host' => 'tls://redis'], 'rediss://redis:6379/0'],
            'a URL' => [['url' => 'redis://me:i%40t@redis:6380/7'], 'redis://me:i%40t@redis:6380/7'],
            'a URL with TLS' => [['url' => 'rediss://redis:6380', 'host' => '127.0.0.1'], 'rediss://redis:6380/0'],
            'a socket, phpredis' => [['host' => '/run/redis/redis.sock', 'port' => 0], 'unix:///run/redis/redis.sock?db=0'],
            'a socket, Predis' => [
                ['scheme' => 'unix', 'path' => '/run/my redis.sock', 'password' => 'a&b', 'database' => 2],
                'unix:///run/my%20redis.sock?db=2&password=a%26b',
            ],
        ];
    }

    /**
     * @dataProvider addresses
     * @param array<string, mixed> $connection
     */
    public function testAddresses(array $connection, string $address): void
    {
        self::assertSame($address, self::of($connection)->address());
    }

    /** @return array<string, array{array<string, mixed>}> */
    public static function impossible(): array
    {
        $servers = [['host' => 'a', 'port' => 6379], ['host' => 'b', 'port' => 6379]];
        return [
            'nothing' => [['locks' => []]],
            'unknown' => [[]],
            'a cluster' => [['clusters' => ['locks' => $servers]]],
            'several' => [['locks' => ['tcp://a', 'tcp://b', 'options' => ['replication' => 'sentinel']]]],
            'certificates' => [['locks' => ['host' => 'tls://redis', 'context' => ['stream' => ['cafile' => 'ca.pem']]]]],
        ];
    }

    /**
     * @dataProvider impossible
     * @param array<string, mixed> $redis
     */
    public function testNoAddress(array $redis): void
    {
        $this->expectExceptionMessage('The Redis connection [locks] cannot be made an address for locks');
        (new RedisConfig($redis, 'locks'))->address();
    }

    public function testPrefixes(): void
    {
        self::assertSame('', self::of([])->prefix());
        self::assertSame('all-', self::of([], ['prefix' => 'all-'])->prefix());
        self::assertSame('its-', self::of(['options' => ['prefix' => 'its-']], ['prefix' => 'all-'])->prefix());
        self::assertSame('own-', self::of(['prefix' => 'own-', 'options' => ['prefix' => 'its-']])->prefix());
        $clusters = ['clusters' => ['options' => ['prefix' => 'cluster-'], 'locks' => []], 'options' => ['prefix' => 'all-']];
        self::assertSame('cluster-', (new RedisConfig($clusters, 'locks'))->prefix());
    }
}
