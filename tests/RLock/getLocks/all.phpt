--TEST--
getLocks() takes all; duplicates count once, ints are their decimal strings, keys are bytes
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$prefix = unique_key() . ':';
$lock = new RLock(shared_url('timeout=20'), prefix: $prefix); // of many it is one deadline
$there = fn () => count($client('KEYS', "$prefix*"));
$x = 'b';
say('taken', $lock->getLocks(['c', &$x, 'a', 'b', 7, '7', -5, "nul\0", "\xff"], ttl: 20.0));
say('there', $there());
say('depths', array_map(fn ($key) => $lock->lease($key)?->depth, ['a', 'b', 'c', '7', '-5', "nul\0", "\xff", '07']));
say_within('ttl', $lock->ttl('a'), 15, 20);
say('by key', [$lock->releaseLock('b'), $lock->isLocking('b'), $lock->isLocking('7')]);
say('again, and more', $lock->getLocks(['a', 'c', 'd'], ttl: 40.0));
say('depths', array_map(fn ($key) => $lock->lease($key)?->depth, ['a', 'c', 'd', '7']));
say_within('the longer lease', $lock->ttl('a'), 35, 40);
say('a shorter one', $lock->getLocks(['a', 'd'], ttl: 5.0));
say_within('does not shorten', $lock->ttl('a'), 30, 40);
say('one level back', [$lock->releaseLock('a'), $lock->lease('a')->depth]);
say('all back', [$lock->releaseAll(), $there()]);

$many = range(1, 3000);
shuffle($many);
say('many', [$lock->getLocks($many, ttl: 60.0), $there(), $lock->releaseAll(), $there()]);
$fences = [];
ignore($lock->getLocks(['z', 'a', "\xff", 'Z', 'm'], ttl: 60.0));
foreach (['Z', 'a', 'm', 'z', "\xff"] as $key) {
    $fences[] = $lock->lease($key)->fence;
}
$sorted = $fences;
sort($sorted);
say('in the order of their bytes', $fences === $sorted);
?>
--EXPECT--
taken: true
there: 7
depths: [1,1,1,1,1,1,1,null]
ttl: in time
by key: [true,false,true]
again, and more: true
depths: [2,2,1,1]
the longer lease: in time
a shorter one: true
does not shorten: in time
one level back: [true,2]
all back: [true,0]
many: [true,3000,true,0]
in the order of their bytes: true
