--TEST--
releaseLock() of what this object does not hold is false without I/O
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$lock = new RLock(nowhere());
say('never held', $lock->releaseLock('key'));

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
ignore($other->getLock('key'));
ignore($lock->getLock('mine'));
$before = $client->info('total_commands_processed');
say("another's", $lock->releaseLock('key'));
say('requests', $client->info('total_commands_processed') - $before - 1);
say("it is unharmed", $other->releaseLock('key'));
?>
--EXPECT--
never held: false
another's: false
requests: 0
it is unharmed: true
