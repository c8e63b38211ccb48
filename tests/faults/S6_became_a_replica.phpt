--TEST--
S6: the server became a replica: ServerException READONLY, and it works again when it is a master
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url('timeout=2'));
take_briefly($lock->getLock(...), 'held', ttl: 60.0);
$client('REPLICAOF', '127.0.0.1', '1');
foreach (['getLock' => fn () => $lock->getLock('key'), 'prolongate' => fn () => $lock->prolongate('held')] as $name => $call) {
    say_took('it took', seconds(function () use ($name, $call) { say($name, outcome($call)); }), 0, 2.5);
}
$client('REPLICAOF', 'NO', 'ONE');
say('a master again', [$lock->getLock('key'), $lock->prolongate('held'), $lock->releaseLock('held'), $lock->releaseLock('key')]);
?>
--EXPECT--
getLock: RLock\ServerException, READONLY
it took: in time
prolongate: RLock\ServerException, READONLY
it took: in time
a master again: [true,true,true,true]
