--TEST--
E5: 3,000 addresses, timeouts and databases in one process: the connections are bounded
--FILE--
<?php
require __DIR__ . '/../server.inc';

ini_set('rlock.connect_timeout', '10'); // a busy machine takes its time
$server = TestServer::start(['--databases', '1000'], tcp: true);
$client = $server->client();
$connections = fn () => substr_count($client('CLIENT', 'LIST'), 'name=rlock');
/* No more of them, once the server has seen which were closed. */
function use_once(RLock $lock, int $bound): void
{
    global $connections;
    static $used = 0;
    if (!$lock->getLock('key') || !$lock->releaseLock('key')) {
        throw new RuntimeException('not taken');
    }
    if (++$used % 100 === 0) {
        await("$bound connections at most", fn () => $connections() <= $bound);
    }
}

/* What is left of a request, say. */
for ($i = 1; $i <= 1000; $i++) {
    $query = sprintf('timeout=%.3f&connect_timeout=%.3f', 10 + $i / 1000, 20 - $i / 1000);
    use_once(new RLock($server->url($query)), 1);
}
say('timeouts', $connections());
for ($db = 0; $db < 1000; $db++) {
    use_once(new RLock($server->url("timeout=10&db=$db")), 64);
}
say('databases', $connections());
/* By another way, and of databases and timeouts that change together. */
for ($i = 0; $i < 1000; $i++) {
    use_once(new RLock("redis://127.0.0.1:$server->port/$i?timeout=" . 10 + $i / 10), 64);
}
say('addresses', $connections());

/* Also while they are all there. */
for ($i = 0, $locks = []; $i < 200; $i++) {
    use_once($locks[] = new RLock($server->url("timeout=10&db=$i")), 64);
}
foreach ($locks as $lock) {
    use_once($lock, 64);
}
say('at once', $connections());
?>
--EXPECT--
timeouts: 1
databases: 64
addresses: 64
at once: 64
