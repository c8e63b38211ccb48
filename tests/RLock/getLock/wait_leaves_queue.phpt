--TEST--
Whoever got the lock by asking has left the queue: its own release is not handed to nobody
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$waiter = new RLock($server->url());
$next = new RLock($server->url());
$waits = 0;
for ($i = 0; $i < 20; $i++) {
    $client('SET', "lock@key$i", 'foreign', 'PX', 100);
    /* Its expiry wakes nobody: the safety net takes the lock while the first connection is parked. */
    if (!$waiter->getLock("key$i", wait: 10.0) || !$waiter->releaseLock("key$i")) {
        echo "key$i was not taken\n";
    }
    $waits += $next->getLock("key$i") ? 0 : 1;
}
say('of 20 not free after the release', $waits);
?>
--EXPECT--
of 20 not free after the release: 0
