--TEST--
A3: no permission for the commands that hand over: the lock is freed all the same
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$client('ACL', 'SETUSER', 'tom', 'on', '>secret', '~*', '&*', '+@all', '-rpush');
$lock = new RLock($server->url('user=tom&password=secret'));
ignore($lock->getLock('key', ttl: 60.0));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say($lock->getLock("key", wait: 20.0));
', ['url' => $server->url()]);
$client->awaitBlocked(1);
say('release', outcome(fn () => $lock->releaseLock('key')));
say_took('it took', seconds(function () use ($child) { say('the waiter', $child->hear()); }), 0, 3);
?>
--EXPECT--
release: true
the waiter: true
it took: in time
