<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Console\Scheduling\CacheEventMutex;
use Illuminate\Console\Scheduling\Event;
use Illuminate\Contracts\Cache\Factory;
use RLock\Holder;

/**
 * withoutOverlapping() of the schedule. What runs in the foreground is held by schedule:run itself, and its lock is renewed
 * while that lives. What runs in the background outlives schedule:run, and nobody renews its lock; the environment tells
 * schedule:finish whose it is.
 *
 * @internal
 */
final class EventMutex extends CacheEventMutex
{
    /** @var array<string, RLockLock> of what runs in the foreground now */
    private array $held = [];

    /** @var array<string, Holder|null> whom exists() has found last */
    private array $found = [];

    public function __construct(Factory $cache, private readonly Skips $skips)
    {
        parent::__construct($cache);
    }

    /** @return bool */
    public function create(Event $event)
    {
        $store = $this->cache->store($this->store)->getStore();
        if (!$store instanceof RLockStore) {
            return parent::create($event);
        }
        $lock = $store->lock($event->mutexName(), $event->expiresAt * 60);
        $isOurs = $event->runInBackground ? $lock->acquire() : $lock->acquireWhileAlive();
        if (!$isOurs) {
            $this->tell($event, $store->holder($event->mutexName()));
        } elseif ($event->runInBackground) {
            $_ENV[self::variable($event)] = $lock->owner(); // Symfony's Process gives it to the command
        } else {
            $this->held[$event->mutexName()] = $lock;
        }
        return $isOurs;
    }

    /**
     * The schedule skips what exists, and the list of the schedule only looks.
     *
     * @return bool
     */
    public function exists(Event $event)
    {
        $store = $this->cache->store($this->store)->getStore();
        if (!$store instanceof RLockStore) {
            return parent::exists($event);
        }
        $this->found[$event->mutexName()] = $store->holder($event->mutexName());
        return $this->found[$event->mutexName()] !== null;
    }

    /** If it was skipped for its lock, says who has that. */
    public function tellOfSkipped(Event $event): void
    {
        $holder = $this->found[$event->mutexName()] ?? null;
        if ($holder !== null) {
            $this->tell($event, $holder);
        }
        unset($this->found[$event->mutexName()]);
    }

    /** At the end of a run only its own, which another may have by now; for schedule:clear-cache, whoever has it. */
    public function forget(Event $event)
    {
        $lock = $this->held[$event->mutexName()] ?? $this->lockOfBackground($event);
        unset($this->held[$event->mutexName()]);
        $lock === null ? parent::forget($event) : $lock->release();
    }

    private function lockOfBackground(Event $event): ?RLockLock
    {
        $owner = getenv(self::variable($event));
        $store = $this->cache->store($this->store)->getStore();
        return $owner !== false && $store instanceof RLockStore ? $store->restoreLock($event->mutexName(), $owner) : null;
    }

    private static function variable(Event $event): string
    {
        return 'RLOCK_SCHEDULE_' . hash('xxh64', $event->mutexName());
    }

    private function tell(Event $event, ?Holder $holder): void
    {
        $name = $event->description ?: Event::normalizeCommand((string) $event->command);
        $this->skips->tell("Scheduled [$name]", $holder);
    }
}
