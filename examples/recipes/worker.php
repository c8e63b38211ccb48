<?php
/*
 * A worker with long jobs: any number of workers may run, on any number of hosts, and each job is done by one of them
 * at a time. SIGTERM lets it finish the job it is at.
 */

declare(strict_types=1);

use RLock\LostLockException;
use RLock\NotAcquiredException;
use RLock\TimeoutException;

/**
 * @param callable(): ?string $next the name of a job that is not done yet
 * @param callable(string, int): void $do does a job; the fence goes into what it writes
 */
function work(callable $next, callable $do): void
{
    $stop = false;
    pcntl_async_signals(true);
    pcntl_signal(SIGTERM, function () use (&$stop) { $stop = true; });

    // The lease is short, for a worker that is killed. It renews itself while a job runs, for an hour at most, and a
    // lost lock throws in the midst of the job.
    $locks = new RLock(ttl: 10.0, autoRenew: true, interrupt: true, maxHold: 3600.0);
    while (!$stop && ($job = $next()) !== null) {
        try {
            $locks->synchronized("job:$job", fn (RLock\Lease $lease) => $do($job, $lease->fence), metadata: 'worker');
        } catch (NotAcquiredException) {
            continue;                                       // another worker is at it
        } catch (LostLockException $lost) {
            error_log($lost->getMessage());                 // another may be at it: leave the job to that one
        } catch (TimeoutException $late) {
            error_log($late->getMessage());                 // nobody else was at it; getPrevious() is the job's own error
        }
    }
}
