--TEST--
delayAfter wakes nobody early: a waiter has the lock when the delay is over
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$lock->getLock('key', ttl: 60.0);
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say([$lock->getLock("key", wait: 20.0), $lock->isLocking("key")]);
', ['url' => $server->url()]);
$client->awaitBlocked(1);
say('release', $lock->releaseLock('key', delayAfter: 1.0));
say_within('it took', seconds(function () use ($child) { say('waiter', $child->hear()); }), 0.9, 2.5);
?>
--EXPECT--
release: true
waiter: [true,true]
it took: in time
