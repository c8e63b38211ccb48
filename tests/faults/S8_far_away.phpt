--TEST--
S8: too few replicas, and a server that is far away: the lock is given back behind what is out, without another call
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url(), ttl: 60.0, replicas: 1);
say('connected', $lock->holder('key'));
$proxy->tell('late 250');
try {
    ignore($lock->getLock('key'));
} catch (RLock\ServerException $e) {
    say('refused', $e->error);
}
say('free soon', seconds(fn () => await('it is free', fn () => $client('EXISTS', lock_key('key')) === 0)) < 5.0);
?>
--EXPECT--
connected: null
refused: NOREPLICAS
free soon: true
