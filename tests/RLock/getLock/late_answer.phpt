--TEST--
An answer that comes when the lease is no longer safe is no lock: it is given back
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=5'));
ignore($lock->getLock('warm'));
$lock->releaseLock('warm');
$proxy->tell('late 600');
say('taken', outcome(fn () => $lock->getLock('key', ttl: 0.5)));
say('held', $lock->lease('key'));
$proxy->tell('late 0');
say('left on the server', $client('EXISTS', 'lock@key'));
say('taken', $lock->getLock('key', ttl: 5.0));
unset($lock); // the proxy ends before the request
?>
--EXPECT--
taken: RLock\ConnectionException
held: null
left on the server: 0
taken: true
