--TEST--
holders() with an empty prefix finds every key of the database, but no companion of a lock
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url(), '');
$lock->getLock('mail');
$client('SET', 'other', 1);
$client('SET', 'rlock:w:{mail}:mail', 1);
$client('RPUSH', 'rlock:q:{mail}:mail', 1);
say('companions', $client('EXISTS', 'rlock:f:{mail}:mail'));
$names = array_keys($lock->holders());
sort($names);
say('found', $names);
?>
--EXPECT--
companions: 1
found: ["mail","other"]
