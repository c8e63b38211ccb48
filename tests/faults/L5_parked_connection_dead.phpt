--TEST--
L5: a parked connection that leads nowhere, without a word: the waiter is served in its turn all the same
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$proxy->tell('stall 1 BLPOP');
$waiter = Child::start('
    $lock = new RLock($args["url"]);
    $start = hrtime(true);
    $result = $lock->getLock("key", wait: 30.0);
    $parent->say([$result, (hrtime(true) - $start) / 1e9, outcome(fn () => $lock->check("key"))]);
    $parent->say($lock->releaseLock("key"));
', ['url' => $proxy->url()]);
say('it happened', $proxy->tell('lost'));

/* It is never free: three more pass it on among themselves, until the waiter has had it. */
$others = [];
for ($i = 1; $i <= 3; $i++) {
    $others[] = Child::start('
        $lock = new RLock($args["url"]);
        $redis = new RawClient("unix://" . $args["socket"]);
        while (!$redis("EXISTS", "enough") && $lock->getLock("key", wait: 30.0)) {
            usleep(10000);
            $lock->releaseLock("key");
        }
        $parent->say(0);
    ', ['url' => $server->url(), 'socket' => $server->socket]);
    $client->awaitBlocked($i);
}
$lock->releaseLock('key');
[$result, $took, $check] = $waiter->hear(40.0);
$client('SET', 'enough', 1);
say('the waiter has it', [$result, $check]);
say_took('it took', $took, 0.0, 12.0);
say('released', $waiter->hear());
foreach ($others as $other) {
    $other->hear();
}
?>
--EXPECT--
it happened: lost BLPOP
the waiter has it: [true,"null"]
it took: in time
released: true
