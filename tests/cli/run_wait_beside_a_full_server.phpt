--TEST--
rlock run --wait: woken by the release, though the server takes no more connections
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$server = TestServer::start();
$client = $server->client();
putenv('RLOCK_SERVERS=' . $server->url());
$holder = new RLock($server->url());
ignore($holder->getLock('key', ttl: 60.0));
$waiter = Program::start('run', 'key', '--wait', 'inf', '--', 'echo', 'its turn');
$client->awaitBlocked(1);
$client('CONFIG', 'SET', 'maxclients', '1');
usleep(3_500_000);                                  // a flag that is raised for the first look alone is down by now
$holder->releaseLock('key');
say('waiter', [$waiter->wait(), $waiter->output()]);
?>
--EXPECT--
waiter: [0,"its turn\n"]
