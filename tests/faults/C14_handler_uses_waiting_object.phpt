--TEST--
C14: a signal handler takes, releases, closes or destroys with the waiting object
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

pcntl_async_signals(true);
$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('busy', ttl: 60.0));
$signaller = Child::start('
    $redis = new RawClient("unix://" . $args["socket"]);
    while (true) {
        $parent->hear();
        $redis->awaitBlocked(1);
        send_signal($args["pid"], SIGUSR1);
        $parent->say("sent");
    }
', ['pid' => getmypid(), 'socket' => $server->socket]);

$in_wait = function (string $name, ?RLock $lock, callable $handler, float $wait) use ($signaller, $client) {
    $result = null;
    pcntl_signal(SIGUSR1, function () use ($handler, &$result) { $result = outcome($handler); });
    $signaller->say('go');
    for ($tries = 20; $tries > 0 && $result === null; $tries--) { // a busy machine may send it too late for the first wait
        $outcome = outcome(fn () => $lock->getLock('busy', wait: $wait));
    }
    $signaller->hear();
    say($name, "$result, then " . $outcome);
    await('nobody parked', fn () => $client->info('blocked_clients') === 0, 3.0);
};

$lock = new RLock($server->url());
$in_wait('takes and releases', $lock, fn () => [$lock->getLock('other'), $lock->isLocking('other'), $lock->releaseLock('other')], 1.0);
$in_wait('takes', $lock, fn () => $lock->getLock('kept', ttl: 60.0), 1.0);
say('it is kept', [$lock->isLocking('kept'), $lock->releaseLock('kept')]);
$in_wait('waits too', $lock, fn () => $lock->getLock('busy', wait: 0.2), 1.2);
$in_wait('frees what is waited for', $lock, fn () => $holder->releaseLock('busy'), 10.0);
say('release', $lock->releaseLock('busy'));
ignore($holder->getLock('busy', ttl: 60.0, wait: 20.0));
$in_wait('many', $lock, function () use ($lock) {
    for ($i = 0; $i < 200; $i++) {
        ignore($lock->getLock("many$i"));
    }
    return true;
}, 1.0);
say('all there', count($client('KEYS', 'lock@many*')));
$in_wait('closes', $lock, fn () => $lock->close(), 3.0);
say('left', count($client('KEYS', 'lock@many*')));

$lock = new RLock($server->url());
ignore($lock->getLock('held', ttl: 60.0));
pcntl_signal(SIGUSR1, function () use (&$lock) { $lock = null; });
$signaller->say('go');
while ($lock) {
    $outcome = outcome(fn () => $lock->getLock('busy', wait: 1.0));
}
say('destroys', $outcome);
$signaller->hear();
say('gone', $lock);
say('left', $client('EXISTS', 'lock@held'));

$lock = new RLock($server->url());
$child = null;
pcntl_signal(SIGUSR1, function () use (&$child) {
    $child ??= pcntl_fork();
});
$signaller->say('go');
while ($child === null) {
    $outcome = outcome(fn () => $lock->getLock('busy', wait: 1.5));
}
if ($child === 0) {
    exit($outcome === 'false' || str_contains($outcome, 'RLockException') ? 0 : 1);
}
say('forks', $outcome);
pcntl_waitpid($child, $status);
say('child ended with', pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'signal ' . pcntl_wtermsig($status));
say("the holder's is unharmed", $holder->releaseLock('busy'));
?>
--EXPECTREGEX--
takes and releases: \[true,true,true\], then false
takes: true, then false
it is kept: \[true,true\]
waits too: false, then false
frees what is waited for: true, then true
release: true
many: true, then false
all there: 200
closes: null, then (false|RLock\\RLockException)
left: 0
destroys: (false|RLock\\RLockException)
gone: null
left: 0
forks: false
child ended with: 0
the holder's is unharmed: true
