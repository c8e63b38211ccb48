--TEST--
rlock.spin: an answer that comes soon is read without a sleep, unless that is turned off
--FILE--
<?php
require __DIR__ . '/../server.inc';

/** A connection sleeps for its first eight answers, and tries to read the next eight. */
const SAMPLE = 8;

function pairs(RLock $lock, int $answers): void
{
    for (; $answers > 0; $answers -= 2) {
        take_briefly($lock->getLock(...), 'key');
        $lock->releaseLock('key');
    }
}

/** How often the process slept meanwhile, at the least of so many times. */
function fewest_sleeps(string $url, int $times): int
{
    $fewest = PHP_INT_MAX;
    for (; $times > 0 && $fewest > 0; $times--) {
        $lock = new RLock($url);
        pairs($lock, SAMPLE);
        $before = getrusage()['ru_nvcsw'];
        pairs($lock, SAMPLE);
        $fewest = min($fewest, getrusage()['ru_nvcsw'] - $before);
    }
    return $fewest;
}

$url = TestServer::start()->url('persistent=0');
pairs(new RLock($url), 2);                                  // the server knows the scripts
$several = (int) shell_exec('nproc') > 1
    && !(preg_match('/^(\d+) (\d+)/', (string) @file_get_contents('/sys/fs/cgroup/cpu.max'), $quota) && $quota[1] < 2 * $quota[2]);
say('on, no sleep', !$several || fewest_sleeps($url, 500) === 0);
ini_set('rlock.spin', '0');
say('off, at least one', fewest_sleeps($url, 50) > 0);
ini_set('rlock.spin', '1');
say('on again', !$several || fewest_sleeps($url, 500) === 0);
?>
--EXPECT--
on, no sleep: true
off, at least one: true
on again: true
