--TEST--
S14: too many clients: retried within the deadline, then ServerException
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$client('CONFIG', 'SET', 'maxclients', '1');
$lock = new RLock($server->url('timeout=2'));
say_took('it took', seconds(function () use ($lock) {
    say('too many', outcome(fn () => $lock->getLock('key')));
}), 1.5, 2.5);

$client('CONFIG', 'SET', 'maxclients', '100');
say('room again', outcome(fn () => $lock->getLock('key')));
?>
--EXPECT--
too many: RLock\ServerException, ERR
it took: in time
room again: true
