--TEST--
C12: PHP's signals reach the PHP thread, not the renewal thread, and do not hinder it
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

pcntl_async_signals(true);
$client = shared_client();
$lock = new RLock(shared_url(), ttl: 3.0, autoRenew: true, interrupt: true);
take_briefly($lock->getLock(...), $key = unique_key());
say('threads', threads());

/* The renewal thread blocks every signal that can be blocked; ours blocks none. */
$blocked = function (string $task): string {
    preg_match('/^SigBlk:\s*(\w+)/m', file_get_contents("/proc/self/task/$task/status"), $match);
    return $match[1];
};
$tasks = array_diff(scandir('/proc/self/task'), ['.', '..', (string) getmypid()]);
say('blocked by the PHP thread', hexdec($blocked((string) getmypid())));
/* All 64 but SIGKILL and SIGSTOP, and maybe the two that the C library keeps for itself. */
$mask = $blocked((string) reset($tasks));
say('blocked by the other', in_array($mask, ['fffffffffffbfeff', 'fffffffe7ffbfeff']) ? 'all' : $mask);

/* A signal ends a sleep at once, as ever. */
$handled = [];
pcntl_signal(SIGALRM, function () use (&$handled) { $handled[] = basename(readlink('/proc/thread-self')); });
say_took('alarm', seconds(function () {
    pcntl_alarm(1);
    sleep(10);
}), 0.9, 3.0);
say('handled by the PHP thread', $handled === [(string) getmypid()]);

/* A storm of them, and forwards a lease's length: all are handled here, and the lock stays ours. */
$count = $foreign = 0;
pcntl_signal(SIGUSR1, function () use (&$count, &$foreign) {
    $count++;
    $foreign += basename(readlink('/proc/thread-self')) === (string) getmypid() ? 0 : 1;
});
$storm = start_storm(2000);
for ($end = microtime(true) + 3.5; microtime(true) < $end;) {
    usleep(100_000);
}
end_storm($storm);
say('storm', [$count > 100, $foreign, outcome(fn () => $lock->check($key)), $lock->releaseLock($key), await_threads(1)]);
?>
--EXPECT--
threads: 2
blocked by the PHP thread: 0
blocked by the other: all
alarm: in time
handled by the PHP thread: true
storm: [true,0,"null",true,1]
