--TEST--
L6: a release that is not waited for is lost on its way: the next getLock of the same object does not wait for it
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=5'));

foreach ([0.0, 20.0] as $wait) {
    ignore($lock->getLock('key', ttl: 60.0));
    $proxy->tell('lose-request 1');
    say('release', $lock->releaseLock('key', confirm: false));
    say('it happened to', substr($proxy->tell('lost'), 0, 9));
    say('there', $client('EXISTS', 'lock@key'));
    $began = microtime(true);
    say('again', $lock->getLock('key', wait: $wait, ttl: 60.0));
    say_within('after', microtime(true) - $began, 0.0, 10.0);
    say('given back', $lock->releaseLock('key'));
}
?>
--EXPECT--
release: true
it happened to: lost EVAL
there: 1
again: true
after: in time
given back: true
release: true
it happened to: lost EVAL
there: 1
again: true
after: in time
given back: true
