--TEST--
T4: a former master that still takes itself for one grants nothing that counts, where `replicas` is the number of all replicas; whoever waits goes on at the new one
--FILE--
<?php
require __DIR__ . '/../server.inc';

$group = new SentinelGroup();
$lock = new RLock($group->url('persistent=0'), ttl: 60.0, replicas: 1);
say('at the former master', outcome(fn () => $lock->getLock('another')));
$group->failOver(await: false); /* it is told of the new one only some time later */

$other = new RLock($group->url('persistent=0'), ttl: 60.0);
say('at the new master', outcome(fn () => $other->getLock('key')));
say('who knew the former one', outcome(fn () => $lock->getLock('key', wait: 10.0, policy: RLock::POLICY_FAIL_FAST)));
say('and then', outcome(fn () => $lock->getLock('key')));
$group->awaitReplica();
say('given back', outcome(fn () => $other->releaseLock('key')));
say('at the new one', outcome(fn () => $lock->getLock('key', wait: 10.0)));
say('there', $group->master->client()('GET', lock_key('key')) === $lock->lease('key')->token);
?>
--EXPECT--
at the former master: true
at the new master: true
who knew the former one: false
and then: false
given back: true
at the new one: true
there: true
