--TEST--
A site is changed over under load, from phpredis' handler to ours and back, and each request has counted
--EXTENSIONS--
session
posix
--SKIPIF--
<?php
if (trim((string) shell_exec('command -v nginx')) === '' || !glob('/usr/{sbin,bin,local/sbin}/php-fpm*', GLOB_BRACE)) {
    die('skip nginx and PHP-FPM are not installed');
}
if (!glob(ini_get('extension_dir') . '/redis.so')) {
    die('skip phpredis is not installed');
}
?>
--FILE--
<?php
require __DIR__ . '/site.inc';

$server = TestServer::start(['--maxclients', '1000'], tcp: true);
$client = $server->client();
$site = new Site('session_start(); $n = $_SESSION["n"]; usleep(2000); $_SESSION["n"] = $n + 1; echo $n + 1;', [
    'ours' => ['rlock.servers' => "redis://127.0.0.1:$server->port?timeout=10"],
    'theirs' => ['session.save_handler' => 'redis', 'session.save_path' => "tcp://127.0.0.1:$server->port", 'redis.session.locking_enabled' => '1',
        'redis.session.lock_retries' => '-1', 'redis.session.lock_wait_time' => '2000'],
], 8);

/* So many visitors of each pool ask again as soon as they are answered. How many were, by pool. */
function load(Site $site, string $id, array $visitors, float $seconds = 0.4): array
{
    $open = [];
    $served = array_map(fn () => 0, $visitors);
    $ask = function (string $pool) use ($site, $id, &$open) {
        $stream = $site->ask($pool === 'ours' ? '/' : '/theirs/', $id);
        $open[(int) $stream] = [$pool, $stream];
    };
    foreach ($visitors as $pool => $count) {
        array_map($ask, array_fill(0, $count, $pool));
    }
    for ($end = microtime(true) + $seconds; $open;) {
        $read = array_column($open, 1);
        $none = null;
        if (!stream_select($read, $none, $none, (int) PATIENCE)) {
            throw new RuntimeException(count($open) . ' requests are not answered');
        }
        foreach ($read as $stream) {
            [$pool] = $open[(int) $stream];
            unset($open[(int) $stream]);
            [$status, $body] = $site->answer($stream);
            $served[$pool] += (int) ($status === 200 && (int) $body > 0);
            if (microtime(true) < $end) {
                $ask($pool);
            }
        }
    }
    return $served;
}
$id = new_id();
$client('SET', data_key($id), 'n|i:0;');
$sum = 0;
foreach ([['theirs' => 4], ['theirs' => 3, 'ours' => 1], ['theirs' => 1, 'ours' => 3], ['ours' => 4], ['theirs' => 2, 'ours' => 2], ['theirs' => 4]] as $visitors) {
    $served = load($site, $id, $visitors);
    $sum += array_sum($served);
    say(text($visitors), [min($served) > 0, $client('GET', data_key($id)) === "n|i:$sum;"]);
}
say('the log', $site->log());
?>
--EXPECT--
{"theirs":4}: [true,true]
{"theirs":3,"ours":1}: [true,true]
{"theirs":1,"ours":3}: [true,true]
{"ours":4}: [true,true]
{"theirs":2,"ours":2}: [true,true]
{"theirs":4}: [true,true]
the log:
