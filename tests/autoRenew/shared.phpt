--TEST--
autoRenew: a share outlives calls that block for longer than it lasts, also after an upgrade and a downgrade; with maxHold it ends
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url(), ttl: 3.0, autoRenew: true);
$beside = new RLock(shared_url(), ttl: 3.0, autoRenew: true);
$other = new RLock(shared_url());
ignore([$lock->getSharedLock($key, limit: 2), $beside->getSharedLock($key, limit: 2)]);
$fence = $lock->lease($key)->fence;
$outlives = function (string $what) use ($lock, $other, $key) {
    sleep(4);
    say($what, [outcome(fn () => $lock->check($key)), $lock->isLocking($key), $lock->lease($key)->shared, $other->getLock($key), $other->getSharedLock($key, limit: 2)]);
};
$outlives('two shares');
say('the same grant', $lock->lease($key)->fence === $fence);
say('one gives back', $beside->releaseLock($key));
say('upgraded', $lock->getLock($key));
$outlives('exclusive');
say('downgraded', [$lock->downgrade($key), $beside->getSharedLock($key)]);
$outlives('a share again');
say('back', [$lock->releaseLock($key), $lock->releaseLock($key), $beside->releaseLock($key), $client('EXISTS', lock_key($key))]);
say('late or lost', $lock->stats()['timeouts'] + $lock->stats()['lost'] + $beside->stats()['timeouts'] + $beside->stats()['lost']);
say('renewals', $lock->stats()['renewals'] > 6);

$short = new RLock(shared_url(), ttl: 3.0, autoRenew: true, maxHold: 4.0);
$took = seconds(function () use ($client, $short, $key) {
    take_briefly($short->getSharedLock(...), $key);
    await('its end', fn () => !$client('EXISTS', lock_key($key)));
});
say_took('with maxHold', $took, 3.2, 8.0);
say('late', outcome(fn () => $short->releaseLock($key)));
?>
--EXPECT--
two shares: ["null",true,true,false,false]
the same grant: true
one gives back: true
upgraded: true
exclusive: ["null",true,false,false,false]
downgraded: [true,true]
a share again: ["null",true,true,false,false]
back: [true,true,true,0]
late or lost: 0
renewals: true
with maxHold: in time
late: RLock\TimeoutException, held false, late
