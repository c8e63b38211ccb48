<?php
/*
 * Ten processes, each ten times: a lease of 0.6 s outlives a call that blocks the script for 10 s.
 * Nothing is taken anew by the renewal, so whoever still holds it at the end has held it throughout.
 */
declare(strict_types=1);

require __DIR__ . '/../server.inc';

const PROCESSES = 10;
const CALLS = ['sleep', 'usleep', 'a query', 'a query that waits', 'a stream', 'a command', 'a computation',
    'a sort', 'a lock on a file', 'select'];

/* How many wanted a CPU, on average over the last minute. */
function load(): string
{
    return strtok(file_get_contents('/proc/loadavg'), ' ');
}

const WORKER = <<<'PHP'
    $lock = new RLock($args['url'], ttl: 0.6, autoRenew: true);
    $key = $args['key'];
    $file = tempnam($args['folder'], 'db');
    $computing = function (callable $work): void {             // one call that lasts for 10 s, and those that find out how
        for ($size = 1000, $took = 0.0; $took < 10.0; $size = (int) ($size * min(30.0, max(1.1, 10.5 / max($took, 0.001))))) {
            $took = seconds(fn () => $work($size));
        }
    };
    $calls = [
        'sleep' => fn () => sleep(10),
        'usleep' => fn () => usleep(10_000_000),
        'a query' => function () use ($computing) {
            $db = new SQLite3(':memory:');
            $computing(fn ($size) => $db->querySingle("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT $size) SELECT sum(x) FROM n"));
        },
        'a query that waits' => function () use ($file) {
            $holder = new SQLite3($file);
            $holder->exec('BEGIN EXCLUSIVE');
            $db = new SQLite3($file);
            $db->busyTimeout(10_000);
            @$db->exec('CREATE TABLE t (x)');
        },
        'a stream' => function () {
            $process = popen('sleep 10; echo done', 'r');
            fgets($process);
            pclose($process);
        },
        'a command' => fn () => exec('sleep 10'),
        'a computation' => fn () => $computing(fn ($size) => hash_pbkdf2('sha512', 'password', 'salt', $size)),
        'a sort' => fn () => $computing(fn ($size) => array_multisort(...[array_map(fn () => mt_rand(), range(1, min(1_000_000, $size)))])
            && hash_pbkdf2('sha256', 'password', 'salt', $size)),
        'a lock on a file' => function () use ($file) {
            $holder = popen('flock -x ' . escapeshellarg($file) . ' -c "echo held; sleep 10"', 'r');
            fgets($holder);
            flock($handle = fopen($file, 'r'), LOCK_EX);
            pclose($holder);
        },
        'select' => function () {
            [$one, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $read = [$one];
            $none = null;
            stream_select($read, $none, $none, 10);
        },
    ];
    while (true) {
        $name = $parent->hear();
        $lock->getLock($key) || exit(1);
        $took = seconds($calls[$name]);
        $check = outcome(fn () => $lock->check($key));
        $parent->say([$took, $check, $lock->isLocking($key), outcome(fn () => $lock->releaseLock($key))]);
    }
    PHP;

$server = TestServer::start();
$keys = array_map(fn (int $number) => "outlive-$number", range(1, PROCESSES));
$workers = array_map(fn (string $key) => Child::start(WORKER, ['url' => $server->url(), 'key' => $key, 'folder' => temporary_folder()]), $keys);
$failed = 0;
$done = 0;
for ($time = 0; $time < 10; $time++) {
    foreach ($workers as $number => $worker) {
        $worker->say(CALLS[($number + $time) % count(CALLS)]);
    }
    foreach ($workers as $number => $worker) {
        $name = CALLS[($number + $time) % count(CALLS)];
        [$took, $check, $locking, $release] = $worker->hear(120.0);
        $done++;
        if ($took < 9.9 || $check !== 'null' || !$locking || $release !== 'true') {
            $failed++;
            printf("%s, %.1f s, at a load of %s: check %s, isLocking %s, release %s\n", $name, $took, load(), $check,
                text($locking), $release);
        }
    }
}
printf("%d of %d leases of 0.6 s outlived a call of 10 s; the load is %s\n", $done - $failed, $done, load());
exit($failed > 0 ? 1 : 0);
