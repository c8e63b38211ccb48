--TEST--
rediss://: waiters are woken in order, and at once; a wait ends in time; who leaves the queue has left it
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$tls = new TlsServer($authority, $authority->sign('server', 'DNS:localhost'));
$url = $tls->url("cafile=$authority->file");
$client = $tls->server->client();

$lock = new RLock($url);
ignore($lock->getLock('key', ttl: 60.0));
$children = [];
for ($i = 1; $i <= 3; $i++) {
    $children[$i] = Child::start('
        $lock = new RLock($args["url"]);
        $taken = $lock->getLock("key", wait: 20.0);
        $parent->say($taken);
        $parent->hear();
        $parent->say($lock->releaseLock("key"));
    ', ['url' => $url]);
    $client->awaitBlocked($i);
}
say('busy', outcome(fn () => (new RLock($url))->getLock('key')));
$lock->releaseLock('key');
foreach ($children as $i => $child) {
    say("waiter $i", hear_passed_on($child, $client, 'key'));
    $child->say('go on');
    $child->hear();
    $child->wait();
}

$holder = new RLock($url);
ignore($holder->getLock('key', ttl: 60.0));
/* Longer than the safety net, which asks on a second connection while the first is parked. */
say_took('a wait of 1.5 s', seconds(fn () => say('in vain', outcome(fn () => $lock->getLock('key', wait: 1.5)))), 1.5, 2.3);
$holder->releaseLock('key');

$waits = 0;
for ($i = 0; $i < 10; $i++) {
    $client('SET', "lock@left$i", 'foreign', 'PX', 100);
    $lock->getLock("left$i", wait: 10.0) && $lock->releaseLock("left$i");
    $waits += (new RLock($url))->getLock("left$i") ? 0 : 1;
}
say('of 10 not free after the release', $waits);
say('reconnects', $lock->stats()['reconnects']);
?>
--EXPECT--
busy: false
passed on: true
waiter 1: true
passed on: true
waiter 2: true
passed on: true
waiter 3: true
in vain: false
a wait of 1.5 s: in time
of 10 not free after the release: 0
reconnects: 0
