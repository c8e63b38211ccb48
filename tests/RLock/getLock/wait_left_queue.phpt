--TEST--
Who got the lock by asking has left the queue: its own release is not pushed to the wait that it left
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$first = new RLock($server->url());
$lock = new RLock($server->url());
$waits = [];
for ($i = 0; $i < 20; $i++) {
    /* The end of a lease pushes nothing: the waiter asks, while it is parked. */
    $client('SET', "lock@key$i", 'foreign', 'PX', 30);
    $lock->getLock("key$i", wait: 5.0) || say('busy', $i);
    $lock->releaseLock("key$i");
    if (!$first->getLock("key$i")) {
        say('passed on to nobody', $i);
    }
}
echo "done\n";
?>
--EXPECT--
done
