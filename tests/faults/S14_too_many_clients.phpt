--TEST--
S14: too many clients: ServerException or ConnectionException
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$client('CONFIG', 'SET', 'maxclients', '1');
$lock = new RLock($server->url('timeout=0.6'));
$outcome = '';
$took = seconds(function () use ($lock, &$outcome) { $outcome = outcome(fn () => $lock->getLock('key')); });
say('outcome', in_array($outcome, ['RLock\ServerException, ERR', 'RLock\ConnectionException'], true) ? 'refused' : $outcome);
say_within('it took', $took, 0, 1.2);
?>
--EXPECT--
outcome: refused
it took: in time
