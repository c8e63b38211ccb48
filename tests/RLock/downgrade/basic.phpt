--TEST--
downgrade(): exclusive becomes shared, all levels, with lease, fence and metadata; nobody else had it exclusively in between
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
ignore([$lock->getLock($key, ttl: 20.0, metadata: 'note'), $lock->getLock($key)]);
$before = $lock->lease($key);
say("another's", $other->downgrade($key));
say('downgraded', $lock->downgrade($key));
$after = $lock->lease($key);
say('lease', [$after->shared, $after->depth, $after->metadata, $after->fence === $before->fence]);
say_within('ttl', $lock->ttl($key), 10.0, 30.0);
say('ours', [$lock->isLocking($key), outcome(fn () => $lock->check($key)), $other->holder($key)->shared, $other->holder($key)->metadata]);
say('others', [$other->getSharedLock($key), $other->lease($key)->fence > $after->fence, (new RLock(shared_url()))->getLock($key)]);
say('again', $lock->downgrade($key));
say('up', $lock->getLock($key));
say('back', [$lock->releaseLock($key), $lock->isLocking($key), $lock->releaseLock($key), $lock->isLocking($key), $lock->releaseLock($key)]);
say('the other, up and down', [$other->getLock($key), $other->downgrade($key), $other->lease($key)->depth, $other->releaseAll()]);
say('nothing is there', $client('EXISTS', lock_key($key)));

/* Prolonged and released afterwards as any share. */
ignore($lock->getLock($key, ttl: 20.0));
$lock->downgrade($key);
say('prolonged', [$lock->prolongate($key, 100.0), $lock->ttl($key) > 90.0, $lock->releaseLock($key)]);

/* Late and lost. */
$late = function (callable $meanwhile) use ($client): string {
    $lock = new RLock(shared_url());
    take_briefly($lock->getLock(...), $key = unique_key(), ttl: 0.5);
    await('its end', fn () => !$client('EXISTS', lock_key($key)));
    $meanwhile($key);
    return outcome(fn () => $lock->downgrade($key)) . ', ' . text([$lock->lease($key), $lock->downgrade($key)]);
};
say('late', $late(fn () => null));
say('late, and another had a share', $late(fn ($key) => [$other->getSharedLock($key), $other->releaseLock($key)]));
say('late, and another has it', $late(fn ($key) => $other->getLock($key)));
ignore($lock->getLock($key));
$client('DEL', lock_key($key));
say('deleted', outcome(fn () => $lock->downgrade($key)));

/* And late after it. */
done_within(0.3, function () use ($lock, $other, $key) {
    ignore($lock->getLock($key, ttl: 0.5));
    $lock->downgrade($key);
    ignore($other->getSharedLock($key));
}, fn () => [$other->releaseAll(), outcome(fn () => $lock->releaseLock($key))]);
await('its end', fn () => !$lock->isLocking($key));
say('late, a share of another is there', outcome(fn () => $lock->releaseLock($key)));
?>
--EXPECT--
another's: false
downgraded: true
lease: [true,2,"note",true]
ttl: in time
ours: [true,"null",true,"note"]
others: [true,true,false]
again: false
up: false
back: [true,true,true,false,false]
the other, up and down: [true,true,2,true]
nothing is there: 0
prolonged: [true,true,true]
late: RLock\TimeoutException, held false, late, [null,false]
late, and another had a share: RLock\LostLockException, held false, [null,false]
late, and another has it: RLock\LostLockException, held false, [null,false]
deleted: RLock\LostLockException, held false
late, a share of another is there: RLock\TimeoutException, held false, late
