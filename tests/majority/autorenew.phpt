--TEST--
autoRenew on a majority: kept alive while a node is frozen, not longer than a majority is there
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$lock = $nodes->lock('', ttl: 3.0, autoRenew: true);
say('taken', $lock->getLock('key'));
$nodes->awaitHolding(3, 'key');
$renewed = fn (int $times) => await("$times renewals", fn () => $lock->stats()['renewals'] >= $times);
$renewed(2);
say('kept', [$lock->isLocking('key'), $nodes->holding('key')]);

$nodes->servers[1]->freeze();
$renewed($lock->stats()['renewals'] + 3);
$lock->check('key');
say('with a frozen node', $lock->isLocking('key'));
$nodes->servers[1]->thaw();
$renewed($lock->stats()['renewals'] + 2);
say('thawed', [$lock->isLocking('key'), $lock->releaseLock('key')]);
$nodes->awaitHolding(0, 'key');

ignore($lock->getLock('key'));
$nodes->awaitHolding(3, 'key');
$nodes->servers[0]->client()('FLUSHALL');
$nodes->servers[2]->client()('FLUSHALL');
$loss = await('the loss', function () use ($lock) {
    try {
        $lock->check('key');
    } catch (RLock\TimeoutException $e) {
        return $e;
    }
});
say('gone from two', $loss::class);
$nodes->awaitHolding(0, 'key');
?>
--EXPECT--
taken: true
kept: [true,3]
with a frozen node: true
thawed: [true,true]
gone from two: RLock\LostLockException
