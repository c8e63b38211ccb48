--TEST--
S4: out of memory, giving back with and without waiters, extending: works, and one waiter after the other is served
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('alone', ttl: 20.0));
ignore($lock->getLock('waited for', ttl: 20.0));
$children = [];
foreach ([1, 2, 3] as $count) {
    $children[] = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say([$lock->getLock("waited for", wait: 20.0, ttl: 40.0), $lock->isLocking("waited for")]);
        $parent->hear();
        $parent->say([$lock->prolongate("waited for", 50.0), $lock->releaseLock("waited for")]);
    ', ['url' => $server->url()]);
    $client->awaitBlocked($count);
}
$client('CONFIG', 'SET', 'maxmemory', '1');
say('prolongate', outcome(fn () => $lock->prolongate('alone', 60.0)));
say_within('lease', $client('PTTL', 'lock@alone') / 1000, 55, 60);
say('isLocking', outcome(fn () => $lock->isLocking('alone')));
say('releaseLock', outcome(fn () => $lock->releaseLock('alone')));
say('left', $client('EXISTS', 'lock@alone'));
say('releaseLock', outcome(fn () => $lock->releaseLock('waited for')));
foreach ($children as $child) {
    say_took('it took', seconds(function () use ($child) { say('waiter', $child->hear()); }), 0, 3);
    say_within('its lease', $client('PTTL', 'lock@waited for') / 1000, 35, 40);
    $child->say('go on');
    say('waiter', $child->hear());
    say('ended with', $child->wait());
}
await('free', fn () => !$client('EXISTS', 'lock@waited for'), 3.0);
echo implode(array_map(fn (Child $child) => $child->output(), $children));
?>
--EXPECT--
prolongate: true
lease: in time
isLocking: true
releaseLock: true
left: 0
releaseLock: true
waiter: [true,true]
it took: in time
its lease: in time
waiter: [true,true]
ended with: 0
waiter: [true,true]
it took: in time
its lease: in time
waiter: [true,true]
ended with: 0
waiter: [true,true]
it took: in time
its lease: in time
waiter: [true,true]
ended with: 0
