<?php

declare(strict_types=1);

namespace RLock\Laravel;

use Illuminate\Bus\UniqueLock;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Queue\ShouldBeUnique;
use Illuminate\Events\CallQueuedListener;
use Illuminate\Queue\Events\JobAttempted;
use Illuminate\Queue\Events\JobProcessing;
use Illuminate\Queue\Queue;

/**
 * Whose lock keeps a job unique. Laravel 12 frees the lock that is there when the job begins or ends, which may be that of
 * another one by then; so the owner goes along in the job's payload, and only its lock is freed.
 *
 * @internal
 */
final class UniqueJobs
{
    private const IN_PAYLOAD = 'rlockUniqueOwner';

    /** @var array<string, string> owners, by name, of locks whose jobs are not in a queue yet */
    private static array $taken = [];

    /** @var array<string, string> owners, by name, for the jobs that are at work here */
    private static array $atWork = [];

    public static function listen(Dispatcher $events): void
    {
        Queue::createPayloadUsing(static function ($connection, $queue, array $payload): array {
            $job = $payload['data']['command'] ?? null;
            $isUnique = $job instanceof ShouldBeUnique || ($job instanceof CallQueuedListener && $job->shouldBeUnique());
            $taken = $isUnique ? array_intersect_key(self::$taken, [UniqueLock::getKey($job) => true]) : [];
            self::$taken = array_diff_key(self::$taken, $taken);
            return $taken === [] ? [] : [self::IN_PAYLOAD => $taken];
        });
        $events->listen(JobProcessing::class, static function (JobProcessing $begun): void {
            self::$atWork = ($begun->job->payload()[self::IN_PAYLOAD] ?? []) + self::$atWork;
        });
        $events->listen(JobAttempted::class, static function (JobAttempted $ended): void {
            self::$atWork = array_diff_key(self::$atWork, $ended->job->payload()[self::IN_PAYLOAD] ?? []);
        });
    }

    public static function took(string $name, #[\SensitiveParameter] string $owner): void
    {
        self::$taken[$name] = $owner;
    }

    /** Whose lock of this name the job at work may free; null: whoever has it. */
    public static function owner(string $name): ?string
    {
        return self::$atWork[$name] ?? null;
    }
}
