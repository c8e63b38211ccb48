--TEST--
A majority of three and of five: what does not need one server's word works
--FILE--
<?php
require __DIR__ . '/../majority.inc';

foreach ([3, 5] as $count) {
    echo "-- $count\n";
    $nodes = new Majority($count);
    $a = $nodes->lock();
    $b = $nodes->lock();
    say('taken', outcome(fn () => $a->getLock('key', ttl: 20.0, metadata: 'mine')));
    $nodes->awaitHolding($count, 'key');
    say('by another', outcome(fn () => $b->getLock('key')));
    say('by another, waiting', outcome(fn () => $b->getLock('key', wait: 0.2)));
    $nodes->awaitHolding($count, 'key');
    say('ours', outcome(fn () => $a->isLocking('key')));
    say('theirs', outcome(fn () => $b->isLocking('key')));
    say_within('ttl', $a->ttl('key'), 15.0, 20.0);
    $a->check('key');
    $lease = $a->lease('key');
    say('lease', [$lease->key, $lease->fence, $lease->depth, $lease->metadata]);
    $holder = $b->holder('key');
    say('holder', [$holder->key, str_ends_with($holder->owner, ':' . getmypid()), $holder->fence, $holder->metadata,
        $holder->contended]);
    say('again', outcome(fn () => $a->getLock('key')));
    say('depth', $a->lease('key')->depth);
    say('prolonged', outcome(fn () => $a->prolongate('key', 50.0)));
    say_within('ttl', $b->holder('key')->ttl, 45.0, 50.0);
    say('a level', outcome(fn () => $a->releaseLock('key')));
    say('given back', outcome(fn () => $a->releaseLock('key')));
    say('once more', outcome(fn () => $a->releaseLock('key')));
    $nodes->awaitHolding(0, 'key');
    say('nobody', $b->holder('key'));

    say('synchronized', $a->synchronized('key', fn ($lease) => $nodes->holding('key') === $count || $lease->key));
    say('several', outcome(fn () => $a->getLocks(['y', 'x', 'z', 'x'])));
    say('not all', outcome(fn () => $b->getLocks(['w', 'x'])));
    $nodes->awaitHolding(0, 'w');
    say('all back', outcome(fn () => $a->releaseAll()));
    foreach (['x', 'y', 'z'] as $name) {
        $nodes->awaitHolding(0, $name);
    }

    ignore($b->getLock('key'));
    say('by its owner', outcome(fn () => $b->releaseLock('key', delayAfter: 60.0)));
    say('kept from all', [$a->getLock('key'), $b->getLock('key'), $a->holder('key')->kind->name]);
    say('broken', outcome(fn () => $a->breakLock('key')));
    say('unconfirmed', [$a->getLock('key'), $a->releaseLock('key', confirm: false), $b->getLock('key', wait: 5.0)]);
    say('broken again', outcome(fn () => $a->breakLock('key')));
    say('lost', outcome(fn () => $b->releaseLock('key')));
    ignore($a->getLock('key'));
    $a->close();
    $nodes->awaitHolding(0, 'key');
}
?>
--EXPECT--
-- 3
taken: true
by another: false
by another, waiting: false
ours: true
theirs: false
ttl: in time
lease: ["key",null,1,"mine"]
holder: ["key",true,null,"mine",false]
again: true
depth: 2
prolonged: true
ttl: in time
a level: true
given back: true
once more: false
nobody: null
synchronized: true
several: true
not all: false
all back: true
by its owner: true
kept from all: [false,false,"Cooldown"]
broken: true
unconfirmed: [true,true,true]
broken again: true
lost: RLock\LostLockException, held false
-- 5
taken: true
by another: false
by another, waiting: false
ours: true
theirs: false
ttl: in time
lease: ["key",null,1,"mine"]
holder: ["key",true,null,"mine",false]
again: true
depth: 2
prolonged: true
ttl: in time
a level: true
given back: true
once more: false
nobody: null
synchronized: true
several: true
not all: false
all back: true
by its owner: true
kept from all: [false,false,"Cooldown"]
broken: true
unconfirmed: [true,true,true]
broken again: true
lost: RLock\LostLockException, held false
