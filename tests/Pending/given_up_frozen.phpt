--TEST--
Pending: given up by close() or the object's end while its replicas are asked, on a server that is frozen: it is told that the lock may stay
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
set_error_handler(function (int $level, string $message): bool {
    say('warned', preg_replace('~Redis at \S+:~', 'Redis:', $message));
    return true;
});

foreach (['close', 'the end'] as $how) {
    $lock = new RLock($server->url('timeout=0.5'), ttl: 60.0, replicas: 1);
    ignore(outcome(fn () => $lock->getLock('warm'))); // too few replicas
    $pending = $lock->requestLock($how);
    await('it is granted', fn () => $client('EXISTS', lock_key($how)) === 1);
    $server->freeze();
    if ($how === 'close') {
        say($how, outcome(fn () => $lock->close()));
    } else {
        $pending = $lock = null;
    }
    $server->thaw();
}
?>
--EXPECT--
close: RLock\ConnectionException
warned: RLock: 1 of 1 locks could not be given back at the end; the first: Redis: no answer within the timeout; is the server overloaded or frozen?
