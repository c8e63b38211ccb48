--TEST--
S11: a take from a frozen server is undone when it thaws: by the next contact, or the object's end
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();

echo "undone by what was written behind it:\n";
$lock = new RLock($server->url('timeout=0.3'));
take_briefly($lock->getLock(...), 'warm');
$server->freeze();
say('take for an hour', outcome(fn () => $lock->getLock('first', ttl: 3600.0)));
say('held', $lock->lease('first'));
$server->thaw();
await('an answer', fn () => $client('PING'));
answered(fn () => $lock->isLocking('warm'));
await('free after the next contact', fn () => !$client('EXISTS', 'lock@first'));
say('free', true);

echo "the object ends:\n";
$lock = new RLock($server->url('timeout=1.2'));
take_briefly($lock->getLock(...), 'warm too');
$server->freeze();
say('take for an hour', outcome(fn () => $lock->getLock('second', ttl: 3600.0)));
$server->thaw();
await('an answer', fn () => $client('PING'));
unset($lock);
await('free after the end', fn () => !$client('EXISTS', 'lock@second'));
say('free', true);

echo "nobody else's is undone:\n";
$lock = new RLock($server->url('timeout=0.3'));
take_briefly($lock->getLock(...), 'warm three');
$server->freeze();
outcome(fn () => $lock->getLock('third', ttl: 3600.0));
$server->thaw();
$other = new RLock($server->url());
say('another takes it', await('free', fn () => $other->getLock('third', ttl: 60.0)));
answered(fn () => $lock->isLocking('third'));
answered(fn () => $lock->releaseAll());
unset($lock);
say('and keeps it', $other->isLocking('third'));
say('which is told', $other->releaseLock('third'));
?>
--EXPECT--
undone by what was written behind it:
take for an hour: RLock\ConnectionException
held: null
free: true
the object ends:
take for an hour: RLock\ConnectionException
free: true
nobody else's is undone:
another takes it: true
and keeps it: true
which is told: true
