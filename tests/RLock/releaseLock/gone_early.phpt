--TEST--
Gone or changed before our deadline: LostLockException, not late
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$lock = new RLock(shared_url());
$harms = [
    'deleted' => fn ($key) => $client('DEL', $key),
    'expired by hand' => fn ($key) => $client('PEXPIRE', $key, -1),
    'overwritten' => fn ($key) => $client('SET', $key, 'foreign'),
    'another type' => fn ($key) => [$client('DEL', $key), $client('LPUSH', $key, 'x')],
];
foreach ($harms as $name => $harm) {
    $key = unique_key();
    ignore($lock->getLock($key));
    $harm(lock_key($key));
    $there = $client('EXISTS', lock_key($key));
    try {
        say($name, $lock->releaseLock($key));
    } catch (RLock\TimeoutException $e) {
        say($name, describe($e) . ($e->lateBy === 0.0 ? ', not late' : ', late'));
    }
    say('as it was', $client('EXISTS', lock_key($key)) === $there);
    say('again', $lock->releaseLock($key));
}
?>
--EXPECT--
deleted: RLock\LostLockException, held false, not late
as it was: true
again: false
expired by hand: RLock\LostLockException, held false, not late
as it was: true
again: false
overwritten: RLock\LostLockException, held false, not late
as it was: true
again: false
another type: RLock\LostLockException, held false, not late
as it was: true
again: false
