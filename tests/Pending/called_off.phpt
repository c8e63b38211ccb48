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

/* Forty at a time, by a script that ends in the midst of them. */
$script = <<<'PHP'
$lock = new RLock(URL);
for ($i = 0; $i < 200; $i++) {
    $pending[$i] = $lock->requestLock(str_repeat('name', 1000) . $i, 60.0);
    unset($pending[$i - 40]);
    array_walk($pending, fn (RLock\Pending $one) => $one->poll());
}
PHP;
for ($round = 0; $round < 8; $round++) {
    Child::start(strtr($script, ['URL' => var_export($server->url(), true)]))->wait();
}
await('all are free', fn () => $client('EXISTS', ...array_map(fn (int $i) => 'lock@' . $name($i), range(0, 199))) === 0, 2.0);
?>
--EXPECT--
one is asked for, and then another: 0
more than the socket takes: 0
