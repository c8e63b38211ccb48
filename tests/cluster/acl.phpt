--TEST--
The least rights in a cluster: those of one server, and cluster|slots and asking
--FILE--
<?php
require __DIR__ . '/../server.inc';

$cluster = new TestCluster();
[$a, $b] = $cluster->masters;
foreach ($cluster->masters as $node) {
    $node->client()('ACL', 'SETUSER', 'shop', 'reset', 'on', '>secret', '~lock@*', '~rlock:*', '+evalsha', '+eval', '+set', '+mget',
        '+getrange', '+del', '+exists', '+pexpire', '+pttl', '+time', '+lpop', '+rpush', '+lindex', '+blpop',
        '+client|setname', '+info', '+cluster|slots', '+asking');
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
foreach ($cluster->masters as $i => $node) {
    say("denied at node $i", count($node->client()('ACL', 'LOG')));
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
denied at node 0: 0
denied at node 1: 0
denied at node 2: 0
without the map: RLock\ServerException, NOPERM
