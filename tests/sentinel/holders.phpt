--TEST--
holders() asks the master that Sentinel names, also after a failover
--FILE--
<?php
require __DIR__ . '/../server.inc';

$group = new SentinelGroup();
$lock = new RLock($group->url('persistent=0&timeout=30'), ttl: 600.0);
$lock->getLock('mail');
say('before', array_keys($lock->holders()));
await_replicas($group->master->client());
$group->awaitPromotable();
$group->failOver();
say('after', array_keys($lock->holders()));
?>
--EXPECT--
before: ["mail"]
after: ["mail"]
