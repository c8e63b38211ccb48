--TEST--
C8: a lock taken in the child is inherited by the grandchild in the same way
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
$lock->isLocking($key);
$pid = pcntl_fork();
if ($pid === 0) {
    ignore($lock->getLock($key, ttl: 60.0));
    $grandchild = pcntl_fork();
    if ($grandchild === 0) {
        say('grandchild', outcome(fn () => $lock->releaseLock($key)));
        exit(0);
    }
    pcntl_waitpid($grandchild, $status);
    say('child', outcome(fn () => $lock->releaseLock($key)));
    exit(0);
}
pcntl_waitpid($pid, $status);
say('left', $client('EXISTS', lock_key($key)));
say('parent', [$lock->getLock($key), $lock->releaseLock($key)]);
?>
--EXPECT--
grandchild: RLock\RLockException
child: true
left: 0
parent: [true,true]
