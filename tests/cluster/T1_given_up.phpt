--TEST--
T1: a Pending whose lock moves with its slot before it is given up: any next calls give it back where it is
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$cluster = new TestCluster();
[$a, $b] = $cluster->masters;
$lock = new RLock($cluster->url(), ttl: 60.0);
$another = new RLock($cluster->url());

$key = $cluster->keyOn(0);
ignore($lock->getLock($key), $lock->releaseLock($key));
$pending = $lock->requestLock($key);
await('it is granted', fn () => $a->client()('EXISTS', lock_key($key)) === 1);
$cluster->move(TestCluster::slot(lock_key($key)), $a, $b);
say('it is at the new place', $b->client()('EXISTS', lock_key($key)));
$pending->cancel();
say('given back', await('it is free', function () use ($another, $b, $key) {
    ignore($another->lease('any'));
    return $b->client()('EXISTS', lock_key($key)) === 0;
}, 5.0));
?>
--EXPECT--
it is at the new place: 1
given back: true
