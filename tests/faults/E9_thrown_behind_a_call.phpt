--TEST--
E9: what a signal handler throws when a call has taken the lock leaves nothing behind: `finally` gives it back, and so does synchronized()
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

const ENOUGH = 30, MOST = 100_000;

pcntl_async_signals(true);
$client = ($server = TestServer::start())->client();
$lock = new RLock($server->url());
/* Once a turn, as soon as the lock is held. */
$may_throw = false;
pcntl_signal(SIGUSR1, function () use ($lock, &$may_throw) {
    if ($may_throw && $lock->lease('job')) {
        $may_throw = false;
        throw new DomainException('enough');
    }
});
$storm = start_storm(300);

function work(): void
{
    for ($i = 0; $i < 1000; $i++);
}

$turns = [
    'getLock' => function (?bool &$got) use ($lock, &$may_throw) {
        try {
            $got = $lock->getLock('job', ttl: 300.0);
            work();
            $may_throw = false; // not in the midst of `finally`
        } finally {
            ignore($lock->releaseLock('job'));
        }
    },
    'synchronized' => function (?bool &$got) use ($lock) {
        $got = $lock->synchronized('job', function () {
            work();
            return true;
        }, ttl: 300.0);
    },
];
foreach ($turns as $name => $turn) {
    $thrown = $unseen = $left = 0;
    for ($i = 0; $i < MOST && $unseen < ENOUGH && $thrown < 10 * ENOUGH; $i++) {
        $got = null;
        $may_throw = true;
        try {
            $turn($got);
        } catch (DomainException) {
            $thrown++;
            $unseen += (int) ($got === null);
        }
        $may_throw = false;
        pcntl_sigprocmask(SIG_BLOCK, [SIGUSR1]); // the raw client's reading bears no signal
        $left += (int) ($lock->lease('job') !== null) + $client('EXISTS', 'lock@job');
        pcntl_sigprocmask(SIG_UNBLOCK, [SIGUSR1]);
    }
    /* PHP 8.2 looks for signals only where PHP code goes on. */
    say($name, ['thrown' => $thrown > 0, 'before its result was seen' => $unseen > 0 || PHP_VERSION_ID < 80400, 'left' => $left]);
}
end_storm($storm);
?>
--EXPECT--
getLock: {"thrown":true,"before its result was seen":true,"left":0}
synchronized: {"thrown":true,"before its result was seen":true,"left":0}
