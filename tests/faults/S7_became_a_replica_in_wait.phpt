--TEST--
S7: the server becomes a replica in mid-wait: ServerException, not a hang
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$client('SET', 'lock@key', 'foreign', 'PX', 60000);
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say(outcome(fn () => $lock->getLock("key", wait: 30.0)));
', ['url' => $server->url('timeout=1.2')]);
$client->awaitBlocked(1);
$client('REPLICAOF', '127.0.0.1', '1');
say_took('it took', seconds(function () use ($child) { say('waiter', $child->hear()); }), 0, 3);
?>
--EXPECT--
waiter: RLock\ServerException, READONLY
it took: in time
