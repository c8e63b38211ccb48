--TEST--
C2: a waiter is killed -9: the others are unaffected, and keep their order
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$waiters = [];
for ($i = 1; $i <= 5; $i++) {
    $waiters[$i] = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say([$args["number"], $lock->getLock("key", wait: 30.0), $lock->releaseLock("key")]);
    ', ['url' => $server->url(), 'number' => $i]);
    $client->awaitBlocked($i);
}
foreach ([1, 3, 5] as $i) {
    $waiters[$i]->kill();
}
$client->awaitBlocked(2);
$lock->releaseLock('key');
say_took('it took', seconds(function () use ($waiters) {
    say('second', $waiters[2]->hear());
    say('fourth', $waiters[4]->hear());
}), 0, 1);
?>
--EXPECT--
second: [2,true,true]
fourth: [4,true,true]
it took: in time
