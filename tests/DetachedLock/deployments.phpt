--TEST--
DetachedLock: on a majority, a cluster, behind Sentinel, and with replicas
--FILE--
<?php
require __DIR__ . '/../server.inc';
require __DIR__ . '/../majority.inc';

/* Two objects use one name in turns. */
function play(string $deployment, RLock $one, RLock $two, string $key): void
{
    $mine = $one->detached($key, 'name');
    $theirs = $two->detached($key, 'name');
    $other = $two->detached($key, 'another');
    say("$deployment, taken", [$mine->getLock(ttl: 60.0, metadata: 'note'), $theirs->isLocking(), $other->getLock(), $two->getLock($key)]);
    say("$deployment, in turns", [$mine->prolongate(70.0), $theirs->prolongate(80.0), $theirs->prolongate(90.0), $mine->prolongate(90.0),
        $theirs->getLock(ttl: 60.0), $mine->getLock(ttl: 60.0)]);
    say("$deployment, ttl", $mine->ttl() > 80.0 && $theirs->ttl() > 80.0);
    say("$deployment, holder", $two->holder($key)->metadata);
    say("$deployment, fence", gettype($theirs->fence()));
    say("$deployment, released", [$theirs->releaseLock(), $mine->releaseLock(), $mine->prolongate(), $other->getLock(wait: 5.0),
        $mine->releaseLock(), $other->releaseLock(delayAfter: 60.0)]);
    say("$deployment, in a delay", [$mine->getLock(), $two->breakLock($key), $other->getLock(), $other->releaseLock(delayAfter: 0.1)]);
    say("$deployment, after a delay", [$mine->getLock(wait: 5.0), $theirs->releaseLock(), $mine->releaseLock()]);
}

$majority = new Majority(3);
play('majority', $majority->lock(), $majority->lock(), 'key');
$one = $majority->lock()->detached('key', 'name');
$two = $majority->lock()->detached('key', 'name');
$majority->servers[0]->kill();
say('one node fewer', [$one->getLock(ttl: 60.0), $two->prolongate(60.0), $one->isLocking(), $one->releaseLock(), $two->isLocking()]);
$majority->awaitHolding(0, 'key', 0);
ignore($one->getLock(ttl: 60.0));
$majority->servers[1]->kill();
say('two fewer', array_map(fn ($method) => outcome(fn () => $two->$method()), ['getLock', 'prolongate', 'releaseLock', 'isLocking']));

$cluster = new TestCluster();
foreach ([0, 1] as $node) {
    play("cluster, node $node", new RLock($cluster->url()), new RLock($cluster->url()), $cluster->keyOn($node));
}

$group = new SentinelGroup();
play('sentinel', new RLock($group->url()), new RLock($group->url()), 'key');
$one = (new RLock($group->url('timeout=2'), replicas: 1))->detached('key', 'name');
say('replicas', [$one->getLock(ttl: 60.0), strlen($group->replica->client()('GET', lock_key('key'))) > 0, $one->prolongate(60.0)]);
$two = (new RLock($group->url()))->detached('key', 'name');
$group->failOver();
say('after a failover', [$one->prolongate(60.0), $two->isLocking(), $two->prolongate(60.0), $two->releaseLock(), $one->releaseLock()]);

/* A grant that too few replicas have is taken back; a prolongation does not count, and the lock stays. */
$server = TestServer::start();
$lacking = (new RLock($server->url('timeout=0.3'), replicas: 1))->detached('key', 'name');
$enough = (new RLock($server->url()))->detached('key', 'name');
say('too few', [outcome(fn () => answered(fn () => $lacking->getLock())), $enough->isLocking()]);
ignore($enough->getLock(ttl: 60.0));
say('too few, prolonged', [outcome(fn () => answered(fn () => $lacking->prolongate())), $enough->isLocking()]);
say('too few, taken again', [outcome(fn () => answered(fn () => $lacking->getLock())), $enough->isLocking(), $enough->releaseLock()]);
?>
--EXPECT--
majority, taken: [true,true,false,false]
majority, in turns: [true,true,true,true,true,true]
majority, ttl: true
majority, holder: note
majority, fence: NULL
majority, released: [true,false,false,true,false,true]
majority, in a delay: [false,true,true,true]
majority, after a delay: [true,true,false]
one node fewer: [true,true,true,true,false]
two fewer: ["RLock\\ConnectionException","RLock\\ConnectionException","RLock\\ConnectionException","RLock\\ConnectionException"]
cluster, node 0, taken: [true,true,false,false]
cluster, node 0, in turns: [true,true,true,true,true,true]
cluster, node 0, ttl: true
cluster, node 0, holder: note
cluster, node 0, fence: integer
cluster, node 0, released: [true,false,false,true,false,true]
cluster, node 0, in a delay: [false,true,true,true]
cluster, node 0, after a delay: [true,true,false]
cluster, node 1, taken: [true,true,false,false]
cluster, node 1, in turns: [true,true,true,true,true,true]
cluster, node 1, ttl: true
cluster, node 1, holder: note
cluster, node 1, fence: integer
cluster, node 1, released: [true,false,false,true,false,true]
cluster, node 1, in a delay: [false,true,true,true]
cluster, node 1, after a delay: [true,true,false]
sentinel, taken: [true,true,false,false]
sentinel, in turns: [true,true,true,true,true,true]
sentinel, ttl: true
sentinel, holder: note
sentinel, fence: integer
sentinel, released: [true,false,false,true,false,true]
sentinel, in a delay: [false,true,true,true]
sentinel, after a delay: [true,true,false]
replicas: [true,true,true]
after a failover: [true,true,true,true,false]
too few: ["RLock\\ServerException, NOREPLICAS",false]
too few, prolonged: ["RLock\\ServerException, NOREPLICAS",true]
too few, taken again: ["RLock\\ServerException, NOREPLICAS",true,true]
