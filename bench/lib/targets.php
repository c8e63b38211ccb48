<?php
/*
 * What rlock is to reach, and what of it a run has seen. Judged by medians; a death by the worst
 * round.
 */

declare(strict_types=1);

final class Target
{
    /** $at_least: the more the better. $noise: the same contender against itself. */
    public function __construct(
        public readonly string $what,
        public readonly ?Row $seen,
        public readonly float $required,
        public readonly float $moonshot,
        public readonly ?Row $noise = null,
        public readonly bool $at_least = false,
    ) {
    }

    public function verdict(): string
    {
        if (!$this->seen) {
            return 'not measured';
        }
        $sign = $this->at_least ? -1 : 1;
        return match (true) {
            $sign * $this->seen->median <= $sign * $this->moonshot => 'moonshot',
            $sign * $this->seen->median <= $sign * $this->required => 'met',
            default => 'MISSED',
        };
    }
}

/** @return list<Target> */
function targets(Results $results): array
{
    $pair = fn (string $case, string $who, string $against, string $measure = 'time') =>
        $results->row('pair', $case, $who, $measure, $against);
    /* A bare wake is no lock, and has a round trip less than a hand-over, whose new owner asks whether it has the lock. */
    $wake = fn (string $case, string $who) => $results->row('crowd', $case, $who, 'hand-over', 'wake');
    $symfony = $pair('unix', 'Symfony', 'rlock');

    $targets = [
        new Target('pair / the same scripts from C, one CPU', $pair('unix, one CPU', 'rlock', 'scripts'), 1.05, 1.0,
            $pair('unix, one CPU', 'scripts again', 'scripts')),
        new Target('pair / SET + compare-and-delete, unix', $pair('unix', 'rlock', 'set'), 1.2, 1.05,
            $pair('unix', 'set again', 'set')),
        new Target('pair / SET + compare-and-delete, unix, one CPU', $pair('unix, one CPU', 'rlock', 'set'), 1.2, 1.05,
            $pair('unix, one CPU', 'set again', 'set')),
        new Target('pair / SET + compare-and-delete, TCP, one CPU', $pair('TCP, one CPU', 'rlock', 'set'), 1.1, 1.05,
            $pair('TCP, one CPU', 'set again', 'set')),
        new Target('first pair / phpredis, by hand, unix', $results->row('first', 'unix', 'rlock', 'time', 'phpredis'), 1.1, 1.0),
        new Target('first pair / phpredis, by hand, TCP', $results->row('first', 'TCP', 'rlock', 'time', 'phpredis'), 1.1, 1.0),
        new Target('Symfony Lock / pair, unix', $symfony, 2.5, 4.0, $pair('unix', 'set again', 'set'), at_least: true),
    ];
    foreach ([8, 32, 128] as $size) {
        foreach (['burst', 'loop'] as $kind) {
            foreach ([0, 5] as $hold) {
                $case = "$kind, N = $size, $hold ms";
                $targets[] = new Target("hand-over / bare wake, $case", $wake($case, 'rlock'), 3.0, 2.0, $wake($case, 'wake again'));
            }
        }
    }
    foreach ([2, 8, 32] as $size) {
        $targets[] = new Target("1 ms each way, N = $size: turn / (round trip + 5 ms)",
            $results->row('slow', "loop, N = $size, 5 ms", 'rlock', 'turn', 'trip + hold'), 1.45, 1.3); /* with two round trips */
    }
    foreach (['unix', '1 ms'] as $way) {
        foreach (['3 servers', '5 servers', '3 servers, one frozen', '5 servers, one frozen'] as $servers) {
            $targets[] = new Target("majority of $servers / one server, " . ($way === 'unix' ? 'unix' : '1 ms each way'),
                $results->row('majority', "$way, $servers", 'majority', 'time', 'one'), 1.2, 1.1);
        }
    }
    $requests = array_filter($results->rows,
        fn (Row $row) => $row->section === 'crowd' && $row->who === 'rlock' && $row->measure === 'requests');
    usort($requests, fn (Row $a, Row $b) => $b->median <=> $a->median);
    $shared = fn (string $case, string $who, string $measure, string $against = '-') => $results->row('shared', $case, $who, $measure, $against);
    foreach (['unix', 'unix, one CPU'] as $case) {
        $targets[] = new Target("a share's pair / an exclusive pair, $case", $shared($case, 'rlock, shared', 'time', 'rlock'), 1.3, 1.1,
            $shared($case, 'rlock again', 'time', 'rlock'));
    }
    foreach ([8, 32] as $size) {
        $targets[] = new Target("$size shares enter: from one to the next / (wake + round trip)",
            $shared("burst, N = $size", 'rlock, shared', 'per waiter', 'wake + trip'), 1.3, 1.1,
            $shared("burst, N = $size", 'wake + trip again', 'per waiter', 'wake + trip'));
    }
    $page = fn (string $who, string $against, string $measure) => $results->row('pages', 'alone', $who, $measure, $against);
    foreach (['time' => 'time', 'CPU' => 'client CPU'] as $what => $measure) {
        $targets[] = new Target("PHP-FPM, a page of a session / phpredis, not locked, $what", $page('session, module', 'session, unlocked', $measure),
            1.1, 1.0, $page('session, unlocked again', 'session, unlocked', $measure));
        $targets[] = new Target("PHP-FPM, a page with autoRenew / without, $what", $page('rlock, autoRenew', 'rlock', $measure),
            1.1, 1.0, $page('rlock again', 'rlock', $measure));
    }
    $fair = fn (string $measure) => $results->row('crowd', 'loop, N = 128, 5 ms', 'rlock', $measure);
    return [
        ...$targets,
        new Target('requests per contended grant, any N', $requests[0] ?? null, 4.0, 3.0),
        new Target("requests of a share's pair", $shared('unix', 'rlock, shared', 'requests'), 2, 2),
        new Target('requests per contended grant, 32 shares', $shared('burst, N = 32', 'rlock, shared', 'requests'), 4.0, 3.0),
        new Target('requests per contended grant, 32 for 4 places', $shared('semaphore of 4, N = 32, 5 ms', 'rlock, at most 4', 'requests'), 4.0, 3.0),
        new Target('requests per s of an idle waiter', $results->row('idle', '64 waiters', 'rlock', 'requests'), 12 / 64, 8 / 64),
        new Target('128 processes, 5 ms, 3 s: most minus fewest turns', $fair('most - fewest'), 2, 1),
        new Target('128 processes, 5 ms, 3 s: processes without a turn', $fair('without a turn'), 0, 0),
        new Target('holder killed: ms after the lease, worst round', $results->row('crash', '1 s lease', 'rlock', 'late, worst'), 20, 5),
        new Target('server CPU of a pair / SET + compare-and-delete, one CPU',
            $pair('unix, one CPU', 'rlock', 'set', 'server CPU'), 1.8, 1.4, $pair('unix, one CPU', 'set again', 'set', 'server CPU')),
        new Target('system calls added to a request that does not use it',
            $results->row('syscalls', 'unused request', 'rlock loaded', 'added'), 0, 0),
        new Target('release beside the renewal thread / without one', $results->row('renewal', 'a release', 'rlock, autoRenew', 'time', 'rlock'),
            1.05, 1.0, $results->row('renewal', 'a release', 'rlock again', 'time', 'rlock')),
    ];
}
