--TEST--
A share cannot be handed over; it can be adopted by its token
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$key = unique_key();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
$beside = new RLock(shared_url());
ignore([$lock->getSharedLock($key, ttl: 20.0, metadata: 'note'), $beside->getSharedLock($key, ttl: 60.0)]);
try {
    ignore($lock->handOver($key));
} catch (RLock\RLockException $e) {
    say('refused', [$e::class, $e->key === $key, $e->getMessage() !== '']);
}
say('still held', [$lock->isLocking($key), $lock->lease($key)->depth]);

$lease = $lock->lease($key);
say('adopted', $other->adopt($key, $lease->token));
$adopted = $other->lease($key);
say('it is', [$adopted->shared, $adopted->depth, $adopted->metadata, $adopted->fence === $lease->fence, $adopted->token !== $lease->token]);
say_within('ttl', $other->ttl($key), 10.0, 20.0);
say('its former user', [$lock->isLocking($key), outcome(fn () => $lock->releaseLock($key)), outcome(fn () => $lock->adopt($key, $lease->token))]);
say('with a new lease', [$lock->adopt($key, $adopted->token, 100.0), $lock->ttl($key) > 90.0]);
say('two hold it', count($lock->sharers($key)));
say('given back', [$lock->releaseLock($key), outcome(fn () => $other->releaseLock($key)), $beside->releaseLock($key), $lock->holder($key)]);
?>
--EXPECT--
refused: ["RLock\\RLockException",true,true]
still held: [true,1]
adopted: true
it is: [true,1,"note",true,true]
ttl: in time
its former user: [false,"RLock\\LostLockException, held false","false"]
with a new lease: [true,true]
two hold it: 2
given back: [true,"RLock\\LostLockException, held false",true,null]
