--TEST--
DetachedLock: the name holds it, in any object; no levels; false when it is not its own; nothing else is changed
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$key = unique_key();
$one = new RLock(shared_url());
$two = new RLock(shared_url());
$mine = $one->detached($key, "me\0:\xff");
$again = $two->detached($key, "me\0:\xff");
$yours = $two->detached($key, "me\0:");

say('not held', [$mine->isLocking(), $mine->ttl(), $mine->fence(), $mine->prolongate(), $mine->releaseLock()]);
say('nothing is there', $client('EXISTS', lock_key($key)));

say('taken', $mine->getLock(ttl: 20.0, metadata: 'note: 1'));
say('fence', $mine->fence() > 0 && $mine->fence() === $one->holder($key)->fence);
say('held by the name', [$mine->isLocking(), $again->isLocking(), $yours->isLocking()]);
say_within('ttl', $again->ttl(), 10.0, 20.0);
say('of another', [$yours->ttl(), $yours->fence()]);
$holder = $two->holder($key);
say('holder', [$holder->kind->name, str_ends_with($holder->owner, ':' . getmypid()), $holder->metadata]);
say('shows the name', str_contains(print_r($holder, true), "me\0"));

/* The lease becomes the longer one, each time it is a new grant, and the metadata stays. */
$fence = $mine->fence();
say('taken again, shorter', [$mine->getLock(ttl: 1.0), $again->getLock(ttl: 1.0, metadata: 'other')]);
say_within('ttl', $mine->ttl(), 10.0, 20.0);
say('taken again, longer', $again->getLock(ttl: 60.0));
say_within('ttl', $mine->ttl(), 50.0, 60.0);
say('longer, here', $mine->getLock(ttl: 100.0));
say_within('ttl', $mine->ttl(), 90.0, 100.0);
say('a new grant', [$mine->fence() > $fence, $one->holder($key)->fence === $again->fence(), $one->holder($key)->metadata]);

/* A prolongation sets it, also to less, and is a new grant. */
$fence = $mine->fence();
say('prolonged, each by what it knew', [$again->fence() === $fence, $again->prolongate(30.0), $mine->prolongate(60.0)]);
say_within('ttl', $mine->ttl(), 50.0, 60.0);
say('a new grant', $mine->fence() > $fence);
say('in the same object', $one->detached($key, "me\0:\xff")->prolongate(20.0));
say_within('ttl', $mine->ttl(), 10.0, 20.0);

/* Others are kept out, and can do nothing. */
say('another name', [$yours->getLock(), $yours->prolongate(), $yours->releaseLock()]);
say('no name', [$one->getLock($key), $one->releaseLock($key), $one->prolongate($key), $one->isLocking($key)]);
say('its value adopts nothing', $one->adopt($key, $client('GET', lock_key($key))));
say_within('ttl', $mine->ttl(), 10.0, 20.0);

/* One release is enough. */
say('released', $again->releaseLock());
say('nothing is there', $client('EXISTS', lock_key($key)));
say('not held', [$mine->releaseLock(), $again->releaseLock(), $mine->prolongate(), $mine->isLocking(), $mine->fence()]);

/* delayAfter keeps out everybody. */
say('with a delay', [$mine->getLock(ttl: 20.0), $mine->releaseLock(delayAfter: 60.0)]);
say('nobody has it', [$mine->isLocking(), $again->getLock(), $one->getLock($key)]);
$cooldown = $two->holder($key);
say('holder', [$cooldown->kind->name, $cooldown->owner === $holder->owner, str_contains($client('GET', lock_key($key)), bin2hex("me\0:\xff"))]);
say_within('kept for', $client('PTTL', lock_key($key)) / 1000, 50.0, 60.0);
$took = seconds(function () use ($client, $key, $again) {
    $client('PEXPIRE', lock_key($key), 400);
    say('after it', $again->getLock(wait: 5.0));
});
say_took('waited', $took, 0.38, 2.0);

say('with a delay, elsewhere', [$again->releaseLock(delayAfter: 0.1), $mine->releaseLock(), $again->releaseLock()]);
say('taken here', [$mine->getLock(wait: 5.0), $again->releaseLock(delayAfter: 0.1), $mine->releaseLock(), $mine->prolongate()]);
say('after it', $again->getLock(wait: 5.0));

/* Broken, deleted, run out: it is not its own any more, whoever has it then. */
say('broken', [$one->breakLock($key), $again->releaseLock(), $again->prolongate()]);
ignore($mine->getLock(ttl: 20.0));
$client('DEL', lock_key($key));
say('deleted', [$mine->prolongate(), $mine->isLocking(), $client('EXISTS', lock_key($key))]);
take_briefly($mine->getLock(...), ttl: 0.4);
await('its end', fn () => !$client('EXISTS', lock_key($key)));
say('run out', [$mine->prolongate(), $mine->releaseLock(), $client('EXISTS', lock_key($key))]);
take_briefly($mine->getLock(...), ttl: 0.4);
await('its end', fn () => $yours->getLock(ttl: 20.0));
say('taken by another', [$mine->prolongate(), $mine->releaseLock(), $mine->getLock(), $yours->isLocking()]);
say('and given back', [$yours->releaseLock(), $mine->getLock()]);
say('a higher fence', $mine->fence() > $fence);
$mine->releaseLock();

/* Without an expiry, by hand. Who says the name again gives it one. */
ignore($mine->getLock());
$client('PERSIST', lock_key($key));
say('for ever', [is_infinite($mine->ttl()), $again->getLock(ttl: 60.0), $mine->ttl() <= 60.0]);
say('prolonged', [$again->prolongate(20.0), $again->ttl() <= 20.0, $mine->releaseLock()]);

/* Long names, metadata, keys. */
$large = $one->detached(str_repeat('k', 1024), str_repeat("\xff", 255));
say('large', [$large->getLock(metadata: str_repeat(':', 65536)), strlen($two->holder(str_repeat('k', 1024))->metadata)]);
say('found', [$two->detached(str_repeat('k', 1024), str_repeat("\xff", 255))->prolongate(), $large->releaseLock()]);

say('statistics', array_intersect_key($one->stats(), array_flip(['timeouts', 'lost', 'renewals'])));
?>
--EXPECT--
not held: [false,0.0,null,false,false]
nothing is there: 0
taken: true
fence: true
held by the name: [true,true,false]
ttl: in time
of another: [0.0,null]
holder: ["Detached",true,"note: 1"]
shows the name: false
taken again, shorter: [true,true]
ttl: in time
taken again, longer: true
ttl: in time
longer, here: true
ttl: in time
a new grant: [true,true,"note: 1"]
prolonged, each by what it knew: [true,true,true]
ttl: in time
a new grant: true
in the same object: true
ttl: in time
another name: [false,false,false]
no name: [false,false,false,false]
its value adopts nothing: false
ttl: in time
released: true
nothing is there: 0
not held: [false,false,false,false,null]
with a delay: [true,true]
nobody has it: [false,false,false]
holder: ["Cooldown",true,false]
kept for: in time
after it: true
waited: in time
with a delay, elsewhere: [true,false,false]
taken here: [true,true,false,false]
after it: true
broken: [true,false,false]
deleted: [false,false,0]
run out: [false,false,0]
taken by another: [false,false,false,true]
and given back: [true,true]
a higher fence: true
for ever: [true,true,true]
prolonged: [true,true,true]
large: [true,65536]
found: [true,true]
statistics: {"renewals":0,"timeouts":0,"lost":0}
