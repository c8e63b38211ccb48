--TEST--
redis://[::1] is IPv6's loopback
--SKIPIF--
<?php
if (!@stream_socket_server('tcp://[::1]:0')) {
    echo 'skip no IPv6 here';
}
?>
--FILE--
<?php
require __DIR__ . '/../../server.inc';

ini_set('rlock.timeout', '10'); // of the addresses that say nothing of it: a busy machine takes its time
ini_set('rlock.connect_timeout', '10');
$server = TestServer::start(['--bind', '::1'], tcp: true);
$lock = new RLock("redis://[::1]:$server->port");
say('take', outcome(fn () => $lock->getLock('key')));
say('there', $server->client()('EXISTS', 'lock@key'));
say('release', outcome(fn () => $lock->releaseLock('key')));
?>
--EXPECT--
take: true
there: 1
release: true
