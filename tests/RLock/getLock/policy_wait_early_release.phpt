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
    $parent->hear();
', ['url' => $server->url()]);
$client = $server->client();
$client->awaitBlocked(1);
$holder->releaseLock('key');
say('child', hear_passed_on($child, $client, 'key'));
?>
--EXPECT--
passed on: true
child: true
