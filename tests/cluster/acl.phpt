--TEST--
The least rights in a cluster: those of one server, and cluster|slots and asking; also for autoRenew; with `replicas`, wait
--FILE--
<?php
require __DIR__ . '/../server.inc';

$cluster = new TestCluster(replicas: 1);
[$a, $b] = $cluster->masters;
$nodes = [...$cluster->masters, ...$cluster->replicas];
foreach ($nodes as $node) {
    $node->client()('ACL', 'SETUSER', 'shop', 'reset', 'on', '>secret', '~lock@*', '~rlock:*', '+evalsha', '+eval', '+set', '+mget',
        '+setrange', '+del', '+exists', '+pexpire', '+pttl', '+getrange', '+time', '+lpop', '+rpush', '+lindex', '+blpop',
        '+client|setname', '+client|id', '+client|unblock', '+info', '+cluster|slots', '+asking');
}
$url = str_replace('cluster://', 'cluster://shop:secret@', $cluster->url('persistent=0'));
$lock = new RLock($url, ttl: 30.0);
$key = $cluster->keyOn(0);
$slot = TestCluster::slot("lock@$key");
say('taken', outcome(fn () => $lock->getLock($key)));
$cluster->beginMove($slot, $a, $b);
$cluster->moveKeys($slot, $a, $b);
say('prolonged where ASK leads', outcome(fn () => $lock->prolongate($key)));
say('given back', outcome(fn () => $lock->releaseLock($key)));
$cluster->endMove($slot, $a, $b);
say('after the move', outcome(fn () => $lock->getLock($key) && $lock->releaseLock($key)));

/* The renewal thread goes the same ways. */
$renewing = new RLock($url, ttl: 5.0, autoRenew: true);
ignore($renewing->getLock($key));
$cluster->beginMove($slot, $b, $a);
$cluster->moveKeys($slot, $b, $a);
$before = $renewing->stats()['renewals'];
await('two renewals', fn () => $renewing->stats()['renewals'] >= $before + 2);
say('renewed where ASK leads', outcome(fn () => $renewing->releaseLock($key)));
$cluster->endMove($slot, $b, $a);
say('denied', array_map(fn ($node) => count($node->client()('ACL', 'LOG')), $nodes));

$acknowledged = new RLock($url, ttl: 30.0, replicas: 1);
say('replicas without +wait', outcome(fn () => $acknowledged->getLock($key)));
foreach ($nodes as $node) {
    $node->client()('ACL', 'SETUSER', 'shop', '+wait');
}
say('with it', outcome(fn () => $acknowledged->getLock($key) && $acknowledged->prolongate($key) && $acknowledged->releaseLock($key)));
foreach ($nodes as $node) {
    $node->client()('ACL', 'SETUSER', 'shop', '-cluster|slots');
}
$lock = new RLock($url);
say('without the map', outcome(fn () => $lock->getLock($key)));
?>
--EXPECT--
taken: true
prolonged where ASK leads: true
given back: true
after the move: true
renewed where ASK leads: true
denied: [0,0,0,0,0,0]
replicas without +wait: RLock\ServerException, NOPERM
with it: true
without the map: RLock\ServerException, NOPERM
