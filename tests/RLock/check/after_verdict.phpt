--TEST--
check() goes on throwing for a key that another call told to be lost, until it is taken anew or the object closed
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
ignore($lock->getLock($key));
$client('DEL', lock_key($key));
say('release', outcome(fn () => $lock->releaseLock($key)));
say('check', [outcome(fn () => $lock->check($key)), outcome(fn () => $lock->check($key))]);

/* That it is lost may also be found out by a look. */
ignore($lock->getLock($key));
$client('DEL', lock_key($key));
say('before', outcome(fn () => $lock->check($key)));
say('is it ours', $lock->isLocking($key));
say('after', outcome(fn () => $lock->check($key)));

/* What was found out last counts. */
ignore($lock->getLock($key));
$value = $client('GET', lock_key($key));
$client('DEL', lock_key($key));
say('not there', $lock->isLocking($key));
$client('SET', lock_key($key), $value, 'PX', 60000);
say('there again', $lock->isLocking($key));
say('then', outcome(fn () => $lock->check($key)));

$keys = array_map(fn ($i) => unique_key("many$i"), range(1, 100));
foreach ($keys as $many) {
    ignore($lock->getLock($many));
    $client('DEL', lock_key($many));
    outcome(fn () => $lock->releaseLock($many));
}
$told = array_filter($keys, fn ($many) => outcome(fn () => $lock->check($many)) === 'RLock\LostLockException, held false');
say('of 100', count($told));
$lock->close();
say('closed', outcome(fn () => $lock->check($key)));
?>
--EXPECT--
release: RLock\LostLockException, held false
check: ["RLock\\LostLockException, held false","RLock\\LostLockException, held false"]
before: null
is it ours: false
after: RLock\LostLockException, held false
not there: false
there again: true
then: null
of 100: 100
closed: RLock\RLockException
