--TEST--
A share can neither be handed over nor adopted; after an upgrade it can
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
say('its token adopts nothing', $other->adopt($key, $lock->lease($key)->token));
say('still held', [$lock->isLocking($key), $lock->lease($key)->depth, count($other->sharers($key))]);
say('alone and exclusive', [$beside->releaseLock($key), $lock->getLock($key)]);
$fence = $lock->lease($key)->fence;
$token = $lock->handOver($key);
say('handed over', [$lock->lease($key), $other->holder($key)->kind->name, $other->holder($key)->shared]);
say('adopted', [$other->adopt($key, $token), $other->lease($key)->shared, $other->lease($key)->metadata, $other->lease($key)->fence > $fence]);
say('a share again', [$other->downgrade($key), $beside->getSharedLock($key), $other->releaseLock($key), $beside->releaseLock($key)]);
say('free', $lock->holder($key));
?>
--EXPECT--
refused: ["RLock\\RLockException",true,true]
its token adopts nothing: false
still held: [true,1,2]
alone and exclusive: [true,true]
handed over: [null,"HandOver",false]
adopted: [true,false,"note",true]
a share again: [true,true,true,true]
free: null
