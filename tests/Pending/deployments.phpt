--TEST--
Pending: on a majority, a cluster, behind Sentinel, over TCP, and with replicas
--FILE--
<?php
require __DIR__ . '/../pending.inc';
require __DIR__ . '/../majority.inc';

function play(string $deployment, RLock $one, RLock $two, string $key): void
{
    $mine = $one->requestLock($key, 20.0, ttl: 60.0, metadata: 'note');
    say("$deployment, taken", [decide($mine), $two->holder($key)->metadata, decide($two->requestLock($key, 0.0))]);
    $theirs = $two->requestLock($key, 20.0, ttl: 60.0);
    for ($i = 0; $i < 5; $i++) {
        watch([$theirs], 0.05);
        ignore($theirs->poll());
    }
    say("$deployment, waits", $theirs->poll());
    say("$deployment, deeper", [decide($one->requestLock($key, ttl: 70.0)), $one->lease($key)->depth, $one->releaseLock($key)]);
    $one->releaseLock($key);
    say("$deployment, handed over", [decide($theirs), $one->isLocking($key)]);
    $gone = $one->requestLock($key, 20.0);
    for ($i = 0; $i < 5; $i++) {
        watch([$gone], 0.05);
        ignore($gone->poll());
    }
    $gone->cancel();
    say("$deployment, released", [$two->releaseLock($key), $one->getLock($key, wait: 5.0), $one->releaseLock($key), $gone->poll()]);
}

$majority = new Majority(3);
play('majority', $majority->lock(), $majority->lock(), 'key');
$lock = $majority->lock();
$majority->servers[0]->freeze();
say('one node frozen', decide($lock->requestLock('key', 20.0, ttl: 60.0)));
say('and deeper', [decide($lock->requestLock('key', ttl: 90.0)), $lock->lease('key')->depth, $lock->releaseLock('key')]);
$deeper = $lock->requestLock('key');
usleep(1000);
$deeper->cancel();
say('not deeper', [$deeper->poll(), $lock->lease('key')->depth]);
$majority->servers[0]->thaw();
$lock->releaseAll();
$majority->awaitHolding(0, 'key');
ignore($lock->requestLock('key', 20.0, ttl: 60.0));
$majority->awaitHolding(0, 'key');
say('let go of', $lock->getLock('key', wait: 5.0));

$cluster = new TestCluster();
foreach ([0, 1] as $node) {
    play("cluster, node $node", new RLock($cluster->url()), new RLock($cluster->url()), $cluster->keyOn($node));
}

$group = new SentinelGroup();
play('sentinel', new RLock($group->url()), new RLock($group->url()), 'key');
$one = new RLock($group->url('timeout=2'), replicas: 1);
say('replicas', [decide($one->requestLock('key', ttl: 60.0)), strlen($group->replica->client()('GET', lock_key('key'))) > 0]);
$two = new RLock($group->url());
$pending = $two->requestLock('key', ttl: 60.0);
park($group->master->client(), 1, $pending);
$stream = $pending->stream();
$group->failOver();
say('over a failover', [$pending->poll(), $pending->stream() === $stream, $one->releaseLock('key'), decide($pending)]);

$server = TestServer::start(tcp: true);
play('tcp', new RLock($server->tcpUrl()), new RLock($server->tcpUrl()), 'key');
$lacking = new RLock($server->url('timeout=0.3'), replicas: 1);
say('too few', outcome(fn () => decide($lacking->requestLock('key', 0.0, ttl: 60.0))));
$lacking->stats();
unset($lacking);
say('given back', await('nobody', fn () => $server->client()('EXISTS', lock_key('key')) === 0));
?>
--EXPECT--
majority, taken: [true,"note",false]
majority, waits: null
majority, deeper: [true,2,true]
majority, handed over: [true,false]
majority, released: [true,true,true,false]
one node frozen: true
and deeper: [true,2,true]
not deeper: [false,1]
let go of: true
cluster, node 0, taken: [true,"note",false]
cluster, node 0, waits: null
cluster, node 0, deeper: [true,2,true]
cluster, node 0, handed over: [true,false]
cluster, node 0, released: [true,true,true,false]
cluster, node 1, taken: [true,"note",false]
cluster, node 1, waits: null
cluster, node 1, deeper: [true,2,true]
cluster, node 1, handed over: [true,false]
cluster, node 1, released: [true,true,true,false]
sentinel, taken: [true,"note",false]
sentinel, waits: null
sentinel, deeper: [true,2,true]
sentinel, handed over: [true,false]
sentinel, released: [true,true,true,false]
replicas: [true,true]
over a failover: [null,true,true,true]
tcp, taken: [true,"note",false]
tcp, waits: null
tcp, deeper: [true,2,true]
tcp, handed over: [true,false]
tcp, released: [true,true,true,false]
too few: RLock\ServerException, NOREPLICAS
given back: true
