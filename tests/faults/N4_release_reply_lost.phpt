--TEST--
N4: give-back done, reply lost: true if it was in time, whatever has happened since
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=2'));

foreach (['lose-reply', 'lose-request'] as $harm) {
    ignore($lock->getLock('key', ttl: 60.0));
    $proxy->tell("$harm 1");
    say($harm, outcome(fn () => $lock->releaseLock('key')));
    say('it happened to', substr($proxy->tell('lost'), 0, 9));
    say('left', [$client('EXISTS', 'lock@key'), $lock->lease('key'), $lock->releaseLock('key')]);
}

/* A waiter has it since: still true, and it keeps it. */
ignore($lock->getLock('key', ttl: 60.0));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say($lock->getLock("key", wait: 20.0));
    $parent->hear();
    $parent->say([$lock->isLocking("key"), $lock->releaseLock("key")]);
', ['url' => $server->url()]);
$client->awaitBlocked(1);
$proxy->tell('lose-reply 1');
say('handed over', outcome(fn () => $lock->releaseLock('key')));
say('it happened to', substr($proxy->tell('lost'), 0, 9));
say('waiter', $child->hear());
$child->say('go on');
say('it kept it', $child->hear());
?>
--EXPECT--
lose-reply: true
it happened to: lost EVAL
left: [0,null,false]
lose-request: true
it happened to: lost EVAL
left: [0,null,false]
handed over: true
it happened to: lost EVAL
waiter: true
it kept it: [true,true]
