--TEST--
sharers(): every holder of one key; holder() and holders() have the share that lasts longest
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$prefix = unique_key('prefix') . '@';
$watcher = new RLock(shared_url(), $prefix);
$locks = array_map(fn () => new RLock(shared_url(), $prefix), range(0, 2));
$me = substr(gethostname(), 0, 64) . ':' . getmypid();
$show = fn (RLock\Holder $holder) => [$holder->key, $holder->owner === $me, $holder->metadata, $holder->kind->name, $holder->shared, $holder->contended];

say('free', $watcher->sharers('key'));
ignore($locks[0]->getLock('key', metadata: 'alone'));
say('exclusive', array_map($show, $watcher->sharers('key')));
$locks[0]->releaseLock('key');

foreach ([[0, 60.0, 'a'], [1, 300.0, 'b'], [2, 20.0, null]] as [$i, $ttl, $metadata]) {
    ignore($locks[$i]->getSharedLock('key', ttl: $ttl, metadata: $metadata));
}
$before = array_map(fn ($lock) => $lock->ttl('key'), $locks);
$sharers = $watcher->sharers('key');
usort($sharers, fn ($one, $other) => $one->fence <=> $other->fence);
say('keys', array_keys($sharers));
foreach ($sharers as $i => $sharer) {
    say('share', $show($sharer));
    say('its fence', $sharer->fence === $locks[$i]->lease('key')->fence);
    say_within('its ttl', $sharer->ttl, $locks[$i]->ttl('key') - 0.01, $before[$i] + 0.01);
}
say('holder', $show($watcher->holder('key')));
say('holders', array_map($show, $watcher->holders()));
say('one fewer', [$locks[1]->releaseLock('key'), count($watcher->sharers('key')), $watcher->holder('key')->metadata]);
say('shows a token', array_filter($locks, fn ($lock) => $lock->lease('key') !== null
    && str_contains(print_r($watcher->sharers('key'), true), secret($lock->lease('key')->token))));
say('contended', $watcher->holder('key')->contended);
foreach ($locks as $lock) {
    $lock->releaseAll();
}
say('free', [$watcher->sharers('key'), $watcher->holders()]);

/* What is not a share. */
$client('SET', $prefix . 'key', 'foreign');
[$holder] = $watcher->sharers('key');
say('foreign', [$holder->owner, $holder->kind->name, $holder->ttl, $holder->fence, $holder->shared]);
$client('DEL', $prefix . 'key');
ignore($watcher->detached('key', 'one')->getSharedLock(metadata: 'detached'));
ignore($locks[0]->getSharedLock('key'));
$kinds = array_map(fn ($holder) => [$holder->kind->name, $holder->metadata], $watcher->sharers('key'));
sort($kinds);
say('detached', $kinds);
$locks[0]->releaseLock('key');
say('detached', $show($watcher->holder('key')));
?>
--EXPECT--
free: []
exclusive: [["key",true,"alone","Lease",false,false]]
keys: [0,1,2]
share: ["key",true,"a","Lease",true,false]
its fence: true
its ttl: in time
share: ["key",true,"b","Lease",true,false]
its fence: true
its ttl: in time
share: ["key",true,null,"Lease",true,false]
its fence: true
its ttl: in time
holder: ["key",true,"b","Lease",true,false]
holders: {"key":["key",true,"b","Lease",true,false]}
one fewer: [true,2,"a"]
shows a token: []
contended: false
free: [[],[]]
foreign: ["","Foreign",null,null,false]
detached: [["Detached","detached"],["Lease",null]]
detached: ["key",true,"detached","Detached",true,false]
