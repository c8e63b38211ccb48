--TEST--
prolongate() of what another has, or has had: LostLockException, and it is not ours
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$other = new RLock(shared_url());
$lock = new RLock(shared_url());
$harms = [
    'taken' => fn ($key) => $other->getLock($key, wait: 5.0),
    'taken and given back' => fn ($key) => [$other->getLock($key, wait: 5.0), $other->releaseLock($key)],
    'foreign lock' => fn ($key) => await('expiry', fn () => $client('SET', lock_key($key), 'foreign', 'NX', 'PX', 5000)),
];
foreach ($harms as $name => $harm) {
    $key = unique_key();
    take_briefly($lock->getLock(...), $key, ttl: 0.6);
    $harm($key);
    $value = $client('GET', lock_key($key));
    say($name, outcome(fn () => $lock->prolongate($key, 10.0)));
    say('as it was', $client('GET', lock_key($key)) === $value);
    say('not ours', [$lock->isLocking($key), $lock->lease($key), $lock->prolongate($key), $lock->releaseLock($key)]);
}
$key = unique_key();
ignore($lock->getLock($key, ttl: 20.0));
$client('DEL', lock_key($key));
say('deleted before its deadline', outcome(fn () => $lock->prolongate($key)));
?>
--EXPECT--
taken: RLock\LostLockException, held false
as it was: true
not ours: [false,null,false,false]
taken and given back: RLock\LostLockException, held false
as it was: true
not ours: [false,null,false,false]
foreign lock: RLock\LostLockException, held false
as it was: true
not ours: [false,null,false,false]
deleted before its deadline: RLock\LostLockException, held false
