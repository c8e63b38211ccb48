--TEST--
POLICY_WAIT gets a lock that is released early, though its lease outlasts the wait
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$holder = new RLock($server->url());
ignore($holder->getLock('key', ttl: 600.0));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say($lock->getLock("key", wait: 10.0, policy: RLock::POLICY_WAIT));
', ['url' => $server->url()]);
$server->client()->awaitBlocked(1);
$holder->releaseLock('key');
say_took('it took', seconds(function () use ($child) { say('child', $child->hear()); }), 0, 1);
?>
--EXPECT--
child: true
it took: in time
