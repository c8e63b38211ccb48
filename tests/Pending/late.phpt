--TEST--
Pending: what has come is read before a deadline is judged, however late the loop comes to poll()
--FILE--
<?php
require __DIR__ . '/../pending.inc';
require __DIR__ . '/../majority.inc';

$terms = 'timeout=0.5&connect_timeout=0.5';
$server = TestServer::start(tcp: true);
$server->client()('SET', lock_key('taken'), 'foreign', 'PX', 600_000);

say('a socket', decide_late((new RLock($server->url($terms)))->requestLock('socket')));
say('a port', decide_late((new RLock($server->tcpUrl($terms)))->requestLock('port')));
say('a name', decide_late((new RLock("redis://localhost:$server->port?$terms"))->requestLock('name')));
say('its time is up', decide_late((new RLock($server->url($terms)))->requestLock('taken', 1.0)));

$held = new RLock($server->url($terms));
ignore($held->getLock('deeper'));
say('a level deeper', [decide_late($held->requestLock('deeper')), $held->lease('deeper')->depth]);

/* While one waits, its object comes to hold the lock in another way. */
$holder = new RLock($server->url());
ignore($holder->getLock('taken over', ttl: 60.0));
$pending = $held->requestLock('taken over', INF);
park($server->client(), 1, $pending);
ignore($held->adopt('taken over', $holder->handOver('taken over')));
say('what was taken over', [decide_late($pending), $held->lease('taken over')->depth]);

$majority = new Majority(3);
say('a majority', decide_late((new RLock($majority->urls($terms)))->requestLock('key')));
$group = new SentinelGroup();
say('Sentinel', decide_late((new RLock($group->url($terms)))->requestLock('key')));
$cluster = new TestCluster();
say('a cluster', decide_late((new RLock($cluster->url($terms)))->requestLock($cluster->keyOn(1))));

$server->freeze();
$silent = new RLock($server->url($terms)); // which ends once the server is there again
say('silence', decide_late($silent->requestLock('frozen')));
$server->thaw();
?>
--EXPECT--
a socket: true
a port: true
a name: true
its time is up: false
a level deeper: ["true",2]
what was taken over: ["true",2]
a majority: true
Sentinel: true
a cluster: true
silence: RLock\ConnectionException
