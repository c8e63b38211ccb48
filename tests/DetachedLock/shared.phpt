--TEST--
DetachedLock::getSharedLock(), downgrade(): a share that belongs to a name, in any object and process
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$key = unique_key();
$one = new RLock(shared_url());
$two = new RLock(shared_url());
$mine = $one->detached($key, "me\0:\xff");
$again = $two->detached($key, "me\0:\xff");
$yours = $two->detached($key, 'you');

say('not held', [$mine->downgrade(), $client('EXISTS', lock_key($key))]);
say('shares', [$mine->getSharedLock(ttl: 20.0, metadata: 'note: 1', limit: 2), $yours->getSharedLock(ttl: 60.0, limit: 2)]);
say('a third', [$one->detached($key, 'third')->getSharedLock(limit: 2), $one->getSharedLock($key, limit: 2), $one->getLock($key)]);
say('held by the name', [$mine->isLocking(), $again->isLocking(), $yours->isLocking()]);
say_within('ttl', $again->ttl(), 10.0, 20.0);
say_within('ttl', $yours->ttl(), 50.0, 60.0);
say('fences', [$mine->fence() === $again->fence(), $mine->fence() < $yours->fence()]);
$sharers = $two->sharers($key);
usort($sharers, fn ($one, $other) => $one->fence <=> $other->fence);
say('sharers', array_map(fn ($holder) => [$holder->kind->name, $holder->shared, $holder->metadata, $holder->fence > 0], $sharers));
say('shows the name', str_contains(print_r($sharers, true), "me\0") || str_contains(print_r($sharers, true), bin2hex('me')));

/* The lease becomes the longer one, each time it is a new grant; the limit does not matter, the rest stays. */
$fence = $mine->fence();
say('taken again', [$again->getSharedLock(ttl: 1.0, limit: 1), $mine->getSharedLock(ttl: 100.0, metadata: 'other')]);
say_within('ttl', $again->ttl(), 90.0, 100.0);
say('a new grant, once', [$mine->fence() > $fence, count($one->sharers($key)), $again->downgrade()]);
say('prolonged, after another has taken it again', [$again->fence() > 0, $mine->getSharedLock(ttl: 200.0), $again->prolongate(30.0), $mine->ttl() <= 30.0, $yours->ttl() > 30.0]);

/* Exclusively, if it is the only one, else not, at once. */
$fence = $mine->fence();
$took = seconds(function () use ($mine) { say('beside another', $mine->getLock(wait: 60.0)); });
say_took('at once', $took, 0.0, 2.0);
say('it stays, but for the fence', [$mine->isLocking(), $mine->fence() > $fence, count($one->sharers($key))]);
$fence = $mine->fence();
say('the other goes', [$yours->releaseLock(), $yours->releaseLock(), $yours->isLocking()]);
say('alone', [$again->getLock(ttl: 40.0), $mine->fence() > $fence, $one->holder($key)->shared, $one->getSharedLock($key)]);
say('by a share of its own', [$mine->getSharedLock(ttl: 50.0), $one->holder($key)->shared]);
$fence = $mine->fence();
say("not the other's", $yours->downgrade());
say('downgraded elsewhere', [$again->downgrade(), $mine->downgrade(), $one->holder($key)->shared, $mine->fence() === $fence]);
say_within('ttl', $mine->ttl(), 40.0, 50.0);
say('others enter', [$yours->getSharedLock(), $yours->releaseLock()]);

/* Another process says the name. */
$child = Child::start('
    $mine = (new RLock(shared_url()))->detached($args[0], "me\0:\xff");
    $parent->say([$mine->isLocking(), $mine->prolongate(60.0), $mine->getLock(), $mine->downgrade(), $mine->releaseLock()]);
', [$key]);
say('another process', $child->hear());
say('released', [$mine->isLocking(), $mine->releaseLock(), $mine->prolongate(), $client('EXISTS', lock_key($key))]);

/* With a delay, broken, run out. */
say('with a delay', done_within(0.5,
    fn () => [$again->releaseLock(delayAfter: 0.5), $mine->getSharedLock(), $yours->isLocking(), $yours->prolongate(30.0)],
    fn () => [$one->breakLock($key), $mine->getSharedLock(ttl: 20.0), $yours->getSharedLock(ttl: 20.0)]));
say('after it', [$mine->getSharedLock(wait: 10.0), count($one->sharers($key))]);
say('one is broken', [$one->breakLock($key, $mine->fence()), $mine->isLocking(), $mine->prolongate(), $mine->releaseLock(), $yours->isLocking()]);
say('all are', [$one->breakLock($key), $yours->isLocking()]);
take_briefly($mine->getSharedLock(...), ttl: 0.4);
await('its end', fn () => !$mine->isLocking() && !$client('EXISTS', lock_key($key))); /* the key lasts a millisecond longer */
say('run out', [$mine->prolongate(), $again->releaseLock(), $mine->downgrade()]);

/* An exclusive lock that belongs to a name, and nothing gives it back by itself. */
say('exclusive', [$mine->getLock(ttl: 20.0), $mine->downgrade(), $again->getSharedLock(), $again->fence() === $mine->fence()]);
unset($mine, $one, $again);
say('still held', $two->holder($key)->shared);
say('released', $two->detached($key, "me\0:\xff")->releaseLock());
?>
--EXPECT--
not held: [false,0]
shares: [true,true]
a third: [false,false,false]
held by the name: [true,true,true]
ttl: in time
ttl: in time
fences: [true,true]
sharers: [["Detached",true,"note: 1",true],["Detached",true,null,true]]
shows the name: false
taken again: [true,true]
ttl: in time
a new grant, once: [true,2,false]
prolonged, after another has taken it again: [true,true,true,true,true]
beside another: false
at once: in time
it stays, but for the fence: [true,true,2]
the other goes: [true,false,false]
alone: [true,true,false,false]
by a share of its own: [true,false]
not the other's: false
downgraded elsewhere: [true,false,true,true]
ttl: in time
others enter: [true,true]
another process: [true,true,true,true,true]
released: [false,false,false,0]
with a delay: [true,false,true,true]
after it: [true,2]
one is broken: [true,false,false,false,true]
all are: [true,false]
run out: [false,false,false]
exclusive: [true,true,true,true]
still held: true
released: true
