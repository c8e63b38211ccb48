--TEST--
releaseLock() gives back what is held, and only once
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
ignore($lock->getLock($key));
say('release', $lock->releaseLock($key));
say('lock key', $client('EXISTS', lock_key($key)));
say('the fence stays', $client('EXISTS', fence_key($key)));
say('again', $lock->releaseLock($key));
say('take and give back', [$lock->getLock($key), $lock->releaseLock($key)]);
?>
--EXPECT--
release: true
lock key: 0
the fence stays: 1
again: false
take and give back: [true,true]
