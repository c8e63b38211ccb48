--TEST--
T6: a node of a majority that is dead, frozen, or late costs nothing, confuses nothing, and is left clean
--FILE--
<?php
require __DIR__ . '/../majority.inc';

function work(RLock $lock, int $rounds): float
{
    return seconds(function () use ($lock, $rounds) {
        for ($i = 0; $i < $rounds; $i++) {
            if (!$lock->getLock("key") || !$lock->prolongate("key") || !$lock->isLocking("key")
                || !$lock->releaseLock("key")) {
                throw new RuntimeException("round $i went wrong");
            }
        }
    });
}

/* A call's deadline is 5 s: who waited for the node but once would be found out. */
$nodes = new Majority(3);
$lock = $nodes->lock('timeout=5&connect_timeout=5');

$nodes->servers[1]->freeze();
say_took('frozen', work($lock, 20), 0.0, 2.0);
say_took('frozen, seen by another', work(new RLock($nodes->urls('timeout=5&connect_timeout=5&persistent=0')), 20), 0.0, 2.0);
ignore($lock->getLock('kept', ttl: 100.0));
$nodes->servers[1]->thaw();
$nodes->awaitHolding(0, 'key');
say('it is on a majority', $nodes->holding('kept') >= 2);
say('what is kept', [$lock->isLocking('kept'), $lock->releaseLock('kept')]);
say_took('thawed', work($lock, 20), 0.0, 2.0);
$nodes->awaitHolding(0, 'key');

$nodes->servers[2]->kill();
say_took('dead', work($lock, 20), 0.0, 2.0);
say_took('dead, seen by another', work(new RLock($nodes->urls('timeout=5&connect_timeout=5&persistent=0')), 20), 0.0, 2.0);
$nodes->awaitHolding(0, 'key', 2);
$restarted = $nodes->servers[2]->restart();
$used = await('the node that is back', function () use ($lock, $restarted) {
    ignore($lock->getLock('back'));
    usleep(2000);
    $used = $restarted->client()('EXISTS', lock_key('back'));
    $lock->releaseLock('back');
    return $used;
});
say('restarted', $used === 1);

/* Its answers come 50 ms after the others': those to one call while the next is under way. */
$proxy = new Proxy($nodes->servers[0]->socket);
$urls = [$proxy->url('persistent=0'), $nodes->servers[1]->url('persistent=0'), $restarted->url('persistent=0')];
$slow = new RLock($urls);
$other = new RLock($urls);
work($slow, 3);
work($other, 3);
$proxy->tell('late 50');
say_took('late', work($slow, 50), 0.0, 2.0);
for ($i = 0; $i < 20; $i++) {
    if (!$slow->getLock('mine') || $other->getLock('mine') || !$other->getLock("its $i") || !$slow->releaseLock('mine')
        || !$other->isLocking("its $i") || $slow->isLocking('mine') || !$other->releaseLock("its $i")) {
        echo "round $i was confused\n";
    }
}
$proxy->tell('late 0');
foreach (['key', 'mine'] as $name) {
    await("\"$name\" free", fn () => $nodes->servers[0]->client()('EXISTS', lock_key($name)) === 0);
}
say('lost', $slow->stats()['lost'] + $other->stats()['lost']);
?>
--EXPECT--
frozen: in time
frozen, seen by another: in time
it is on a majority: true
what is kept: [true,true]
thawed: in time
dead: in time
dead, seen by another: in time
restarted: true
late: in time
lost: 0
