--TEST--
What must not be ignored warns if it is: getLock(), getSharedLock(), getLocks(), handOver(), adopt(), of both classes
--SKIPIF--
<?php
if (PHP_VERSION_ID < 80500) {
    die('skip PHP before 8.5 does not know #[NoDiscard]');
}
?>
--FILE--
<?php
require __DIR__ . '/../../server.inc';

set_error_handler(function (int $level, string $message): bool {
    say('warning', preg_match('~\w+::\w+~', $message, $method) ? $method[0] : $message);
    return true;
});
[$key, $other] = [unique_key(), unique_key()];
$lock = new RLock(shared_url());
$lock->getLock($key);
$lock->getSharedLock($key);
$lock->getLocks([$key, $other]);
$lock->handOver($other);
$token = $lock->handOver($key);
$lock->adopt($key, $token);
$lock->detached($detached = unique_key(), 'name')->getLock();
$lock->detached($detached, 'name')->getSharedLock();
$lock->detached($detached, 'name')->releaseLock();
$lock->prolongate($key);
$lock->releaseLock($key);
say('used', $lock->getLock($key));
?>
--EXPECT--
warning: RLock::getLock
warning: RLock::getSharedLock
warning: RLock::getLocks
warning: RLock::handOver
warning: RLock::adopt
warning: NamedLock::getLock
warning: NamedLock::getSharedLock
used: true
