--TEST--
interrupt: a share that is lost or late throws in a busy loop; the share of another beside it does not
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$breaker = Child::start('
    $lock = new RLock(shared_url());
    while (true) {
        [$key, $fence] = $parent->hear();
        usleep(300_000);
        $lock->breakLock($key, $fence);
    }
');
function loop(float $seconds = 20.0): string
{
    return outcome(function () use ($seconds) {
        for ($end = hrtime(true) + $seconds * 1e9; hrtime(true) < $end;) {
        }
        return 'nothing was thrown';
    });
}
$lock = new RLock(shared_url(), ttl: 2.4, autoRenew: true, interrupt: true);
$beside = new RLock(shared_url(), ttl: 2.4, autoRenew: true, interrupt: true);
$key = unique_key();
ignore([$lock->getSharedLock($key), $beside->getSharedLock($key)]);
$breaker->say([$key, $lock->lease($key)->fence]);
say('one is broken', loop());
say('it was ours', [$lock->lease($key), outcome(fn () => $lock->check($key)), $beside->isLocking($key)]);
say('the other goes on', [loop(2.2), outcome(fn () => $beside->check($key)), $beside->releaseLock($key)]);

/* Without autoRenew its time is up: late if nobody has had the lock exclusively, which is asked. */
$lock = new RLock(shared_url(), ttl: 0.6, interrupt: true);
take_briefly($lock->getSharedLock(...), $key = unique_key());
say('its time is up', loop());
?>
--EXPECT--
one is broken: RLock\LostLockException, held false
it was ours: [null,"RLock\\LostLockException, held false",true]
the other goes on: ["\"nothing was thrown\"","null",true]
its time is up: RLock\TimeoutException, held false, late
