--TEST--
DetachedLock: a child after fork uses the name as any other process does, on a connection of its own
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$key = unique_key();
$lock = new RLock(shared_url());
$detached = $lock->detached($key, 'name');
ignore($detached->getLock(ttl: 60.0));
(new RLock(shared_url()))->detached($key, 'name')->prolongate(60.0); // the server knows all scripts from then on
$detached->prolongate(60.0);

$pid = pcntl_fork();
if ($pid === 0) {
    $requests = $lock->stats()['requests'];
    say('child, prolonged', $detached->prolongate(100.0));
    say('child, requests', $lock->stats()['requests'] - $requests);
    say('child, again', [$detached->prolongate(80.0), $detached->getLock(ttl: 1.0), $detached->isLocking()]);
    exit(0);
}
pcntl_waitpid($pid, $status);
say('child ended with', pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'signal ' . pcntl_wtermsig($status));
say_within('ttl', $detached->ttl(), 70.0, 80.0);
say('prolonged', [$detached->prolongate(60.0), $detached->ttl() <= 60.0]);

$pid = pcntl_fork();
if ($pid === 0) {
    say('child, released', $detached->releaseLock());
    exit(0);
}
pcntl_waitpid($pid, $status);
say('the parent', [$detached->isLocking(), $detached->releaseLock(), $detached->getLock(), $detached->releaseLock()]);
?>
--EXPECT--
child, prolonged: true
child, requests: 2
child, again: [true,true,true]
child ended with: 0
ttl: in time
prolonged: [true,true]
child, released: true
the parent: [false,false,true,true]
