--TEST--
confirm: false, sent in time to a server that gets to it when the lease has ended: late, unless it may have come before
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
/* The server gets to it when the lease has ended; what happens before and after it has answered. */
$late = function (callable $before, callable $after) use ($client, $lock) {
    say('release', done_within(0.3, function () use ($client, $lock) {
        ignore($lock->getLock('key', ttl: 0.4));
        $client('CLIENT', 'PAUSE', 60000, 'WRITE');
        return $lock->releaseLock('key', confirm: false);
    }, fn () => [$client('CLIENT', 'UNPAUSE'), outcome(fn () => $lock->releaseAll()), outcome(fn () => $lock->holder('any'))]));
    usleep(450_000);
    $before();
    $client('CLIENT', 'UNPAUSE');
    $client('SET', 'written', 'at last'); /* what waited longer has been done ... */
    $client('PING');                      /* ... and answered */
    $after();
};
$next = function () use ($lock) {
    say('the next call', outcome(fn () => $lock->holder('any')));
    say('once', outcome(fn () => $lock->holder('any')));
};

echo "a call after the lease's end has found no answer yet:\n";
$late(fn () => $lock->lease('key'), $next);

echo "no call: it may have come within the lease:\n";
$late(fn () => null, $next);
?>
--EXPECT--
a call after the lease's end has found no answer yet:
release: true
the next call: RLock\TimeoutException, held false, late
once: null
no call: it may have come within the lease:
release: true
the next call: RLock\LostLockException, held false
once: null
