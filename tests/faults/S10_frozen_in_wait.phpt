--TEST--
S10: a server that freezes in mid-wait: busy or ConnectionException at the end of the wait
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key', ttl: 60.0));
$child = Child::start('
    $lock = new RLock($args["url"]);
    $start = microtime(true);
    $parent->say([outcome(fn () => $lock->getLock("key", wait: 2.0)), microtime(true) - $start]);
', ['url' => $server->url('timeout=1.5')]);
$client->awaitBlocked(1);
$server->freeze();
[$outcome, $took] = $child->hear();
say('outcome', in_array($outcome, ['false', 'RLock\ConnectionException'], true) ? 'busy or ConnectionException' : $outcome);
say_took('not later', $took, 0.0, 3.5);
$server->thaw();
await('nobody is parked any more', fn () => $client->info('blocked_clients') === 0);
say("the holder's is unharmed", $holder->releaseLock('key'));
?>
--EXPECT--
outcome: busy or ConnectionException
not later: in time
the holder's is unharmed: true
