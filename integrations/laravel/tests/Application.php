<?php

declare(strict_types=1);

namespace RLock\Laravel\Tests;

use Illuminate\Cache\CacheServiceProvider;
use Illuminate\Config\Repository as Config;
use Illuminate\Foundation\Application as LaravelApplication;
use Illuminate\Redis\RedisServiceProvider;
use RLock\Laravel\RLockServiceProvider;

require_once __DIR__ . '/RedisServer.php';

/** As much of an application as caches need. */
final class Application
{
    /** @param array<string, array<string, mixed>> $stores of config/cache.php */
    public static function on(RedisServer $server, array $stores): LaravelApplication
    {
        $app = new LaravelApplication(sys_get_temp_dir());
        $connection = ['host' => $server->socket, 'port' => 0];
        $app->instance('config', new Config([
            'cache' => ['default' => 'rlock', 'prefix' => 'shop-cache-', 'stores' => $stores],
            'database' => ['redis' => [
                'client' => 'phpredis',
                'options' => ['prefix' => 'shop-database-'],
                'default' => $connection,
                'cache' => $connection + ['database' => 1],
            ]],
        ]));
        foreach ([RedisServiceProvider::class, CacheServiceProvider::class, RLockServiceProvider::class] as $provider) {
            $app->register($provider);
        }
        $app->boot();
        return $app;
    }
}
