--TEST--
rediss://: a forked child has a connection of its own, and its end does not harm its parent's
--EXTENSIONS--
pcntl
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$tls = new TlsServer($authority, $authority->sign('server', 'DNS:localhost'));
$lock = new RLock($tls->url("cafile=$authority->file"));
ignore($lock->getLock('key'));
$pid = pcntl_fork();
if ($pid === 0) {
    exit($lock->getLock('other') && $lock->releaseLock('other') ? 3 : 4);
}
pcntl_waitpid($pid, $status);
say('child', pcntl_wexitstatus($status));
say('parent', [$lock->isLocking('key'), $lock->releaseLock('key')]);
say('reconnects', $lock->stats()['reconnects']);
?>
--EXPECT--
child: 3
parent: [true,true]
reconnects: 0
