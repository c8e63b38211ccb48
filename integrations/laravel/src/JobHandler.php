<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Contracts\Queue\Job;
use Illuminate\Events\CallQueuedListener;
use Illuminate\Queue\CallQueuedHandler;

/**
 * Laravel's, which runs the middleware of a job that is written as attributes, too, inside the others.
 *
 * @internal
 */
final class JobHandler extends CallQueuedHandler
{
    protected function dispatchThroughMiddleware(Job $job, $command)
    {
        $class = new \ReflectionClass($command instanceof CallQueuedListener ? $command->class : $command);
        do {
            $attributes = $class->getAttributes(Locked::class);
        } while ($attributes === [] && $class = $class->getParentClass());
        if ($attributes !== []) {
            $command->middleware = array_merge($command->middleware ?? [], array_map(fn ($attribute) => $attribute->newInstance(), $attributes));
        }
        return parent::dispatchThroughMiddleware($job, $command);
    }
}
