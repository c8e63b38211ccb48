<?php
/* What waiters cost that have nothing to do but to wait: requests, and CPU time of the server and of themselves. */

declare(strict_types=1);

/** The first $holders have the lock, the others wait; once they have all asked, $watch. */
function while_idle(Crowd $crowd, int $holders, callable $watch): void
{
    $length_ms = idle_ms();
    $settle_ms = quick() ? 200 : 1500;
    foreach ($crowd->workers as $number => $worker) {
        if ($number === $holders) {
            usleep(50_000);
        }
        $worker->tell(1, 0, $number < $holders ? ($settle_ms + $length_ms + 500) * 1000 : 0);
    }
    usleep(($settle_ms - 50) * 1000);
    $watch();
    foreach ($crowd->workers as $worker) {
        $worker->turns();
    }
}

/** For so long they are looked at. */
function idle_ms(): int
{
    return quick() ? 300 : 3000;
}

/** Plays rounds with a crowd of $waiters and so many holders, and prints their rows. */
function measure_idle(Server $server, Crowd $crowd, int $waiters, int $holders, int $rounds): void
{
    $length_ms = idle_ms();
    $seen = [];
    $crowd->ready();
    $crowd->warm_up();
    for ($round = 0; $round < $rounds; $round++) {
        while_idle($crowd, $holders, function () use ($crowd, $length_ms, &$seen) {
            $before = [...$crowd->cpu(), hrtime(true)];
            usleep($length_ms * 1000);
            $after = [...$crowd->cpu(), hrtime(true)];
            $seconds = ($after[2] - $before[2]) / 1e9;
            $seen['server CPU'][] = ($after[0] - $before[0]) / 1e6 / $seconds;
            $seen['client CPU'][] = ($after[1] - $before[1]) / 1e6 / $seconds;
        });
        while_idle($crowd, $holders, function () use ($server, $waiters, $length_ms, &$seen) {
            $server->count();
            usleep($length_ms * 1000);
            foreach ($server->counted() as $measure => $count) {
                $seen[$measure][] = $count / $length_ms * 1000 / $waiters;
            }
        });
    }
    foreach ($seen as $measure => $values) {
        row("$waiters waiters", $crowd->name, $measure, str_contains($measure, 'CPU') ? 'ms per s' : 'per s and waiter', $values);
    }
}
