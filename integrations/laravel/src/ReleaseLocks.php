<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Foundation\Application;
use RLock\Locker;
use RLock\RLockException;

/**
 * Octane serves one request, task or tick after the other in one process. What the container's lockers hold ends with each.
 *
 * @internal
 */
final class ReleaseLocks
{
    private const EVENTS = [
        'Laravel\Octane\Contracts\OperationTerminated', // of which there is none after an error
        'Laravel\Octane\Events\WorkerErrorOccurred',
    ];

    public static function listen(Dispatcher $events): void
    {
        $events->listen(self::EVENTS, static fn (object $event) => self::releaseAll($event->sandbox));
    }

    private static function releaseAll(Application $app): void
    {
        foreach ([Locker::class, \RLock::class] as $name) {
            if ($app->resolved($name) && $app->isShared($name)) {
                self::release($app->make($name), $app);
            }
        }
    }

    /** An exception here would end the worker. */
    private static function release(Locker $locks, Application $app): void
    {
        try {
            $trouble = $locks->releaseAll() ? null : new \RuntimeException('A lock had ended before the request that held it');
        } catch (RLockException $trouble) {
        }
        if ($trouble !== null) {
            $app->make(ExceptionHandler::class)->report($trouble);
        }
    }
}
