--TEST--
Calling the constructor once more neither crashes nor loses what is held
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$lock = new RLock(shared_url());
ignore($lock->getLock($key));
say('throws', str_contains(outcome(fn () => $lock->__construct(nowhere())), 'Exception')
    || outcome(fn () => $lock->__construct(nowhere())) === 'Error');
say('still ours', $lock->isLocking($key));
unset($lock);
say('left on the server', shared_client()('EXISTS', lock_key($key)));

/* A constructor that failed leaves nothing to crash on. */
$class = new ReflectionClass(RLock::class);
for ($i = 0; $i < 100; $i++) {
    try {
        new RLock('nonsense');
    } catch (ValueError) {
    }
}
?>
--EXPECT--
throws: true
still ours: true
left on the server: 0
