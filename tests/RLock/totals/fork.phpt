--TEST--
totals() of a forked child begin anew
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$keys = [unique_key(), unique_key()];
$lock = new RLock(shared_url());
$lock->getLock($keys[0]);
$lock->getLock($keys[0]);
if (($pid = pcntl_fork()) === 0) {
    say('child', array_filter(RLock::totals()));
    $lock->getLock($keys[1]);
    say('its own', RLock::totals()['acquired']);
    $lock->releaseLock($keys[1]);
    exit(0);
}
pcntl_waitpid($pid, $status);
say('parent', RLock::totals()['acquired']);
?>
--EXPECT--
child: []
its own: 1
parent: 2
