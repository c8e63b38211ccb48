--TEST--
L4: a claim that is late: check() does not pass before it has been answered
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($server->url());

foreach (['in time' => false, 'too late' => true] as $name => $late) {
    ignore($lock->getLock('key', ttl: 60.0));
    $proxy->tell('stall 1 EVAL');
    $waiter = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say($lock->getLock("key", wait: 30.0, ttl: 30.0));
        $parent->say([outcome(fn () => $lock->check("key")), ($lock->lease("key")?->ttl ?? 0.0) > 5.0]);
        $parent->say(outcome(fn () => $lock->releaseLock("key")));
    ', ['url' => $proxy->url('timeout=20')]);
    $client->awaitBlocked(1);
    $lock->releaseLock('key');
    say($name, $waiter->hear());
    say('the claim is out', $proxy->tell('lost'));
    say('check() waits', $waiter->silent(0.1));
    if ($late) {
        say('another has it', $lock->getLock('key', wait: 10.0));
    }
    $proxy->tell('flow');
    say('check()', $waiter->hear());
    say('the release', $waiter->hear());
    $waiter->wait();
    say("the other's", $lock->releaseLock('key'));
}
?>
--EXPECT--
in time: true
the claim is out: lost EVAL
check() waits: true
check(): ["null",true]
the release: true
the other's: false
too late: true
the claim is out: lost EVAL
check() waits: true
another has it: true
check(): ["RLock\\LostLockException, held false",false]
the release: false
the other's: true
