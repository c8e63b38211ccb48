<?php
/*
 * Lets two crowds into the shop, looks what becomes of it, and fails if anything is not as it
 * should be. Started by ./run, which has started the servers.
 */

declare(strict_types=1);

require __DIR__ . '/Shop.php';

const PATIENCE = 10.0;

[, $folder, $port] = $argv;
$workers = (int) preg_replace('/.*^pm.max_children = (\d+).*/ms', '$1', file_get_contents(__DIR__ . '/php-fpm.conf'));
$items = ['chair', 'desk', 'lamp', 'shelf'];
$stock = 100;
$shop = Shop::open("$folder/shop.sqlite", array_fill_keys([...$items, 'unguarded', 'spare'], $stock));

/** Asks Redis on a connection of ours, always the same. */
function redis(string ...$words): string
{
    static $stream = null;
    global $folder;
    $stream ??= stream_socket_client("unix://$folder/redis.sock");
    fwrite($stream, implode(' ', $words) . "\r\n");
    $line = rtrim(fgets($stream), "\r\n");
    return match (true) {
        $line === '$-1' => '',
        $line[0] === '$' => substr(stream_get_contents($stream, (int) substr($line, 1) + 2), 0, -2),
        default => substr($line, 1),
    };
}

/** Connections of rlock clients now. */
function connections(): int
{
    return preg_match_all('/ name=rlock:/', redis('CLIENT', 'LIST'));
}

function connections_ever(): int
{
    preg_match('/^total_connections_received:(\d+)/m', redis('INFO', 'stats'), $match);
    return (int) $match[1];
}

/** By a holder, that is: after a crowd, a release still leaves the lock for whoever asks next for a second. */
function isLocked(string $item): bool
{
    return str_starts_with(redis('GET', "lock@checkout:$item"), 'rlock1:');
}

function must(bool $fulfilled, string $what): void
{
    echo $fulfilled ? '  ok      ' : '  FAILED  ', $what, "\n";
    $fulfilled || exit(1);
}

/** Waits until it is so. The seconds that it took, or null. */
function soon(callable $isSo): ?float
{
    $start = microtime(true);
    while (!$isSo()) {
        if (microtime(true) > $start + PATIENCE) {
            return null;
        }
        usleep(10_000);
    }
    return microtime(true) - $start;
}

/** @return resource the connection on which the answer will come */
function ask(string $path): mixed
{
    global $port;
    $stream = stream_socket_client("tcp://127.0.0.1:$port", timeout: PATIENCE);
    stream_set_timeout($stream, (int) PATIENCE);
    fwrite($stream, "GET $path HTTP/1.0\r\nHost: shop\r\n\r\n");
    return $stream;
}

/**
 * Two clients at once, each with so many requests, eight of them at a time.
 *
 * @return array{array<string, int>, int} how often which answer; the most connections to Redis seen meanwhile
 */
function crowd(string $page, array $items, int $requests): array
{
    global $port;
    $clients = $pipes = [];
    foreach (['ada', 'bob'] as $name) {
        $clients[] = proc_open([PHP_BINARY, __DIR__ . '/client.php', $port, $page, implode(',', $items), $requests, 8, $name],
            [1 => ['pipe', 'w']], $pipe);
        $pipes[] = $pipe[1];
    }
    $most = 0;
    do {
        $most = max($most, connections());
        usleep(20_000);
    } while (array_filter($clients, fn ($client) => proc_get_status($client)['running']));

    $answers = [];
    foreach ($pipes as $pipe) {
        $output = stream_get_contents($pipe);
        $counts = json_decode($output, true) ?? exit("a client failed: $output\n");
        foreach ($counts as $answer => $count) {
            $answers[$answer] = ($answers[$answer] ?? 0) + $count;
        }
    }
    ksort($answers);
    return [$answers, $most];
}

function show(array $answers): void
{
    foreach ($answers as $answer => $count) {
        printf("  %5d   %s\n", $count, $answer);
    }
}

echo "Without a lock: 400 requests for $stock pieces\n";
[$answers] = crowd('unguarded.php', ['unguarded'], 200);
show($answers);
must($shop->sold('unguarded') > $stock, "it oversells: {$shop->sold('unguarded')} sold");

$requests = 1500;
printf("\nUnder the lock: %d requests for %d pieces of each of %d items, %d workers\n", 2 * $requests, $stock, count($items), $workers);
$before = connections_ever();
$start = microtime(true);
[$answers, $most] = crowd('buy.php', $items, $requests);
$seconds = microtime(true) - $start;
show($answers);
foreach ($items as $item) {
    must($shop->stock()[$item] === 0 && $shop->sold($item) === $stock, "$item: {$shop->sold($item)} sold, {$shop->stock()[$item]} left");
}
must($answers === ['200 sold' => $stock * count($items), '409 sold out' => 2 * $requests - $stock * count($items)],
    'every customer was told the truth');
must($most <= $workers, "at most $most connections to Redis at once, for $workers workers");
must(connections_ever() - $before <= $workers, connections_ever() - $before . ' were made in all: they are used again');
printf("          %.0f requests a second\n", 2 * $requests / $seconds);

echo "\nA request dies of a fatal error, with the lock for ten minutes\n";
$answer = stream_get_contents(ask('/fatal.php?item=spare'));
must(str_contains($answer, ' 500 '), 'it dies');
must(str_contains(file_get_contents("$folder/php.log"), 'Allowed memory size'), 'of what was meant');
must(($seconds = soon(fn () => !isLocked('spare'))) !== null, sprintf('the lock is free %.2f s later', $seconds));

echo "\nA client hangs up in the midst of a request that has the lock for ten minutes\n";
$client = ask('/slow.php?item=spare');
while (!str_starts_with((string) fgets($client), 'holding it')) {
    feof($client) && must(false, 'it holds the lock');
}
must(isLocked('spare'), 'it holds the lock');
$page = stream_get_contents(ask('/who.php'));
must(preg_match('~<td>spare</td>\s*<td>\d+</td>\s*<td>[^<]+:\d+</td>\s*<td>takes its time</td>\s*<td>\d+</td>\s*<td>\d+\.\d s</td>~', $page) === 1,
    'who.php shows it');
fclose($client);
must(($seconds = soon(fn () => !isLocked('spare'))) !== null, sprintf('the lock is free %.2f s after it has hung up', $seconds));

printf("\n%d requests end while a thread of their worker renews their lease, with the lock\n", 2 * $workers);
$forgotten = $used = [];
foreach (['first', 'second'] as $turn) {
    $names = array_map(fn (int $number) => "$turn-$number", range(1, $workers));
    $forgotten = [...$forgotten, ...$names];
    foreach (array_map(fn (string $item) => ask("/forgetful.php?item=$item"), $names) as $client) {
        $answer = json_decode(preg_replace('/.*\n/s', '', stream_get_contents($client)), true);
        ($answer['threads'] ?? 0) === 2 || must(false, 'its lease was renewed');
        $used[] = $answer['worker'];
    }
}
must(count(array_unique($used)) <= $workers, 'all leases were renewed, also of the next request of the same worker');
must(($seconds = soon(fn () => !array_filter($used, fn (int $worker) => count(glob("/proc/$worker/task/*")) !== 1))) !== null,
    sprintf('no worker has a thread %.2f s later', $seconds));
must(!array_filter($forgotten, isLocked(...)), 'no lock is held');

echo "\nFPM is reloaded, while a request holds the lock, and another is renewing its lease\n";
$client = ask('/slow.php?item=spare&seconds=1');
$renewing = ask('/forgetful.php?item=lamp&times=2');
foreach ([$client, $renewing] as $stream) {
    while (!str_starts_with((string) fgets($stream), 'holding it')) {
        feof($stream) && must(false, 'it holds the lock');
    }
}
must(connections() > 0, connections() . ' connections to Redis before');
posix_kill((int) file_get_contents("$folder/fpm.pid"), SIGUSR2);
must(str_ends_with(stream_get_contents($client), "gave it back\n"), 'the request comes to its end');
must(json_decode(stream_get_contents($renewing), true)['threads'] === 2, 'and so does the other');
must(soon(fn () => !array_filter($used, fn (int $worker) => posix_kill($worker, 0))) !== null, 'the workers end');
must(!str_contains(file_get_contents("$folder/fpm.log"), 'on signal'), 'none of them by a signal');
must(($seconds = soon(fn () => connections() === 0)) !== null, sprintf('no connection to Redis is left, %.2f s later', $seconds));
must(str_contains(stream_get_contents(ask('/buy.php?item=lamp&customer=eve')), 'sold out'), 'the shop is open');
must(connections() === 1, 'on one new connection');
must(!array_filter([...$items, 'spare'], isLocked(...)), 'no lock is held in the end');
