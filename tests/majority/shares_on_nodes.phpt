--TEST--
Shares that were taken on a majority's servers one by one: they keep a majority's locks out, are seen, and can be broken
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$lock = $nodes->lock();
$singles = array_map(fn (string $url) => new RLock($url), array_slice($nodes->urls(), 0, 2));
$detached = $lock->detached('key', 'name');

function seen(RLock $lock): array
{
    $holder = $lock->holder('key');
    return [$holder?->kind->name, $holder?->shared, count($lock->sharers('key')), array_keys($lock->holders('key'))];
}

foreach ($singles as $single) {
    ignore($single->getSharedLock('key'));
}
say('busy', [$lock->getLock('key'), outcome(fn () => $detached->getLock())]);
say('seen', seen($lock));
say('broken', $lock->breakLock('key'));
say('then', [seen($lock), $lock->breakLock('key'), $lock->getLock('key'), $lock->releaseLock('key')]);
foreach ($singles as $single) {
    say('whoever had it learns that', outcome(fn () => $single->releaseLock('key')));
}

/* Shares of a name: the same name is told nothing of them on the majority. */
foreach ($singles as $single) {
    ignore($single->detached('key', 'name')->getSharedLock(ttl: 60.0));
}
foreach (['getLock', 'prolongate', 'releaseLock', 'isLocking', 'fence'] as $method) {
    say($method, outcome(fn () => $detached->$method()));
}
say('seen', seen($lock));
say('left elsewhere', $nodes->holding('key'));
say('broken', [$lock->breakLock('key'), $detached->getLock(), $detached->releaseLock()]);
say('nobody', $nodes->holding('key'));
?>
--EXPECT--
busy: [false,"false"]
seen: ["Lease",true,1,["key"]]
broken: true
then: [[null,null,0,[]],false,true,true]
whoever had it learns that: RLock\LostLockException, held false
whoever had it learns that: RLock\LostLockException, held false
getLock: false
prolongate: false
releaseLock: false
isLocking: false
fence: null
seen: ["Lease",true,1,["key"]]
left elsewhere: 2
broken: [true,true,true]
nobody: 0
