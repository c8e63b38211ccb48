--TEST--
Pending: what is given up on a slow server is undone there, however much is given up behind it
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());

/* So long that the server reads each request in several parts, and that ten do not fit into a socket. */
$name = fn (int $i): string => str_repeat('name', 1000) . $i;
ignore($lock->getLock($name(0)), $lock->releaseLock($name(0)));

foreach (['one is asked for, and then another' => 2, 'more than the socket takes' => 20] as $what => $count) {
    $server->freeze();
    for ($i = 0; $i < $count; $i++) {
        $lock->requestLock($name($i))->cancel();
    }
    $server->thaw();
    $left = fn () => array_filter(range(0, $count - 1), fn (int $i) => $client('GET', 'lock@' . $name($i)) !== null);
    $client('PING');
    $until = microtime(true) + 1;
    while ($left() && microtime(true) < $until) {
        usleep(1000);
    }
    say($what, count($left()));
}
?>
--EXPECT--
one is asked for, and then another: 0
more than the socket takes: 0
