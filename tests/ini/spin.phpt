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

/** Whether it slept for none of those, on five of at most so many connections: by chance that comes about once. */
function reads_without_sleep(string $url, int $connections): bool
{
    for ($sleepless = 0; $connections > 0 && $sleepless < 5; $connections--) {
        $lock = new RLock($url);
        pairs($lock, SAMPLE);
        $before = getrusage()['ru_nvcsw'];
        pairs($lock, SAMPLE);
        $sleepless += getrusage()['ru_nvcsw'] === $before;
    }
    return $sleepless === 5;
}

$url = TestServer::start()->url('persistent=0');
pairs(new RLock($url), 2);                                  // the server knows the scripts
$several = (int) shell_exec('nproc') > 1
    && !(preg_match('/^(\d+) (\d+)/', (string) @file_get_contents('/sys/fs/cgroup/cpu.max'), $quota) && $quota[1] < 2 * $quota[2]);
say('on', !$several || reads_without_sleep($url, 500));
ini_set('rlock.spin', '0');
say('off', reads_without_sleep($url, 50));
ini_set('rlock.spin', '1');
say('on again', !$several || reads_without_sleep($url, 500));
?>
--EXPECT--
on: true
off: false
on again: true
