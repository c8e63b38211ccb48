<?php
/* What waiters cost that have nothing to do but to wait: requests, and CPU time of the server and of themselves. */

declare(strict_types=1);

/** The first $holders have the lock, the others wait; once they have all asked, $watch. */
function while_idle(Crowd $crowd, int $holders, int $length_ms, callable $watch): void
{
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

/** For so long they are looked at: how often each waiter of rlock looks, only a minute may show. */
function idle_ms(string $name): int
{
    return match (true) {
        quick() => 300,
        str_starts_with($name, 'rlock') => 60_000,
        default => 3000,
    };
}

/** Prints the rows of a crowd of $waiters that wait for a lock, or for a place of several, and those who have it. */
function measure_idle(Server $server, string $name, int $waiters, ?string $holder = null, int $places = 1): void
{
    $length_ms = idle_ms($name);
    $crowd = new Crowd($server, $server->socket, $name, $waiters + $places - 1, 2 * $length_ms + 30_000, $holder, $places);
    $crowd->ready();
    $crowd->warm_up();
    $row = fn (string $measure, string $unit, float $value) => row("$waiters waiters", $name, $measure, $unit, [$value]);
    while_idle($crowd, $places, $length_ms, function () use ($crowd, $length_ms, $row) {
        $before = [...$crowd->cpu(), hrtime(true)];
        usleep($length_ms * 1000);
        $after = [...$crowd->cpu(), hrtime(true)];
        $seconds = ($after[2] - $before[2]) / 1e9;
        $row('server CPU', 'ms per s', ($after[0] - $before[0]) / 1e6 / $seconds);
        $row('client CPU', 'ms per s', ($after[1] - $before[1]) / 1e6 / $seconds);
    });
    while_idle($crowd, $places, $length_ms, function () use ($server, $waiters, $length_ms, $row) {
        $server->count();
        usleep($length_ms * 1000);
        foreach ($server->counted() as $measure => $count) {
            $row($measure, 'per s and waiter', $count / $length_ms * 1000 / $waiters);
        }
    });
}
