--TEST--
What must not be ignored warns if it is: getLock(), getLocks(), handOver(), adopt()
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
    say('warning', preg_match('~RLock::\w+~', $message, $method) ? $method[0] : $message);
    return true;
});
[$key, $other] = [unique_key(), unique_key()];
$lock = new RLock(shared_url());
$lock->getLock($key);
$lock->getLocks([$key, $other]);
$lock->handOver($other);
$token = $lock->handOver($key);
$lock->adopt($key, $token);
$lock->prolongate($key);
$lock->releaseLock($key);
say('used', $lock->getLock($key));
?>
--EXPECT--
warning: RLock::getLock
warning: RLock::getLocks
warning: RLock::handOver
warning: RLock::adopt
used: true
