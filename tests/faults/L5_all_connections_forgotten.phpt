--TEST--
L5: a firewall has forgotten all connections, new ones work: a call tries another, and a waiter goes on
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=2'));
say('at first', [$lock->getLock('call'), $lock->releaseLock('call')]);

/* The connection is idle, and dead. */
$proxy->tell('forget');
say('a call', [$lock->getLock('call', ttl: 60.0), $lock->stats()['reconnects']]);
$proxy->tell('forget');
say('and the next', [$lock->prolongate('call'), $lock->stats()['reconnects']]);
$proxy->tell('forget');
say('a release', [$lock->releaseLock('call'), $lock->stats()['reconnects']]);

/* All of a waiter's. */
$holder = new RLock($server->url());
foreach (['30.0', 'INF'] as $wait) {
    ignore($holder->getLock('key', ttl: 60.0));
    $waiter = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say([$lock->getLock("key", wait: ' . $wait . '), $lock->releaseLock("key")]);
    ', ['url' => $proxy->url('timeout=2')]);
    $server->client()->awaitBlocked(1);
    $proxy->tell('forget');
    $holder->releaseLock('key');
    say("a wait of $wait", $waiter->hear(40.0));
}
?>
--EXPECT--
at first: [true,true]
a call: [true,1]
and the next: [true,2]
a release: [true,3]
a wait of 30.0: [true,true]
a wait of INF: [true,true]
