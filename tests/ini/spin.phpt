--TEST--
rlock.spin: where it is turned on, an answer that comes soon is read without a sleep
--FILE--
<?php
require __DIR__ . '/../server.inc';

/** A connection sleeps for its first 16 answers, and tries to read the next 16. */
const SAMPLE = 16;

function pairs(RLock $lock, int $answers): void
{
    for (; $answers > 0; $answers -= 2) {
        take_briefly($lock->getLock(...), 'key');
        $lock->releaseLock('key');
    }
}

/** How often the process slept for those of a new connection that are tried. */
function sleeps(string $url, string $spin): int
{
    ini_set('rlock.spin', $spin);
    $lock = new RLock($url);
    pairs($lock, SAMPLE);
    $before = getrusage()['ru_nvcsw'];
    pairs($lock, SAMPLE);
    return getrusage()['ru_nvcsw'] - $before;
}

/** Whether that is clearly less often with the one setting than with the other, of two that take turns. */
function sleeps_less(string $url, string $one, string $other): bool
{
    for ($sleeps = [0, 0], $i = 0; $i < 40; $i++) {
        $sleeps[0] += sleeps($url, $one);
        $sleeps[1] += sleeps($url, $other);
    }
    return $sleeps[0] < 0.7 * $sleeps[1];
}

/** Of all CPUs' time so far: how much they were idle, and all of it. */
function cpu_time(): array
{
    $times = array_map(intval(...), array_slice(preg_split('/\s+/', file('/proc/stat')[0]), 1, 8));
    return [$times[3] + $times[4], array_sum($times)];
}

$url = TestServer::start()->url('persistent=0');
$several = (int) shell_exec('nproc') > 1;
[$idle, $all] = cpu_time();
for ($tries = 1; $several && $tries < 10 && !sleeps_less($url, '1', '0'); $tries++);
[$idle, $all] = [cpu_time()[0] - $idle, cpu_time()[1] - $all];
say('on, unless others use all CPUs', $tries < 10 || $idle < 0.5 * $all);
say('off', sleeps_less($url, '0', 'off'));
?>
--EXPECT--
on, unless others use all CPUs: true
off: false
