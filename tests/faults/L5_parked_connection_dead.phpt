--TEST--
L5: a parked connection that leads nowhere, without a word: the waiter asks beside it, and finds what is free
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$proxy = new Proxy($server->socket);
$lock = new RLock($server->url());
ignore($lock->getLock('key', ttl: 60.0));
$proxy->tell('stall 1 BLPOP');
$waiter = Child::start('
    $lock = new RLock($args["url"]);
    $start = hrtime(true);
    $result = $lock->getLock("key", wait: 30.0);
    $parent->say([$result, (hrtime(true) - $start) / 1e9, outcome(fn () => $lock->check("key"))]);
    $parent->say($lock->releaseLock("key"));
', ['url' => $proxy->url()]);
say('it happened', $proxy->tell('lost'));

/* Nothing comes on it any more: beside it the waiter asks after 1 s, and then after 2, 4 and every 8. */
$lock->releaseLock('key');
[$result, $took, $check] = $waiter->hear(40.0);
say('the waiter has it', [$result, $check]);
say_took('it took', $took, 0.5, 3.5);
say('released', $waiter->hear());

/* Nor does that place take the time that the last ask needs. */
ignore($lock->getLock('key', ttl: 60.0));
$proxy->tell('stall 1 BLPOP');
say('still taken', outcome(fn () => (new RLock($proxy->url()))->getLock('key', wait: 0.3)));
?>
--EXPECT--
it happened: lost BLPOP
the waiter has it: [true,"null"]
it took: in time
released: true
still taken: false
