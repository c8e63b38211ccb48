--TEST--
A limit: so many shares at once, each caller's own counts; a place that becomes free goes to the first waiter
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$locks = array_map(fn () => new RLock($server->url()), range(1, 4));
[$a, $b, $c, $d] = $locks;
$all = fn (?int $limit) => array_map(fn ($lock) => $lock->getSharedLock('key', limit: $limit), $locks);

say('three of four', $all(3));
say('exclusively', $d->getLock('key'));
say('its own limit is higher', [$d->getSharedLock('key', limit: 4), $d->releaseLock('key')]);
say('it has none', [$d->getSharedLock('key'), $d->releaseLock('key')]);
say('one place is free', [$b->releaseLock('key'), $d->getSharedLock('key', limit: 3), $b->getSharedLock('key', limit: 3)]);
say('two are, but its limit is lower', [$a->releaseLock('key'), $b->getSharedLock('key', limit: 2), $b->getSharedLock('key', limit: 3)]);
foreach ($locks as $lock) {
    $lock->releaseAll();
}

/* One: the same as an exclusive lock, as long as all say so. */
say('one', $all(1));
$a->releaseLock('key');

/* A lease that ends frees its place. */
take_briefly($a->getSharedLock(...), 'key', ttl: 0.5, limit: 2);
say('beside it', $b->getSharedLock('key', ttl: 60.0, limit: 2));
$took = seconds(function () use ($c) { say('waited for', $c->getSharedLock('key', wait: 20.0, limit: 2)); });
say_took('it took', $took, 0.0, 5.0);
say('it was late, and nobody had the lock exclusively', outcome(fn () => $a->releaseLock('key')));
$b->releaseLock('key');
$c->releaseLock('key');

/* Two places, eight processes: never more than two at once, and in the order in which they began to wait. */
say('both places', [$a->getSharedLock('key', limit: 2), $b->getSharedLock('key', limit: 2)]);
$children = [];
for ($i = 1; $i <= 8; $i++) {
    $children[] = Child::start('
        $lock = new RLock($args["url"]);
        $redis = new RawClient("unix://" . $args["socket"]);
        $result = $lock->getSharedLock("key", wait: 30.0, limit: 2);
        $redis("RPUSH", "order", $args["number"]);
        $inside = $redis("INCR", "inside");
        usleep(20_000);
        $redis("DECR", "inside");
        $parent->say([$result, $inside, $lock->releaseLock("key")]);
    ', ['url' => $server->url(), 'socket' => $server->socket, 'number' => $i]);
    $client->awaitBlocked($i);
}
say('who asks now is behind them', $c->getSharedLock('key', wait: 0.1, limit: 2));
$client->awaitBlocked(8);
$a->releaseLock('key');
foreach ($children as $child) {
    [$result, $inside, $released] = $child->hear();
    if (!$result || $inside > 1 || !$released) {
        say('wrong', [$result, $inside, $released]);
    }
}
say('order', implode(' ', $client('LRANGE', 'order', 0, -1)));
say('the other place was ours all the time', $b->releaseLock('key'));
say('free', [$a->getLock('key'), $a->releaseLock('key')]);
?>
--EXPECT--
three of four: [true,true,true,false]
exclusively: false
its own limit is higher: [true,true]
it has none: [true,true]
one place is free: [true,true,false]
two are, but its limit is lower: [true,false,true]
one: [true,false,false,false]
beside it: true
waited for: true
it took: in time
it was late, and nobody had the lock exclusively: RLock\TimeoutException, held false, late
both places: [true,true]
who asks now is behind them: false
order: 1 2 3 4 5 6 7 8
the other place was ours all the time: true
free: [true,true]
