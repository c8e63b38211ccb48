--TEST--
T4: with `replicas` in a cluster a lock counts when replicas of the master of its slot have it, before and after a failover
--FILE--
<?php
require __DIR__ . '/../server.inc';

$cluster = new TestCluster(replicas: 1, arguments: TestCluster::REPLACING);
$replicas = $cluster->replicas;
$lock = new RLock($cluster->url('timeout=2'), ttl: 60.0, replicas: 1);
$keys = array_map($cluster->keyOn(...), [0, 1, 2]);
$more = array_map($cluster->keyOn(...), [0, 1, 2]);
/* What a server has of a lock of ours; a replica says so only to who asks for that. */
$kept = function (TestServer $server, string $name, string $command = 'GET'): mixed {
    $client = $server->client();
    $client('READONLY');
    return $client($command, lock_key($name));
};
$has = fn (TestServer $server, string $name) => $kept($server, $name) === $lock->lease($name)->token;
say('taken', outcome(fn () => $lock->getLocks($keys)));
say('the replicas have them', array_map($has, $replicas, $keys));
say('two of them', outcome(fn () => (new RLock($cluster->url('timeout=2'), replicas: 2))->getLock($more[1])));

/* One of three has none. */
$replicas[0]->freeze();
$took = seconds(function () use ($lock, $more) { say('frozen', outcome(fn () => $lock->getLock($more[0]))); });
say_took('at the deadline', $took, 1.5, 2.5);
say('several', outcome(fn () => $lock->getLocks($more)));
say('nothing left', array_map($lock->holder(...), $more));
say('elsewhere', outcome(fn () => $lock->getLock($more[1]) && $lock->releaseLock($more[1])));
say('prolonged', outcome(fn () => $lock->prolongate($keys[0], 500.0)));
say('elsewhere', outcome(fn () => $lock->prolongate($keys[1], 500.0)));
say('still ours', outcome(fn () => $lock->isLocking($keys[0])));
$replicas[0]->thaw();
await('it is back', fn () => $cluster->masters[0]->client()('WAIT', 1, 100) === 1);
say('thawed', outcome(fn () => $lock->prolongate($keys[0]) && $lock->getLock($more[0])));

/* While a slot moves, ASK leads to another master, whose replica counts. */
[$a, $b] = $cluster->masters;
$slot = TestCluster::slot(lock_key($keys[0]));
$cluster->beginMove($slot, $a, $b);
$cluster->moveKeys($slot, $a, $b);
$replicas[0]->freeze();
say('prolonged in mid-move', outcome(fn () => $lock->prolongate($keys[0])));
$replicas[1]->freeze();
say('frozen', outcome(fn () => $lock->prolongate($keys[0])));
array_map(fn ($replica) => $replica->thaw(), $replicas);
$cluster->endMove($slot, $a, $b);
await('both in step', fn () => $a->client()('WAIT', 1, 100) === 1 && $b->client()('WAIT', 1, 100) === 1);
say('moved', outcome(fn () => $lock->prolongate($keys[0])));

/* A master and its replica change places. */
$replicas[0]->client()('CLUSTER', 'FAILOVER');
await('the new master', fn () => str_contains($replicas[0]->client()('INFO', 'replication'), 'role:master'));
await('its replica', fn () => $replicas[0]->client()('WAIT', 1, 100) === 1);
$cluster->awaitState();
say('prolonged after a failover', outcome(fn () => $lock->prolongate($more[0], 100.0)));
say('the replica knows', $kept($cluster->masters[0], $more[0], 'PTTL') > 60_000);
say('another', outcome(fn () => $lock->getLock($cluster->keyOn(0))));

/* And without one. */
$cluster->masters[0]->kill();
say('alone', outcome(fn () => $lock->prolongate($more[0])));
say('still ours', outcome(fn () => $lock->isLocking($more[0])));
say('given back', outcome(fn () => $lock->releaseAll()));
?>
--EXPECT--
taken: true
the replicas have them: [true,true,true]
two of them: RLock\ServerException, NOREPLICAS
frozen: RLock\ServerException, NOREPLICAS
at the deadline: in time
several: RLock\ServerException, NOREPLICAS
nothing left: [null,null,null]
elsewhere: true
prolonged: RLock\ServerException, NOREPLICAS
elsewhere: true
still ours: true
thawed: true
prolonged in mid-move: true
frozen: RLock\ServerException, NOREPLICAS
moved: true
prolonged after a failover: true
the replica knows: true
another: true
alone: RLock\ServerException, NOREPLICAS
still ours: true
given back: true
