--TEST--
C3: the waiter at the head is stopped: one claim window, then the next has it
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$waiters = [];
for ($i = 1; $i <= 2; $i++) {
    $waiters[$i] = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say([$args["number"], $lock->getLock("key", wait: 60.0, ttl: 30.0)]);
        $parent->hear();
        $parent->say($lock->releaseLock("key"));
    ', ['url' => $server->url(), 'number' => $i]);
    $client->awaitBlocked($i);
}
$waiters[1]->freeze();
$lock->releaseLock('key');
say_took('it took', seconds(function () use ($waiters) { say('next', $waiters[2]->hear()); }), 0, 2.7);

$waiters[1]->thaw();
say('the stopped one goes on waiting', $waiters[1]->silent(1.0));
$waiters[2]->say('release');
say('released', $waiters[2]->hear());
say('then it has its turn', $waiters[1]->hear());
$waiters[1]->say('release');
say('released', $waiters[1]->hear());
?>
--EXPECT--
next: [2,true]
it took: in time
the stopped one goes on waiting: true
released: true
then it has its turn: [1,true]
released: true
