--TEST--
N5: extend done, reply lost: true
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=2'));
ignore($lock->getLock('key', ttl: 20.0));
foreach (['lose-reply', 'lose-request'] as $harm) {
    $proxy->tell("$harm 1");
    say($harm, outcome(fn () => $lock->prolongate('key', 60.0)));
    say('it happened to', substr($proxy->tell('lost'), 0, 9));
    say_within('lease', $client('PTTL', 'lock@key') / 1000, 55, 60);

    $proxy->tell("$harm 1");
    say("$harm, again", outcome(fn () => $lock->getLock('key', ttl: 90.0)));
    say('it happened to', substr($proxy->tell('lost'), 0, 9));
    say('depth', $lock->lease('key')->depth);
    $lock->releaseLock('key');
}
say('release', $lock->releaseLock('key'));
?>
--EXPECT--
lose-reply: true
it happened to: lost EVAL
lease: in time
lose-reply, again: true
it happened to: lost EVAL
depth: 2
lose-request: true
it happened to: lost EVAL
lease: in time
lose-request, again: true
it happened to: lost EVAL
depth: 2
release: true
