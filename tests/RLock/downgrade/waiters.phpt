--TEST--
downgrade() lets the shares in that are next in the queue, but nobody behind a waiter that wants the lock exclusively
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 300.0));
$children = [];
foreach (['getSharedLock', 'getSharedLock', 'getLock', 'getSharedLock'] as $i => $method) {
    $children[] = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say([$lock->{$args["method"]}("key", wait: 60.0), $lock->lease("key")?->shared]);
        $parent->hear();
        $parent->say($lock->releaseLock("key"));
    ', ['url' => $server->url(), 'method' => $method]);
    $client->awaitBlocked($i + 1);
}
say('downgraded', $lock->downgrade('key'));
say('the first two', [$children[0]->hear(), $children[1]->hear()]);
say('the others wait', [$children[2]->silent(0.3), $children[3]->silent(0.0)]);
say('three hold it', count($lock->sharers('key')));
say('given back', $lock->releaseLock('key'));
foreach ([0, 1] as $i) {
    $children[$i]->say('go');
    say('given back', $children[$i]->hear());
}
say('the exclusive one', [$children[2]->hear(), $children[3]->silent(0.2)]);
$children[2]->say('go');
say('given back', $children[2]->hear());
say('the last', $children[3]->hear());
?>
--EXPECT--
downgraded: true
the first two: [[true,true],[true,true]]
the others wait: [true,true]
three hold it: 3
given back: true
given back: true
given back: true
the exclusive one: [[true,false],true]
given back: true
the last: [true,true]
