<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Contracts\Cache\Repository;
use Illuminate\Contracts\Queue\QueueableEntity;
use Illuminate\Container\Container;
use Illuminate\Events\CallQueuedListener;
use RLock\Holder;

/**
 * A job at work under a lock whose name is made of what the job has: a job middleware, or an attribute of the job's class.
 *
 * It is the lock that Cache::lock() has by that name, and is renewed while the job is at work.
 */
#[\Attribute(\Attribute::TARGET_CLASS | \Attribute::IS_REPEATABLE)]
final class Locked
{
    private const PLACEHOLDER = '/\{([A-Za-z_]\w*(?:\.\w+)*)\}/';

    /** @var array<class-string, int> how many of these jobs are at work here */
    private static array $atWork = [];

    private static bool $isAssumed = false;

    /**
     * @param string $resource the lock's name; {id} is the job's property, {order.id} a key, property or method of that
     * @param float $wait how long it waits for the lock at most, in seconds; INF: as long as it takes
     * @param string|null $fence the job's property that gets the grant's number
     */
    public function __construct(
        public readonly string $resource,
        public readonly float $wait = 0.0,
        public readonly Busy $busy = Busy::Throw,
        public readonly ?string $fence = null,
    ) {
    }

    /**
     * The first line of a job that must have it.
     *
     * @throws \LogicException the job that calls this is not at work under its Locked: nobody has wired it
     */
    public static function assertHeld(): void
    {
        $caller = debug_backtrace(DEBUG_BACKTRACE_PROVIDE_OBJECT, 2)[1]['object'] ?? null;
        if (!self::$isAssumed && ($caller === null || empty(self::$atWork[$caller::class]))) {
            throw new \LogicException(($caller === null ? 'This code' : $caller::class) . ' is not running under its Locked');
        }
    }

    /** For tests that call a job directly. */
    public static function assumeHeld(bool $isAssumed = true): void
    {
        self::$isAssumed = $isAssumed;
    }

    /**
     * @throws LockTimeoutException busy
     * @throws \LogicException the name cannot be made, or the cache's store is not ours
     */
    public function handle(object $job, callable $next): mixed
    {
        $store = Container::getInstance()->make(Repository::class)->getStore();
        if (!$store instanceof RLockStore) {
            throw new \LogicException('Locked needs a cache store with driver `rlock` as the default one');
        }
        $name = $this->name($job);
        $lock = $store->lock($name);
        if (!$lock->acquireWhileAlive($this->wait)) {
            return $this->isBusy($job, $name, $store->holder($name));
        }
        $class = $job instanceof CallQueuedListener ? $job->class : $job::class; // who calls assertHeld()
        self::$atWork[$class] = (self::$atWork[$class] ?? 0) + 1;
        try {
            $this->tellFence($job, $lock);
            return $next($job);
        } finally {
            self::$atWork[$class]--;
            if (!$lock->release()) {
                self::skips()->tellOfLate(self::title($job, $name));
            }
        }
    }

    private function isBusy(object $job, string $name, ?Holder $holder): mixed
    {
        $title = self::title($job, $name);
        if ($this->busy === Busy::Throw) {
            throw new LockTimeoutException("$title not acquired: " . Skips::words($holder));
        }
        self::skips()->tell($title, $holder, $this->busy === Busy::Release ? 'released' : 'skipped');
        return $this->busy === Busy::Release ? $job->release() : null;
    }

    private function tellFence(object $job, RLockLock $lock): void
    {
        if ($this->fence === null) {
            return;
        }
        if (!property_exists($job, $this->fence)) {
            throw new \LogicException($job::class . " has no property \$$this->fence for the fence");
        }
        (fn (string $own, ?int $fence): ?int => $this->{$own} = $fence)->call($job, $this->fence, $lock->fence());
    }

    private function name(object $job): string
    {
        $job = $job instanceof CallQueuedListener && is_object($job->data[0] ?? null) ? $job->data[0] : $job; // the event
        return (string) preg_replace_callback(self::PLACEHOLDER, function (array $found) use ($job): string {
            $parts = explode('.', $found[1]);
            $value = (fn (string $own): mixed => $this->{$own} ?? null)->call($job, array_shift($parts)); // a private one, too
            return self::text(array_reduce($parts, self::part(...), $value))
                ?? throw new \LogicException("$found[0] of the lock \"$this->resource\" has no value in " . $job::class);
        }, $this->resource);
    }

    private static function part(mixed $whole, string $part): mixed
    {
        return match (true) {
            is_array($whole) => $whole[$part] ?? null,
            !is_object($whole) => null,
            isset($whole->$part) => $whole->$part,
            method_exists($whole, $part) => $whole->$part(),
            method_exists($whole, "get$part") => $whole->{"get$part"}(),
            default => null,
        };
    }

    /** Null if that is no text, or an empty one, which would be one lock for all. A model is its key, and not its columns. */
    private static function text(mixed $value): ?string
    {
        $value = match (true) {
            $value instanceof QueueableEntity => $value->getQueueableId(),
            $value instanceof \BackedEnum => $value->value,
            default => $value,
        };
        return (is_int($value) || is_string($value) || $value instanceof \Stringable) && (string) $value !== '' ? (string) $value : null;
    }

    private static function title(object $job, string $name): string
    {
        return 'Job [' . (method_exists($job, 'displayName') ? $job->displayName() : $job::class) . "] with the lock \"$name\"";
    }

    private static function skips(): Skips
    {
        return Container::getInstance()->make(Skips::class);
    }
}
