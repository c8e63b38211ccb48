--TEST--
S14: a parked waiter that can open no second connection has the lock as soon as it is given back
--FILE--
<?php
require __DIR__ . '/../server.inc';

function turnstile_key(string $name): string
{
    return 'rlock:t:{' . lock_key($name) . '}:' . lock_key($name);
}

function start_waiter(string $server, string $code): Child
{
    return Child::start('
        $lock = new RLock($args["server"]);
        $parent->say($lock->holder("anything") === null);   // it is connected
        $parent->hear();
        $parent->say(outcome(fn () => ' . $code . '));
        $parent->hear();
    ', ['server' => $server]);
}

$server = TestServer::start();
$client = $server->client();
$node = (new TestCluster(1))->masters[0];
$holder = new RLock($server->url());
$clustered = new RLock("cluster://127.0.0.1:$node->port" . patiently(''));
say('exclusive', $holder->getLock('plain', ttl: 60.0) && $holder->getLock('a share', ttl: 60.0) && $holder->getLock('named', ttl: 60.0));
say('shared', $holder->getSharedLock('room', ttl: 60.0) && $clustered->getLock('cluster', ttl: 60.0));
$waiters = [
    'plain' => start_waiter($server->url(), '$lock->getLock("plain", wait: INF)'),
    'a share' => start_waiter($server->url(), '$lock->getSharedLock("a share", wait: INF)'),
    'named' => start_waiter($server->url(), '$lock->detached("named", "me")->getLock(wait: INF)'),
    'room' => start_waiter($server->url(), '$lock->getLock("room", wait: INF)'),
];
$waiter_of_node = start_waiter("cluster://127.0.0.1:$node->port" . patiently(''), '$lock->getLock("cluster", wait: INF)');
$all = [...array_values($waiters), $waiter_of_node];
foreach ($all as $waiter) {
    $waiter->hear();
}
$clients = [$client, $node->client()];
foreach ($clients as $redis) {
    $redis('CONFIG', 'SET', 'maxclients', '1');
}
foreach ($all as $waiter) {
    $waiter->say('wait');
}
$clients[0]->awaitBlocked(4);
$clients[1]->awaitBlocked(1);
usleep(3_500_000);                                  // a flag that is raised for the first look alone is down by now
say('the first waiter has the turnstile', $client('EXISTS', turnstile_key('room')));
foreach ($waiters as $name => $waiter) {
    $holder->releaseLock($name);
    say($name, $waiter->hear());
}
$clustered->releaseLock('cluster');
say('cluster', $waiter_of_node->hear());
?>
--EXPECT--
exclusive: true
shared: true
the first waiter has the turnstile: 1
plain: true
a share: true
named: true
room: true
cluster: true
