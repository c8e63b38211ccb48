--TEST--
Shares are re-entrant in all four combinations; a share becomes exclusive at once if it is the only one, or not at all
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
$show = fn (RLock $lock, string $key) => [$lock->lease($key)->depth, $lock->lease($key)->shared, $lock->lease($key)->metadata];

echo "a share within a share:\n";
$key = unique_key();
say('taken', [$lock->getSharedLock($key, ttl: 20.0, metadata: 'outer'), $lock->getSharedLock($key, ttl: 5.0, metadata: 'inner')]);
$fence = $lock->lease($key)->fence;
say_within('ttl', $lock->ttl($key), 10.0, 20.0);
say('with a limit that it would be above', $lock->getSharedLock($key, ttl: 60.0, limit: 1));
say_within('ttl', $lock->ttl($key), 50.0, 60.0);
say('lease', $show($lock, $key));
say('the same grant, once', [$lock->lease($key)->fence === $fence, count($other->sharers($key))]);
say('back', [$lock->releaseLock($key), $lock->releaseLock($key), $other->getLock($key), $lock->releaseLock($key), $other->getLock($key)]);
$other->releaseLock($key);

echo "a share within an exclusive lock:\n";
$key = unique_key();
say('taken', [$lock->getLock($key, metadata: 'outer'), $lock->getSharedLock($key, metadata: 'inner', limit: 1)]);
say('lease', $show($lock, $key));
say('others', $other->getSharedLock($key));
say('back', [$lock->releaseLock($key), $show($lock, $key), $other->getSharedLock($key), $lock->releaseLock($key)]);

echo "exclusively within an exclusive lock:\n";
say('taken', [$lock->getLock($key), $lock->getLock($key), $show($lock, $key), $lock->releaseAll()]);

echo "exclusively within the only share:\n";
say('taken', [$lock->getSharedLock($key, ttl: 20.0, metadata: 'outer'), $lock->getSharedLock($key)]);
$fence = $lock->lease($key)->fence;
say('upgraded', [$lock->getLock($key, wait: 5.0, ttl: 60.0, metadata: 'inner'), $show($lock, $key)]);
say('a new fence', $lock->lease($key)->fence > $fence);
say_within('ttl', $lock->ttl($key), 50.0, 60.0);
say('others', [$other->getSharedLock($key), $other->getLock($key)]);
say('still ours', [$lock->isLocking($key), outcome(fn () => $lock->check($key)), $lock->prolongate($key, 30.0)]);
say('all levels are', [$lock->releaseLock($key), $show($lock, $key), $other->getSharedLock($key), $lock->releaseLock($key),
    $other->getSharedLock($key), $lock->releaseLock($key), $other->getSharedLock($key)]);

echo "exclusively within one share of two:\n";
say('taken', $lock->getSharedLock($key, ttl: 20.0));
$fence = $lock->lease($key)->fence;
$took = seconds(function () use ($lock, $key) { say('refused', $lock->getLock($key, wait: INF, ttl: 300.0)); });
say_took('at once', $took, 0.0, 2.0);
$took = seconds(function () use ($lock, $key) { say('with the other policy', $lock->getLock($key, wait: 30.0, policy: RLock::POLICY_FAIL_FAST)); });
say_took('at once', $took, 0.0, 2.0);
say('it stays as it was', [$show($lock, $key), $lock->ttl($key) <= 20.0]);
say('but for the fence, which the server has', [$lock->lease($key)->fence > $fence,
    in_array($lock->lease($key)->fence, array_column($other->sharers($key), 'fence'), true)]);
say('of several locks, too', [$lock->getLocks([unique_key(), $key], wait: INF), $show($lock, $key)]);
say('and the other is refused, too', $other->getLock($key, wait: INF));
say('the other has gone', [$other->releaseLock($key), $lock->getLock($key)]);
say('back', [$lock->releaseLock($key), $lock->releaseLock($key), $lock->releaseLock($key), $client('EXISTS', lock_key($key))]);

echo "within synchronized:\n";
ignore($lock->getSharedLock($key));
say('exclusive', $lock->synchronized($key, fn (RLock\Lease $lease) => [$lease->shared, $lease->depth, $other->getSharedLock($key)]));
say('afterwards', $show($lock, $key));
say('a share again', [$lock->downgrade($key), $other->getSharedLock($key)]);
say('busy', outcome(fn () => $lock->synchronized($key, fn () => true, wait: INF)));
say('still a share', $show($lock, $key));
?>
--EXPECT--
a share within a share:
taken: [true,true]
ttl: in time
with a limit that it would be above: true
ttl: in time
lease: [3,true,"outer"]
the same grant, once: [true,1]
back: [true,true,false,true,true]
a share within an exclusive lock:
taken: [true,true]
lease: [2,false,"outer"]
others: false
back: [true,[1,false,"outer"],false,true]
exclusively within an exclusive lock:
taken: [true,true,[2,false,null],true]
exclusively within the only share:
taken: [true,true]
upgraded: [true,[3,false,"outer"]]
a new fence: true
ttl: in time
others: [false,false]
still ours: [true,"null",true]
all levels are: [true,[2,false,"outer"],false,true,false,true,true]
exclusively within one share of two:
taken: true
refused: false
at once: in time
with the other policy: false
at once: in time
it stays as it was: [[1,true,null],true]
but for the fence, which the server has: [true,true]
of several locks, too: [false,[1,true,null]]
and the other is refused, too: false
the other has gone: [true,true]
back: [true,true,false,0]
within synchronized:
exclusive: [false,2,false]
afterwards: [1,false,null]
a share again: [true,true]
busy: RLock\NotAcquiredException
still a share: [1,true,null]
