--TEST--
Shared locks in a cluster: on each node; waiters; while a slot moves; after a master was replaced
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

$cluster = new TestCluster(replicas: 1, arguments: TestCluster::REPLACING);
$locks = array_map(fn () => new RLock($cluster->url('timeout=20')), range(1, 3));
foreach ([0, 1] as $node) {
    play("node $node", $cluster->keyOn($node), ...$locks);
}
play('with braces', 'a}b{c}' . unique_key(), ...$locks);

/* A waiter for a share and one for the whole lock. */
[$one, $two] = $locks;
$key = $cluster->keyOn(1);
ignore($one->getLock($key, ttl: 60.0));
$waiters = [];
foreach (['getSharedLock', 'getLock'] as $i => $method) {
    $waiters[] = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say([$lock->{$args["method"]}($args["key"], wait: 60.0), $lock->releaseLock($args["key"])]);
    ', ['url' => $cluster->url(), 'method' => $method, 'key' => $key]);
    $cluster->masters[1]->client()->awaitBlocked($i + 1);
}
$one->downgrade($key);
say('the share', $waiters[0]->hear());
$one->releaseLock($key);
say('the exclusive one', $waiters[1]->hear());

/* A slot moves. */
$key = $cluster->keyOn(0);
$slot = TestCluster::slot("lock@$key");
ignore([$one->getSharedLock($key, ttl: 60.0), $two->getSharedLock($key, ttl: 60.0)]);
$cluster->move($slot, $cluster->masters[0], $cluster->masters[1]);
say('after a move', [$one->isLocking($key), $two->prolongate($key, 60.0), count($one->sharers($key)), $one->releaseLock($key), $two->releaseLock($key)]);

/* A slot is about to move, with all of a lock's keys still in one place: what a script deletes is not to be asked for again. */
$key = $cluster->keyOn(0);
$slot = TestCluster::slot("lock@$key");
[$a, $b] = $cluster->masters;
ignore($one->getSharedLock($key, ttl: 60.0));
foreach (['w' => ['SET', ''], 't' => ['SET', '1:nobody'], 'q' => ['RPUSH', '-'], 'r' => ['RPUSH', '+']] as $kind => [$command, $value]) {
    $a->client()($command, "rlock:$kind:{lock@$key}:lock@$key", $value);
}
$cluster->beginMove($slot, $a, $b);
say('while it moves', outcome(fn () => $one->releaseLock($key)));
$cluster->moveKeys($slot, $a, $b);
$cluster->endMove($slot, $a, $b);
say('another, after the move', $two->getLock($key) && $two->releaseLock($key));

/* A master is replaced. */
$key = $cluster->keyOn(2);
ignore([$one->getSharedLock($key, ttl: 60.0), $two->getSharedLock($key, ttl: 60.0)]);
await_replicas($cluster->masters[2]->client());
$cluster->masters[2]->kill();
say('after a failover', [$one->isLocking($key), $two->prolongate($key, 60.0), count($one->sharers($key)), $one->releaseLock($key), $two->releaseLock($key)]);
?>
--EXPECT--
node 0, shares: [true,true,false]
node 0, a limit: [false,true,true]
node 0, prolonged: [true,true,true]
node 0, who: [[null,"a"],true,"a"]
node 0, upgrade beside another: false
node 0, given back: [true,true,false]
node 0, downgraded: [true,true,true]
node 0, broken: [true,"RLock\\LostLockException, held false",true]
node 0, adopts nothing: [false,"RLock\\RLockException"]
node 0, the end: [true,true,true]
node 1, shares: [true,true,false]
node 1, a limit: [false,true,true]
node 1, prolonged: [true,true,true]
node 1, who: [[null,"a"],true,"a"]
node 1, upgrade beside another: false
node 1, given back: [true,true,false]
node 1, downgraded: [true,true,true]
node 1, broken: [true,"RLock\\LostLockException, held false",true]
node 1, adopts nothing: [false,"RLock\\RLockException"]
node 1, the end: [true,true,true]
with braces, shares: [true,true,false]
with braces, a limit: [false,true,true]
with braces, prolonged: [true,true,true]
with braces, who: [[null,"a"],true,"a"]
with braces, upgrade beside another: false
with braces, given back: [true,true,false]
with braces, downgraded: [true,true,true]
with braces, broken: [true,"RLock\\LostLockException, held false",true]
with braces, adopts nothing: [false,"RLock\\RLockException"]
with braces, the end: [true,true,true]
the share: [true,true]
the exclusive one: [true,true]
after a move: [true,true,2,true,true]
while it moves: true
another, after the move: true
after a failover: [true,true,2,true,true]
