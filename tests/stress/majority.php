<?php
/*
 * A majority under faults: php tests/stress/majority.php MODULE SECONDS [SERVERS]
 *
 * Workers take and give back a few locks on independent servers, while one server at a time is
 * frozen, or killed and started again with its data, or its connections are cut. Who has a lock
 * makes a file that must not be there yet, and removes it before giving back: a file that is there
 * while the leases of both are safe is a violation. At the end nothing may be left on the servers
 * but what a minority's leases still hold.
 */

declare(strict_types=1);

require __DIR__ . '/../majority.inc';

const WORKERS = 6;
const KEYS = 3;
const TTL = 10.0;

function worker(): void
{
    global $parent, $args;
    [$urls, $folder, $seconds] = $args;
    $lock = new RLock($urls, ttl: TTL);
    $count = ['turns' => 0, 'busy' => 0, 'timeout' => 0, 'lost' => 0, 'unreachable' => 0, 'violations' => 0];
    $end = microtime(true) + $seconds;
    while (microtime(true) < $end) {
        $key = 'key' . mt_rand(1, KEYS);
        try {
            if (!$lock->getLock($key, wait: 3.0)) {
                $count['busy']++;
                continue;
            }
            $file = @fopen("$folder/$key", 'x');
            usleep(mt_rand(0, 2000));
            $lock->check($key);                             // else what we saw says nothing
            if ($file === false) {
                $count['violations']++;
            } else {
                unlink("$folder/$key");
            }
            $lock->releaseLock($key, confirm: mt_rand(0, 3) > 0);
            $count['turns']++;
        } catch (RLock\LostLockException) {
            $count['lost']++;
            @unlink("$folder/$key");
        } catch (RLock\TimeoutException) {
            $count['timeout']++;
            @unlink("$folder/$key");
        } catch (RLock\ConnectionException) {
            $count['unreachable']++;
            if ($lock->lease($key) === null) {
                @unlink("$folder/$key");
            }
        }
    }
    try {
        $lock->releaseAll();
    } catch (RLock\ConnectionException) {
        $count['unreachable']++;
    }
    $parent->say($count);
}

if (isset($parent)) {
    worker();
    return;
}

[, $module, $seconds] = $argv;
$count = (int) ($argv[3] ?? 3);
putenv("TEST_PHP_EXTRA_ARGS=-n -d extension=$module");
$servers = [];
for ($i = 0; $i < $count; $i++) {
    $servers[] = TestServer::start(['--appendonly', 'yes', '--appendfsync', 'always']);
}
$folder = temporary_folder() . '/inside';
mkdir($folder);
$urls = array_map(fn ($server) => $server->url(), $servers);
$workers = array_map(fn () => Child::start('require ' . var_export(__FILE__, true) . ';', [$urls, $folder, (float) $seconds]),
    range(1, WORKERS));

$harmed = ['frozen' => 0, 'restarted' => 0, 'cut' => 0];
$end = microtime(true) + (float) $seconds;
while (microtime(true) < $end) {
    $which = mt_rand(0, $count - 1);
    switch (mt_rand(0, 2)) {
        case 0:
            $servers[$which]->freeze();
            usleep(mt_rand(1000, 400000));
            $servers[$which]->thaw();
            $harmed['frozen']++;
            break;
        case 1:
            $servers[$which]->kill();
            usleep(mt_rand(1000, 200000));
            $servers[$which] = $servers[$which]->restart();
            $harmed['restarted']++;
            break;
        default:
            $servers[$which]->client()('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
            $harmed['cut']++;
    }
    usleep(mt_rand(50000, 300000));
}

$total = [];
foreach ($workers as $worker) {
    foreach ($worker->hear() as $what => $number) {
        $total[$what] = ($total[$what] ?? 0) + $number;
    }
    $worker->wait();
}
$left = [];
foreach ($servers as $server) {
    foreach ($server->client()('KEYS', 'lock@*') as $key) {
        $left[$key] = ($left[$key] ?? 0) + 1;
    }
}
foreach ($total + $harmed as $what => $number) {
    echo "$what $number\n";
}
foreach ($left as $key => $number) {
    echo "left $key on $number servers\n";
}
exit($total['violations'] === 0 && $total['turns'] > 0 && max([0, ...$left]) <= intdiv($count, 2) ? 0 : 1);
