--TEST--
A waiter is woken by the release, long before its safety net
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key'));
$child = Child::start('
    $lock = new RLock($args["url"]);
    while (true) {
        $result = $lock->getLock("key", wait: 20.0);
        $parent->say([$result, hrtime(true)]);
        $parent->hear();
        $lock->releaseLock("key");
        $parent->say("released");
        $parent->hear();
    }
', ['url' => $server->url()]);

$delays = [];
for ($i = 0; $i < 10; $i++) {
    if ($i > 0) {
        ignore($lock->getLock('key'));
        $child->say('wait');
    }
    $client->awaitBlocked(1);
    $lock->releaseLock('key');
    $released = hrtime(true);
    [$result, $got] = $child->hear();
    $delays[] = ($got - $released) / 1e9;
    if ($result !== true) {
        say('child', $result);
    }
    $child->say('release');
    $child->hear();
}
sort($delays);
say_within('half of the hand-overs took', $delays[5], -0.1, 0.05);
say_within('most of them took', $delays[7], -0.1, 0.5);
?>
--EXPECT--
half of the hand-overs took: in time
most of them took: in time
