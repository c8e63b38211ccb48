--TEST--
delayAfter survives a lost reply, a lost request, and a release that is made up for later
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=2'));

foreach (['lose-reply', 'lose-request'] as $harm) {
    ignore($lock->getLock($harm, ttl: 60.0));
    $proxy->tell("$harm 1");
    say($harm, outcome(fn () => $lock->releaseLock($harm, delayAfter: 500.0)));
    say('it happened to', substr($proxy->tell('lost'), 0, 9));
    say_within('kept for', $client('PTTL', "lock@$harm") / 1000, 490, 500);
    say('taken', $lock->getLock($harm));
}

/* Twice in a row: who knows. The next contact repeats it, with its delay. */
ignore($lock->getLock('later', ttl: 60.0));
ignore($lock->getLock('other', ttl: 60.0));
$proxy->tell('cut');
$server->freeze();
say('frozen', outcome(fn () => $lock->releaseLock('later', delayAfter: 500.0)));
$server->thaw();
say('next contact', $lock->isLocking('other'));
say_within('kept for', $client('PTTL', 'lock@later') / 1000, 480, 500);
unset($lock); // the proxy ends before the request
?>
--EXPECT--
lose-reply: true
it happened to: lost EVAL
kept for: in time
taken: false
lose-request: true
it happened to: lost EVAL
kept for: in time
taken: false
frozen: RLock\ConnectionException
next contact: true
kept for: in time
