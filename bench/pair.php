<?php
/*
 * What a pair (getLock + releaseLock, nobody else there) costs beyond the two requests that it
 * is made of. Each round lets three processes do the same number of pairs, in turn: a C loop on
 * plain hiredis that sends the same two scripts with arguments of the same sizes, a second such
 * loop (what differs between the two is noise), and PHP. Ratios are taken round by round.
 * Started by bench/run.
 */

declare(strict_types=1);

require __DIR__ . '/lib.php';

const ROUNDS = 300;
const PAIRS = 31;
const KEY = 'bench:pair';

$server = new Server();
$addresses = [
    'unix socket' => ["unix://{$server->socket}", $server->socket],
    'TCP loopback' => ["redis://127.0.0.1:{$server->port}", (string) $server->port],
];
$times = [['', 'raw, us', 'PHP, us', 'PHP/raw: quartile', 'median', 'quartile', 'raw/raw: quartile', 'median', 'quartile']];
$counts = [['per pair', 'evalsha', 'other requests', "stats()['requests']"]];
$ratios = $trips = [];

foreach ($addresses as $name => [$url, $raw]) {
    $workers = [
        'raw' => new Worker(getenv('RLOCK_BENCH_RAW'), $raw, KEY),
        'again' => new Worker(getenv('RLOCK_BENCH_RAW'), $raw, KEY),
        'php' => Worker::php('pair-worker.php', $url, KEY),
    ];
    foreach ($workers as $worker) {                         // connected, scripts loaded, caches warm
        $worker->tell((string) PAIRS);
        $worker->line();
    }

    $medians = array_fill_keys(array_keys($workers), []);
    $order = array_keys($workers);
    for ($round = 0; $round < ROUNDS; $round++) {
        array_push($order, array_shift($order));            // nobody always follows the same one
        foreach ($order as $who) {
            $workers[$who]->tell((string) PAIRS);
            $medians[$who][] = $workers[$who]->numbers()[0];
        }
    }
    $ratio = array_map(fn (int $php, int $raw) => $php / $raw, $medians['php'], $medians['raw']);
    $noise = array_map(fn (int $again, int $raw) => $again / $raw, $medians['again'], $medians['raw']);
    $ratios[$name] = quantile($ratio, 0.5);
    $times[] = [$name,
        sprintf('%.1f', quantile($medians['raw'], 0.5) / 1000),
        sprintf('%.1f', quantile($medians['php'], 0.5) / 1000),
        ...array_map(fn (float $which) => sprintf('%.3f', quantile($ratio, $which)), [0.25, 0.5, 0.75]),
        ...array_map(fn (float $which) => sprintf('%.3f', quantile($noise, $which)), [0.25, 0.5, 0.75])];

    $server->resetCalls();
    $workers['php']->tell((string) PAIRS);
    [, $requests] = $workers['php']->numbers();
    $calls = $server->calls();
    $inScripts = array_flip(['set', 'get', 'mget', 'del', 'time', 'lpop', 'rpush', 'pttl', 'pexpire', 'exists']);
    $own = ['evalsha' => 0, 'info' => 0, 'config|resetstat' => 0];
    $other = array_sum(array_diff_key($calls, $own, $inScripts));
    $trips[$name] = [$calls['evalsha'] ?? 0, $other, $requests];
    $counts[] = [$name, ...array_map(fn (int $count) => sprintf('%.2f', $count / PAIRS), $trips[$name])];
    unset($workers, $worker);
}

printf("A pair alone: %d rounds of %d pairs each, medians\n\n", ROUNDS, PAIRS);
table($times);
echo "\n";
table($counts);
echo "\n";
foreach ($addresses as $name => $_) {
    required($ratios[$name] <= 1.25, sprintf('%s: %.3f times the raw loop, at most 1.25', $name, $ratios[$name]));
    required($trips[$name] === [2 * PAIRS, 0, 2 * PAIRS], "$name: a pair is two requests");
}
