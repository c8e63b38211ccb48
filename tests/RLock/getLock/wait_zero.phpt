--TEST--
wait: 0.0 asks once, and raises no flag
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key'));
$lock = new RLock($server->url());
ignore($lock->getLock('key')); // connects, and knows the scripts
preg_match('/cmdstat_evalsha:calls=(\d+)/', $client('INFO', 'commandstats'), $before);
say('busy', $lock->getLock('key', wait: 0.0));
preg_match('/cmdstat_evalsha:calls=(\d+)/', $client('INFO', 'commandstats'), $after);
say('requests', $after[1] - $before[1]);
say('flag', $client('EXISTS', waiting_key('key')));
?>
--EXPECT--
busy: false
requests: 1
flag: 0
