<?php
/*
 * Many processes want one lock, again and again: is it handed over in the order of waiting, does
 * everybody have his turn, and what does a turn cost the server? Each process takes TURNS turns,
 * holds the lock for HOLD microseconds, and asks again at once. Started by bench/run.
 *
 * Order: all turns sorted by when they were asked for, against the same sorted by when they were
 * granted; how many places a turn moved. Spread: turns of the slowest process when the fastest
 * has had all its own.
 */

declare(strict_types=1);

require __DIR__ . '/lib.php';

const TURNS = 40;
const HOLD = 1000;

/** @return array{asked: list<int>, granted: list<int>, released: list<int>, worker: list<int>, requests: int, calls: array<string, int>} */
function play(Server $server, int $processes): array
{
    $workers = [];
    for ($number = 0; $number < $processes; $number++) {
        $workers[] = Worker::php('queue-worker.php', "unix://{$server->socket}", "bench:queue:$processes", (string) HOLD);
    }
    foreach ($workers as $worker) {
        $worker->line();                                    // ready
    }
    $server->resetCalls();
    foreach ($workers as $worker) {
        $worker->tell((string) TURNS);
    }
    $seen = ['asked' => [], 'granted' => [], 'released' => [], 'worker' => [], 'requests' => 0];
    foreach ($workers as $number => $worker) {
        for ($turn = 0; $turn < TURNS; $turn++) {
            [$seen['asked'][], $seen['granted'][], $seen['released'][]] = $worker->numbers();
            $seen['worker'][] = $number;
        }
        $seen['requests'] += $worker->numbers()[0];
    }
    $seen['calls'] = $server->calls();
    return $seen;
}

/** @return list<int> how many places each turn moved between asking and being granted */
function moves(array $seen): array
{
    $byAsked = $byGranted = array_keys($seen['asked']);
    usort($byAsked, fn (int $a, int $b) => $seen['asked'][$a] <=> $seen['asked'][$b]);
    usort($byGranted, fn (int $a, int $b) => $seen['granted'][$a] <=> $seen['granted'][$b]);
    $place = array_flip($byAsked);
    return array_map(fn (int $turn, int $now) => abs($place[$turn] - $now), $byGranted, array_keys($byGranted));
}

/** Turns of the slowest process at the moment when the fastest has had its last. */
function fewest(array $seen): int
{
    $last = $turns = [];
    foreach ($seen['worker'] as $turn => $worker) {
        $last[$worker] = max($last[$worker] ?? 0, $seen['granted'][$turn]);
    }
    foreach ($seen['worker'] as $turn => $worker) {
        $turns[$worker] = ($turns[$worker] ?? 0) + ($seen['granted'][$turn] <= min($last) ? 1 : 0);
    }
    return min($turns);
}

/** Turns that began before the one before had ended: must be none. */
function overlaps(array $seen): int
{
    $order = array_keys($seen['granted']);
    usort($order, fn (int $a, int $b) => $seen['granted'][$a] <=> $seen['granted'][$b]);
    $count = $end = 0;
    foreach ($order as $turn) {
        $count += $seen['granted'][$turn] < $end ? 1 : 0;
        $end = max($end, $seen['released'][$turn]);
    }
    return $count;
}

$server = new Server();
$rows = [['processes', 'turns', 'ms a turn', 'within 3 places', 'most places', 'fewest turns', 'overlaps',
    'requests a grant', 'evalsha', 'blpop']];
$requests = [];
foreach ([2, 8, 32] as $processes) {
    $seen = play($server, $processes);
    $grants = count($seen['granted']);
    $moves = moves($seen);
    $within = count(array_filter($moves, fn (int $move) => $move <= 3)) / $grants;
    $fewest = fewest($seen);
    $overlaps = overlaps($seen);
    $requests[$processes] = $seen['requests'] / $grants;
    $rows[] = [(string) $processes, (string) $grants,
        sprintf('%.2f', (max($seen['granted']) - min($seen['granted'])) / ($grants - 1) / 1e6),
        sprintf('%.1f %%', 100 * $within), (string) max($moves), sprintf('%d of %d', $fewest, TURNS), (string) $overlaps,
        ...array_map(fn (float $count) => sprintf('%.2f', $count),
            [$requests[$processes], ($seen['calls']['evalsha'] ?? 0) / $grants, ($seen['calls']['blpop'] ?? 0) / $grants])];
}

printf("A crowd: each process takes %d turns of %.1f ms, asking again at once, over a unix socket\n\n", TURNS, HOLD / 1000);
table($rows);
echo "\n";
required($within >= 0.99, sprintf('32 processes: %.1f %% of grants within 3 places of the order of waiting, at least 99 %%', 100 * $within));
required($fewest > 0, '32 processes: each has had a turn when the fastest has had all of its own');
required($overlaps === 0, '32 processes: no two turns overlap');
required(max($requests) <= 1.1 * $requests[2], sprintf('requests a grant do not grow: %.2f with 2 processes, %.2f with 32', $requests[2], $requests[32]));
