--TEST--
N1: a late reply after a deadline: the connection is gone, the next call never sees it
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
$lock = new RLock($proxy->url('timeout=2'));
take_briefly($lock->getLock(...), 'held', ttl: 60.0);

$proxy->tell('late 2700');
say_took('it took', seconds(function () use ($lock) {
    say('isLocking', outcome(fn () => $lock->isLocking('held')));
}), 1.99, 2.5);
$proxy->tell('late 0');
/* If it read the late `ours` of the call before, these were wrong. */
say('next', outcome(fn () => $lock->isLocking('not held')));
say('next', outcome(fn () => $lock->holder('not held')));
say('next', outcome(fn () => $lock->ttl('held') > 50.0));

$proxy->tell('late 2700');
say('take', outcome(fn () => $lock->getLock('key', ttl: 3600.0)));
$proxy->tell('late 0');
usleep(2_800_000); // the late answer to the take is on its way all this time
say('next', outcome(fn () => $lock->isLocking('held')));
say('the take is undone', [$client('EXISTS', 'lock@key'), $lock->lease('key')]);
say('release', outcome(fn () => $lock->releaseLock('held')));
?>
--EXPECT--
isLocking: RLock\ConnectionException
it took: in time
next: false
next: null
next: true
take: RLock\ConnectionException
next: true
the take is undone: [0,null]
release: true
