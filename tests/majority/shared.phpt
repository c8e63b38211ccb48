--TEST--
A majority has no shared locks: RLockException, and nothing is held; sharers() tells the exclusive holder
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$lock = $nodes->lock();
$other = $nodes->lock();
$calls = [
    'getSharedLock' => fn () => $lock->getSharedLock('key'),
    'with a wait and a limit' => fn () => $lock->getSharedLock('key', wait: INF, limit: 3),
    'detached' => fn () => $lock->detached('key', 'name')->getSharedLock(),
    'a bad argument' => fn () => $lock->getSharedLock('key', limit: 0),
    'downgrade of what is not held' => fn () => $lock->downgrade('key'),
];
foreach ($calls as $name => $call) {
    say($name, outcome($call));
}
try {
    ignore($lock->getSharedLock('key'));
} catch (RLock\RLockException $e) {
    say('message', [$e->key, $e->getMessage()]);
}
say('nobody', [$nodes->holding('key'), $lock->sharers('key'), $lock->lease('key')]);

say('exclusively', $lock->getLock('key', metadata: 'note'));
foreach (['getSharedLock' => fn () => $lock->getSharedLock('key'), 'downgrade' => fn () => $lock->downgrade('key')] as $name => $call) {
    say("held, $name", outcome($call));
}
say('still held', [$lock->isLocking('key'), $lock->lease('key')->depth, $lock->lease('key')->shared]);
say('who', array_map(fn ($holder) => [$holder->metadata, $holder->shared], $other->sharers('key')));
say('given back', [$lock->releaseLock('key'), $other->getLock('key', wait: 5.0)]);
?>
--EXPECT--
getSharedLock: RLock\RLockException
with a wait and a limit: RLock\RLockException
detached: RLock\RLockException
a bad argument: ValueError
downgrade of what is not held: false
message: ["key","A majority of servers has no shared locks"]
nobody: [0,[],null]
exclusively: true
held, getSharedLock: RLock\RLockException
held, downgrade: RLock\RLockException
still held: [true,1,false]
who: [["note",false]]
given back: [true,true]
