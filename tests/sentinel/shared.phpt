--TEST--
Shared locks behind Sentinel: all calls, and shares that a failover takes along
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* Shares of two owners and an exclusive one in turns. */
function play(string $where, string $key, RLock $one, RLock $two, RLock $third): void
{
    say("$where, shares", [$one->getSharedLock($key, ttl: 60.0, metadata: 'a'), $two->getSharedLock($key, ttl: 60.0), $third->getLock($key)]);
    say("$where, a limit", [$third->getSharedLock($key, limit: 2), $third->getSharedLock($key, limit: 3), $third->releaseLock($key)]);
    say("$where, prolonged", [$one->prolongate($key, 100.0), $one->ttl($key) > 90.0, $two->isLocking($key)]);
    $metadata = array_map(fn ($holder) => $holder->metadata, $third->sharers($key));
    sort($metadata);
    say("$where, who", [$metadata, $third->holder($key)->shared, $third->holders()[$key]->metadata]);
    say("$where, upgrade beside another", $one->getLock($key, wait: 30.0));
    say("$where, given back", [$two->releaseLock($key), $one->getLock($key), $two->getSharedLock($key)]);
    say("$where, downgraded", [$one->downgrade($key), $two->getSharedLock($key), $one->lease($key)->fence < $two->lease($key)->fence]);
    say("$where, broken", [$third->breakLock($key, $two->lease($key)->fence), outcome(fn () => $two->releaseLock($key)), $one->isLocking($key)]);
    say("$where, adopts nothing", [$two->adopt($key, $one->lease($key)->token), outcome(fn () => $one->handOver($key))]);
    say("$where, the end", [$one->releaseAll(), $third->getLock($key), $third->releaseLock($key)]);
}

$group = new SentinelGroup();
$locks = array_map(fn () => new RLock($group->url('timeout=20')), range(1, 3));
play('sentinel', 'key', ...$locks);

[$one, $two, $third] = $locks;
ignore([$one->getSharedLock('key', ttl: 60.0), $two->getSharedLock('key', ttl: 60.0)]);
$group->awaitReplica();
$group->failOver();
say('after a failover', [$one->isLocking('key'), $two->prolongate('key', 60.0), $third->getLock('key'), count($third->sharers('key'))]);
say('given back', [$one->releaseLock('key'), $two->getLock('key'), $two->downgrade('key'), $two->releaseLock('key'), $two->releaseLock('key')]);
say('the end', $third->getLock('key'));
?>
--EXPECT--
sentinel, shares: [true,true,false]
sentinel, a limit: [false,true,true]
sentinel, prolonged: [true,true,true]
sentinel, who: [[null,"a"],true,"a"]
sentinel, upgrade beside another: false
sentinel, given back: [true,true,false]
sentinel, downgraded: [true,true,true]
sentinel, broken: [true,"RLock\\LostLockException, held false",true]
sentinel, adopts nothing: [false,"RLock\\RLockException"]
sentinel, the end: [true,true,true]
after a failover: [true,true,false,2]
given back: [true,true,true,true,true]
the end: true
