--TEST--
rlock.slow_wait: one line in PHP's error log for each wait that took longer, and no error handler is called
--FILE--
<?php
require __DIR__ . '/../server.inc';

$log = temporary_folder() . '/log';
touch($log);
ini_set('error_log', $log);
set_error_handler(fn (int $level, string $message) => str_contains($message, 'RLock') && say('the handler heard', $message));
/* What was logged since the last look, without times and processes. */
$logged = function () use ($log): array {
    $text = file_get_contents($log);
    file_put_contents($log, '');
    $text = preg_replace(['/^\[.*?\] /m', '/\d+\.\d{3} s/', '/[^\s:"]+:\d+/'], ['', 'N s', 'HOST:PID'], $text);
    return $text === '' ? [] : explode("\n", trim($text));
};
$key = 'a key';
$server = TestServer::start();
[$holder, $lock] = [new RLock($server->url()), new RLock($server->url())];
ignore($holder->getLock($key, ttl: 60.0, metadata: 'import'));
say('off', [$lock->getLock($key, wait: 0.1), $logged()]);
ini_set('rlock.slow_wait', '0.05');
say('in vain', [$lock->getLock($key, wait: 0.1), $logged()]);
say('shared', [$lock->getSharedLock($key, wait: 0.1), $logged()]);
say('by name', [$lock->detached($key, 'name')->getLock(wait: 0.1), $logged()]);
say('synchronized', outcome(fn () => $lock->synchronized($key, fn () => 1, wait: 0.1)));
say('logged', $logged());
say('several', [$lock->getLocks([$key, 'b'], wait: 0.1), $logged()]);
say('no wait', [$lock->getLock($key), $logged()]);
$pending = $lock->requestLock($key, wait: 0.1);
while ($pending->poll() === null) {
    usleep(1000);
}
say('requested', $logged());
say('once', [$pending->poll(), $logged()]);
ini_set('rlock.slow_wait', '60');
say('not that slow', [$lock->getLock($key, wait: 0.1), $logged()]);
ini_set('rlock.slow_wait', '0.05');
$holder->releaseLock($key, delayAfter: 0.2);
say('and had it', [$lock->getLock($key, wait: 10.0), $logged()]);
?>
--EXPECT--
off: [false,[]]
in vain: [false,["RLock: a wait for \"a key\" took N s, in vain: this very process, HOST:PID (\"import\"), holds it for another N s"]]
shared: [false,["RLock: a wait for \"a key\" took N s, in vain: this very process, HOST:PID (\"import\"), holds it for another N s"]]
by name: [false,["RLock: a wait for \"a key\" took N s, in vain: this very process, HOST:PID (\"import\"), holds it for another N s"]]
synchronized: RLock\NotAcquiredException
logged: ["RLock: a wait for \"a key\" took N s, in vain: this very process, HOST:PID (\"import\"), holds it for another N s"]
several: [false,["RLock: a wait for \"a key\" and 1 more took N s, in vain"]]
no wait: [false,[]]
requested: ["RLock: a wait for \"a key\" took N s, in vain"]
once: [false,[]]
not that slow: [false,[]]
and had it: [true,["RLock: a wait for \"a key\" took N s"]]
