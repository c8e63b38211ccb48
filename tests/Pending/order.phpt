--TEST--
Pending: those that are polled and those that block are in one queue, first come, first served
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key', ttl: 60.0));
$blocked = fn (string $name) => Child::start('
    $lock = new RLock($args[0]);
    $parent->say([$args[1], $lock->getLock("key", wait: 20.0)]);
    $parent->hear();
    $lock->releaseLock("key");
', [$server->url(), $name]);

$locks = array_map(fn () => new RLock($server->url()), range(0, 2));
$pending = [];
$children = [];
$parked = 0;
foreach ($locks as $i => $lock) {
    $pending[$i] = $lock->requestLock('key', ttl: 60.0);
    park($client, ++$parked, ...$pending);
    $children[$i] = $blocked("child $i");
    await('the child parked', fn () => $client->info('blocked_clients') === $parked + 1);
    $parked++;
}
$holder->releaseLock('key');
foreach ($locks as $i => $lock) {
    say("pending $i", [decide($pending[$i]), array_map(fn ($one) => $one->poll(), array_slice($pending, $i + 1))]);
    $lock->releaseLock('key');
    say('next', $children[$i]->hear());
    $children[$i]->say('go on');
    $children[$i]->wait();
}

/* One that was cancelled passes on what came to it: nobody waits for the second that a lost baton would take. */
ignore($holder->getLock('key', ttl: 60.0));
$took = [];
for ($i = 0; $i < 10; $i++) {
    $first = $locks[0]->requestLock('key');
    park($client, 1, $first);
    $second = $locks[1]->requestLock('key', ttl: 60.0);
    park($client, 2, $first, $second);
    $holder->releaseLock('key');
    $i % 2 ? $first->cancel() : $first = null;
    $took[] = seconds(fn () => decide($second));
    $locks[1]->releaseLock('key');
    ignore($holder->getLock('key', wait: 5.0, ttl: 60.0));
}
sort($took);
say_within('passed on', $took[5], 0.0, 0.5);
say('nobody waits', await('no waiter', fn () => $client->info('blocked_clients') === 0));
?>
--EXPECT--
pending 0: [true,[null,null]]
next: ["child 0",true]
pending 1: [true,[null]]
next: ["child 1",true]
pending 2: [true,[]]
next: ["child 2",true]
passed on: in time
nobody waits: true
