--TEST--
N7: a waiter whose connection is killed goes on waiting
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say(outcome(fn () => $lock->getLock("key", wait: 20.0)));
    $parent->hear();
', ['url' => $server->url()]);
$client->awaitBlocked(1);
foreach (explode("\n", $client('CLIENT', 'LIST')) as $line) {
    if (str_contains($line, 'cmd=blpop') && preg_match('/id=(\d+)/', $line, $match)) {
        say('killed', $client('CLIENT', 'KILL', 'ID', $match[1]));
    }
}
$client->awaitBlocked(1);
say('parked again', true);
$lock->releaseLock('key');
say('waiter', hear_passed_on($child, $client, 'key'));
?>
--EXPECT--
killed: 1
parked again: true
passed on: true
waiter: true
