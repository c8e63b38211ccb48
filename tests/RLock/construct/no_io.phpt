--TEST--
The constructor does no I/O; the first use connects
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
say('made', $lock::class);
say('is a Locker', $lock instanceof RLock\Locker);
say('first use', outcome(fn () => $lock->getLock('key')));

$server = TestServer::start();
$client = $server->client();
$before = $client->info('total_connections_received');
$lock = new RLock($server->url());
say('connections made by the constructor', $client->info('total_connections_received') - $before);
say('first use', outcome(fn () => $lock->getLock('key')));
say('connections after it', $client->info('total_connections_received') - $before);
?>
--EXPECT--
made: RLock
is a Locker: true
first use: RLock\ConnectionException
connections made by the constructor: 0
first use: true
connections after it: 1
