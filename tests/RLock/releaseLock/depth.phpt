--TEST--
Inner levels are given back without I/O while the lease is surely safe
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
ignore($lock->getLock('key'));
ignore($lock->getLock('key'));
$before = $client->info('total_commands_processed');
say('inner', [$lock->releaseLock('key'), $lock->releaseLock('key')]);
say('requests', $client->info('total_commands_processed') - $before - 1);
say('still there', $client('EXISTS', 'lock@key'));
say('outermost', $lock->releaseLock('key'));
say('there', $client('EXISTS', 'lock@key'));
?>
--EXPECT--
inner: [true,true]
requests: 0
still there: 1
outermost: true
there: 0
