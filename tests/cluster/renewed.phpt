--TEST--
The renewal thread follows locks whose slots move, and renews them while they do
--FILE--
<?php
require __DIR__ . '/../server.inc';

$cluster = new TestCluster();
[$a, $b] = $cluster->masters;
$lock = new RLock($cluster->url(), ttl: 3.0, autoRenew: true);
$keys = array_map($cluster->keyOn(...), [0, 1, 2, 0]);
[$moved, , , $torn] = $keys;
say('taken', outcome(fn () => $lock->getLocks($keys)));
$cluster->move(TestCluster::slot("lock@$moved"), $a, $b);
/* Its lock is at one place, its fence at the other. */
$cluster->beginMove(TestCluster::slot("lock@$torn"), $a, $b);
$cluster->moveKeys(TestCluster::slot("lock@$torn"), $a, $b, ["lock@$torn"]);
$end = microtime(true) + 4.0;
$least = INF;
while (microtime(true) < $end) {
    foreach ($keys as $key) {
        $lock->check($key);
        $least = min($least, $lock->lease($key)->ttl);
    }
    usleep(20_000);
}
say('never late', $least > 0.0);
$cluster->moveKeys(TestCluster::slot("lock@$torn"), $a, $b);
$cluster->endMove(TestCluster::slot("lock@$torn"), $a, $b);
say('still ours', array_map(fn ($key) => outcome(fn () => $lock->isLocking($key)), $keys));
say('given back', outcome(fn () => $lock->releaseAll()));
?>
--EXPECT--
taken: true
never late: true
still ours: ["true","true","true","true"]
given back: true
