<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Console\CommandMutex as AnyCommandMutex;
use Illuminate\Console\Events\ScheduledTaskSkipped;
use Illuminate\Console\Scheduling\EventMutex as AnyEventMutex;
use Illuminate\Contracts\Cache\Repository;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Queue\CallQueuedHandler;
use Illuminate\Support\Arr;
use Illuminate\Support\ServiceProvider;
use RLock\Holder;

/** Adds the cache driver `rlock`, and a store of that name which is otherwise like the one named `redis`. */
final class RLockServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $config = $this->app->make(Config::class);
        if (!$config->has('cache.stores.rlock')) {
            $config->set('cache.stores.rlock', ['driver' => 'rlock'] + $config->get('cache.stores.redis', []));
        }
        $this->app->singletonIf(AnyEventMutex::class, EventMutex::class);
        $this->app->singletonIf(AnyCommandMutex::class, CommandMutex::class);
        $this->app->bindIf(CallQueuedHandler::class, JobHandler::class);
        $make = self::makeRepository(...); // the manager takes the closure below for one of its own
        $this->callAfterResolving('cache', fn (CacheManager $cache): CacheManager => $cache->extend(
            'rlock',
            fn (Application $app, #[\SensitiveParameter] array $store): Repository => $make($cache, $app, $store),
        ));
    }

    public function boot(): void
    {
        $events = $this->app->make(Dispatcher::class);
        ReleaseLocks::listen($events);
        UniqueJobs::listen($events);
        $events->listen(ScheduledTaskSkipped::class, static function (ScheduledTaskSkipped $skipped): void {
            if ($skipped->task->mutex instanceof EventMutex) {
                $skipped->task->mutex->tellOfSkipped($skipped->task);
            }
        });
    }

    /**
     * What the manager makes, but of our class.
     *
     * @param array<string, mixed> $store what config/cache.php says of it
     */
    private static function makeRepository(
        CacheManager $cache,
        Application $app,
        #[\SensitiveParameter] array $store,
    ): RLockRepository {
        $plain = $cache->repository(self::makeStore($app, $store), $store);
        $ours = new RLockRepository($plain->getStore(), Arr::only($store, ['store']));
        if ($plain->getEventDispatcher() !== null) {
            $ours->setEventDispatcher($plain->getEventDispatcher());
        }
        return $ours;
    }

    /** @param array<string, mixed> $store what config/cache.php says of it */
    private static function makeStore(Application $app, #[\SensitiveParameter] array $store): RLockStore
    {
        $config = $app->make(Config::class);
        $connection = $store['connection'] ?? 'default';
        $lockConnection = $store['lock_connection'] ?? $connection;
        $place = new RedisConfig($config->get('database.redis', []), $lockConnection);
        $servers = ($store['servers'] ?? null) ?: $place->address(); // a variable of the environment may be empty
        $kept = new \SensitiveParameterValue($servers); // whoever dumps the store sees what its closures keep
        $skips = new Skips($app);
        return new RLockStore(
            new \RLock($servers, ''),
            $app->make('redis'),
            $store['prefix'] ?? $config->get('cache.prefix', ''),
            $connection,
            $config->get('cache.serializable_classes'),
            $store['unlimited'] ?? RLockStore::UNLIMITED,
            $lockConnection,
            $place->prefix(),
            $store['lease'] ?? RLockStore::LEASE,
            static fn (float $lease, float $hold): \RLock => new \RLock($kept->getValue(), '', $lease, true, false, $hold),
            static fn (string $name, ?Holder $holder) => $skips->tell("Job with the lock \"$name\"", $holder),
        );
    }
}
