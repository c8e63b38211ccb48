<?php
/* Crowds of requests of one session: check.php FOLDER PORT. Its last line is `N passed, N failed, 0 skipped`. */

declare(strict_types=1);

require __DIR__ . '/crowd.php';
require __DIR__ . '/app/vendor/autoload.php';

const CROWD = 50;

[, $folder, $port] = $argv;
$port = (int) $port;
$redis = new Redis();
$redis->connect("$folder/redis.sock");
$results = ['passed' => 0, 'failed' => 0];

function check(string $what, bool $holds, mixed $seen = null): void
{
    global $results;
    $results[$holds ? 'passed' : 'failed']++;
    echo $holds ? 'ok      ' : 'FAILED  ', $what, $holds ? '' : ': ' . json_encode($seen), "\n";
}

function new_session(): string
{
    return bin2hex(random_bytes(13));
}

function await(string $what, callable $happened): void
{
    for ($end = microtime(true) + 10.0; !$happened(); usleep(2000)) {
        if (microtime(true) > $end) {
            exit("this did not come: $what\n");
        }
    }
}

/** @return list<Answer> */
function crowd(string $query, float $pause = 0.0): array
{
    global $port;
    return ask($port, new_session(), array_fill(0, CROWD, "/crowd?$query"), $pause);
}

/** @param list<Answer> $answers */
function counts(array $answers): array
{
    $counts = array_map(fn (Answer $answer): mixed => $answer->count, $answers);
    sort($counts);
    return $counts;
}

// Nothing is lost.

foreach (['files', 'redis', 'memcached'] as $store) {
    foreach (['1' => 'a shutdown function', '0' => 'PHP at its very end'] as $shutdown => $writer) {
        $counts = counts(crowd("store=$store&shutdown=$shutdown&work=0.002"));
        check("$store, written by $writer: each of " . CROWD . ' requests counted', $counts === range(1, CROWD), $counts);
    }
}
$counts = counts(crowd('lock=none&work=0.01'));
check('without a lock they would not', max($counts) < CROWD, $counts);
// The last release of a crowd may have been passed to a waiter that was served already: then nobody has it for a second.
await('no lock is left', fn () => $redis->keys('lock@*') === []);

// Time-outs.

/**
 * One request has the session when another comes: the other's answer, that one's, and one's that comes afterwards.
 *
 * @param bool $until the first ends only when the other has been answered
 * @return list<Answer>
 */
function during(string $first, string $second, bool $until = false): array
{
    global $port, $redis, $folder;
    $session = new_session();
    $goOn = "$folder/tmp/$session";
    $holder = new Request($port, $until ? "$first&until=$goOn" : $first, $session);
    await('the first has it', fn () => $redis->exists('lock@' . RLock\Session\SessionId::lockOf($session)));
    [$answer] = ask($port, $session, [$second]);
    touch($goOn);
    await('its answer', function () use ($holder, &$held): bool {
        return ($held = $holder->read()) !== null;
    });
    return [$answer, $held, ask($port, $session, ['/after'])[0]];
}

[$busy, $holder, $after] = during('/slow/report?secret=1', '/quick?wait=0.05', until: true);
check('a request that does not get it fails', $busy->status === 503, $busy);
check('and tells who has it', preg_match(
    '~^The session is still locked after 0\.05 s: [^ ]+:\d+ holds it for "GET /slow/report", with \d+\.\d s left~',
    $busy->body,
) === 1, $busy->body);
check('whoever has it is not disturbed', $holder->count === 1 && $after->count === 2, [$holder, $after]);

[$look, , $after] = during('/slow?', '/look?do=look', until: true);
check('who only looks does not wait', $look->status === 200, $look);
check('and writes nothing', $after->count === 2, $after);

[$readonly, , $after] = during('/slow?', '/quick?wait=0.05&readonly=1', until: true);
check('read-only, it comes through and is not written', $readonly->count === 1 && $after->count === 2, [$readonly, $after]);
$log = (string) file_get_contents("$folder/php.log");
check('and that is logged', substr_count($log, 'The session was not written') === 1, $log);

[$waited, $long, $after] = during('/long?work=1.2&ttl=0.5&renew=1', '/quick');
check('a long request keeps it by renewal', $long->count === 1 && $waited->count === 2 && $after->count === 3, [$long, $waited]);
check('and who waits has it then', $waited->had > $long->had + 1.2e9, [$waited, $long]);

// Ends.

foreach (['1', '0'] as $shutdown) {
    [$after, $crashed] = during("/crash?do=crash&work=0.1&shutdown=$shutdown", '/quick');
    check(
        "after a fatal error the next has it at once (shutdown=$shutdown)",
        $crashed->status === 500 && $after->status === 200 && $after->seconds < 10.0, // of 30 that the lease has
        [$crashed, $after],
    );
}
[$after, $killed] = during('/kill?do=kill&work=0.1&ttl=0.8', '/quick');
check('after a kill the next has it when the lease ends', $after->count === 1 && $after->seconds < 10.0, [$killed, $after]);

// Beside phpredis' own locking.

/** How often each command ran, in scripts, too. */
function commands(): array
{
    global $redis;
    $calls = [];
    foreach ($redis->info('commandstats') as $name => $stats) {
        preg_match('/calls=(\d+)/', $stats, $match);
        $calls[substr($name, strlen('cmdstat_'))] = (int) $match[1];
    }
    return $calls;
}

/** What came from outside: phpredis' script runs one GET. */
function requests(array $commands): int
{
    $of = fn (string $name): int => $commands[$name] ?? 0;
    $scripts = $of('eval') + $of('evalsha');
    return isset($commands['blpop'])
        ? $scripts + $of('blpop') + $of('get') + $of('setex')
        : $of('set') + $scripts + ($of('get') - $scripts) + $of('setex');
}

/** How many who asked more than a millisecond later were served before, on average. */
function overtaken(array $answers): float
{
    $pairs = 0;
    foreach ($answers as $a) {
        foreach ($answers as $b) {
            $pairs += (int) ($a->asked + 1_000_000 < $b->asked && $a->had > $b->had);
        }
    }
    return $pairs / count($answers);
}

/** How long it is from one to the next, beyond its work, where they come one after the other. */
function gap(array $answers, float $work): string
{
    $had = array_map(fn (Answer $answer): int => $answer->had, $answers);
    sort($had);
    $gaps = array_map(fn (int $i): float => ($had[$i + 1] - $had[$i]) / 1e6 - 1e3 * $work, range(0, count($had) - 2));
    sort($gaps);
    return $gaps[0] < 0.0 ? '' : sprintf('%.1f ms', $gaps[intdiv(count($gaps), 2)]);
}

const WORK = 0.01;
const PAUSE = 0.003;

/** @return list<string> a row of the table */
function measure(string $name, string $query): array
{
    global $redis;
    crowd($query);
    crowd($query); // connections and scripts are there
    $redis->rawCommand('CONFIG', 'RESETSTAT');
    $answers = crowd("$query&work=" . WORK, PAUSE);
    $requests = requests(commands());
    $served = array_values(array_filter($answers, fn (Answer $answer): bool => $answer->status === 200));
    $asked = min(array_map(fn (Answer $answer): int => $answer->asked, $served));
    $last = max(array_map(fn (Answer $answer): int => $answer->had, $served));
    return [
        $name,
        (string) count($served),
        (string) max(counts($served)),
        sprintf('%.0f ms', ($last - $asked) / 1e6),
        gap($served, WORK),
        sprintf('%.1f', overtaken($served)),
        (string) $requests,
    ];
}

echo "\n| ", CROWD, " requests of one session, one every 3 ms, 10 ms of work each | served | counted | until the last has it | between two | overtaken by | requests to Redis |\n",
    "| --- | --- | --- | --- | --- | --- | --- |\n";
$rows = [
    measure('rlock', 'lock=rlock'),
    measure('phpredis, lock_retries=-1', 'lock=phpredis'),
    measure('phpredis, default settings', 'lock=phpredis&retries=10'),
];
foreach ($rows as $row) {
    echo '| ', implode(' | ', $row), " |\n";
}
echo "\n";
check('all are served, with fewer requests to Redis', $rows[0][2] === (string) CROWD && (int) $rows[0][6] < (int) $rows[1][6], $rows);

echo "$results[passed] passed, $results[failed] failed, 0 skipped\n";
exit($results['failed'] > 0 ? 1 : 0);
