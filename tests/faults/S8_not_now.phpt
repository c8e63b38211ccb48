--TEST--
S8: stale replica, too few replicas: retried within the deadline, then ServerException
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url('timeout=2'));
take_briefly($lock->getLock(...), 'warm');

$try = fn (string $name) => say_took('it took', seconds(function () use ($lock, $name) {
    say($name, outcome(fn () => $lock->getLock('key')));
}), 1.5, 2.5);

$client('CONFIG', 'SET', 'min-replicas-to-write', '1');
$try('too few replicas');
$client('CONFIG', 'SET', 'min-replicas-to-write', '0');
say('enough', outcome(fn () => [$lock->getLock('key'), $lock->releaseLock('key')]));

$client('CONFIG', 'SET', 'replica-serve-stale-data', 'no');
$client('REPLICAOF', '127.0.0.1', '1');
$try('stale replica');
$client('REPLICAOF', 'NO', 'ONE');
say('a master', outcome(fn () => [$lock->getLock('key'), $lock->releaseLock('key')]));

/* It ends within the deadline: nobody notices. */
$client('CONFIG', 'SET', 'min-replicas-to-write', '1');
$patient = new RLock($server->url('timeout=10'));
$child = Child::start('
    $redis = new RawClient("unix://" . $args["socket"]);
    await_refusal($redis, "NOREPLICAS", $args["before"]);
    $redis("CONFIG", "SET", "min-replicas-to-write", "0");
', ['socket' => $server->socket, 'before' => refusals($client, 'NOREPLICAS')]);
say('patient', outcome(fn () => $patient->getLock('key')));
?>
--EXPECT--
too few replicas: RLock\ServerException, NOREPLICAS
it took: in time
enough: [true,true]
stale replica: RLock\ServerException, MASTERDOWN
it took: in time
a master: [true,true]
patient: true
