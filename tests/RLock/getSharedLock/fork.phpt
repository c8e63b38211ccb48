--TEST--
A child after fork neither uses nor gives back its parent's shares; it may have its own
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$lock = new RLock(shared_url());
ignore($lock->getSharedLock($key, ttl: 60.0));
$pid = pcntl_fork();
if ($pid === 0) {
    foreach (['getSharedLock', 'getLock', 'downgrade', 'releaseLock', 'check', 'handOver', 'sharers'] as $method) {
        say("child, $method", outcome(fn () => $lock->$method($key)));
    }
    $own = new RLock(shared_url());
    say('child, its own', [$own->getSharedLock($key), count($own->sharers($key)), $own->releaseLock($key)]);
    say('child, another key', [$lock->getSharedLock("$key other"), $lock->releaseAll()]);
    exit(0);
}
pcntl_waitpid($pid, $status);
say('child ended with', pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'signal ' . pcntl_wtermsig($status));
say('still ours', [$lock->isLocking($key), count($lock->sharers($key)), $lock->releaseLock($key)]);
?>
--EXPECT--
child, getSharedLock: RLock\RLockException
child, getLock: RLock\RLockException
child, downgrade: RLock\RLockException
child, releaseLock: RLock\RLockException
child, check: RLock\RLockException
child, handOver: RLock\RLockException
child, sharers: RLock\RLockException
child, its own: [true,2,true]
child, another key: [true,true]
child ended with: 0
still ours: [true,1,true]
