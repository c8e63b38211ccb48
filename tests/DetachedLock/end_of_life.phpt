--TEST--
DetachedLock: nothing gives it back by itself: no destructor, no releaseAll(), no close(); its RLock lives as long as it does
--FILE--
<?php
require __DIR__ . '/../server.inc';

$key = unique_key();
$other = new RLock(shared_url());
$held = fn () => $other->holder($key) !== null;

ignore((new RLock(shared_url()))->detached($key, 'name')->getLock(ttl: 60.0));
say('both objects are gone', $held());

$lock = new RLock(shared_url());
$detached = $lock->detached($key, 'name');
say('taken again', $detached->getLock(ttl: 60.0));
unset($detached);
say('its object is gone', $held());
ignore($lock->getLock('attached to ' . $key));
say('releaseAll', [$lock->releaseAll(), $held(), $other->holder('attached to ' . $key)]);
ignore($lock->detached($key, 'name')->getLock(ttl: 60.0));
$lock->close();
say('closed', $held());

$detached = (new RLock(shared_url(), autoRenew: true, interrupt: true, maxHold: 60.0))->detached($key, 'name');
say('the RLock has no other reference', [$detached->getLock(ttl: 60.0), $detached->isLocking()]);
say('no thread renews it', threads());
say('released', [$detached->releaseLock(), $held()]);

/* What the RLock holds besides is released when the last of both is gone. */
$lock = new RLock(shared_url());
$detached = $lock->detached($key, 'name');
ignore($lock->getLock($key));
unset($lock);
say('held', $held());
unset($detached);
say('and not', $held());
?>
--EXPECT--
both objects are gone: true
taken again: true
its object is gone: true
releaseAll: [true,true,null]
closed: true
the RLock has no other reference: [true,true]
no thread renews it: 1
released: [true,false]
held: true
and not: false
