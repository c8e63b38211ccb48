--TEST--
Fifty requests of one session at once, on nginx and PHP-FPM: all are served, in their order; beside a pool of phpredis, too
--EXTENSIONS--
session
posix
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/site.inc';

$server = TestServer::start(['--maxclients', '1000'], tcp: true);
$client = $server->client();
$code = '
    $status = session_start();
    $n = $_SESSION["n"] ?? 0;
    usleep(2000);
    for ($end = microtime(true) + 30; isset($_GET["until"]) && !file_exists($_GET["until"]) && microtime(true) < $end; usleep(1000)) {
        clearstatcache();
    }
    $_SESSION["n"] = $n + 1;
    echo json_encode([$status, $n + 1, session_id() === $_COOKIE["PHPSESSID"]]);';
$address = "redis://127.0.0.1:$server->port?timeout=10";
$phpredis = (bool) glob(PHP_EXTENSION_DIR . '/redis.so');
$site = new Site($code, [
    'ours' => ['rlock.servers' => $address, 'session.use_strict_mode' => '1'],
    'theirs' => $phpredis ? ['session.save_handler' => 'redis', 'session.save_path' => "tcp://127.0.0.1:$server->port", 'redis.session.locking_enabled' => '1',
        'redis.session.lock_retries' => '-1', 'redis.session.lock_wait_time' => '2000'] : ['rlock.servers' => $address],
], 50);

function crowd(Site $site, string $id, array $paths): array
{
    $streams = array_map(fn ($path) => $site->ask($path, $id), $paths);
    return array_map(function ($stream) use ($site) {
        [$status, $body] = $site->answer($stream);
        return json_decode($body, true) ?? ["status $status: $body"];
    }, $streams);
}
$id = new_id();
$client('SET', data_key($id), 'n|i:0;');
$answers = crowd($site, $id, array_fill(0, 50, '/'));
$counts = array_column($answers, 1);
sort($counts);
say('each was served, by its turn', $counts === range(1, 50) ?: $answers);
say('with its own id', array_unique(array_column($answers, 2)));

/* Each asks when those before it wait; the first has it until all do. */
$streams = [$site->ask("/?until=$site->folder/go", $id)];
await('the first has it', fn () => !is_free($client, $id));
for ($waiting = 1; $waiting < 50; $waiting++) {
    $streams[] = $site->ask('/', $id);
    await("$waiting who wait", fn () => preg_match("/^blocked_clients:$waiting\r/m", $client('INFO', 'clients')));
}
touch("$site->folder/go");
$answers = array_map(fn ($stream) => json_decode($site->answer($stream)[1], true), $streams);
say('in the order in which they came', array_column($answers, 1) === range(51, 100) ?: array_column($answers, 1));
say('data', $client('GET', data_key($id)));

$answers = crowd($site, $id, array_map(fn ($i) => $i % 2 ? '/' : '/theirs/', range(1, 50)));
$counts = array_column($answers, 1);
sort($counts);
say('half of them by phpredis', $counts === range(101, 150) ?: $answers);

/* Many sessions beside each other. */
$streams = [];
for ($i = 0; $i < 100; $i++) {
    $streams[] = [$site->ask('/', $ids[$i % 10] ??= new_id()), $i];
}
$new = 0;
foreach ($streams as [$stream]) {
    $answer = json_decode($site->answer($stream)[1], true);
    $new += (int) ($answer[0] && !$answer[2]);
}
say('unknown ids got new ones', $new);
say('locks of those ids', count(array_filter($ids, fn ($id) => $client('KEYS', "*$id*"))));
say('the log', $site->log());
?>
--EXPECT--
each was served, by its turn: true
with its own id: [true]
in the order in which they came: true
data: n|i:100;
half of them by phpredis: true
unknown ids got new ones: 100
locks of those ids: 0
the log:
