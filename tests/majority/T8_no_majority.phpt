--TEST--
T8: fewer than a majority: ConnectionException that names the others, and nothing is left on the rest
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$nodes = new Majority(3);
$lock = $nodes->lock('timeout=1.5&connect_timeout=1.5');
ignore($lock->getLock('held', ttl: 60.0));
$nodes->awaitHolding(3, 'held');

$nodes->servers[0]->kill();
$nodes->servers[1]->kill();
foreach ([
    'getLock' => fn () => $lock->getLock('key'),
    'waiting' => fn () => $lock->getLock('key', wait: 0.3),
    'getLocks' => fn () => $lock->getLocks(['a', 'b']),
    'prolongate' => fn () => $lock->prolongate('held'),
    'isLocking' => fn () => $lock->isLocking('held'),
    'holder' => fn () => $lock->holder('held'),
    'releaseLock' => fn () => $lock->releaseLock('held'),
] as $name => $call) {
    say($name, outcome($call));
}
foreach (['key', 'a', 'b', 'held'] as $name) {
    $nodes->awaitHolding(0, $name, 0, 1);
}
try {
    ignore($lock->getLock('key'));
} catch (RLock\ConnectionException $e) {
    say('it names them', str_contains($e->getMessage(), $nodes->servers[0]->socket)
        && str_contains($e->getMessage(), $nodes->servers[1]->socket)
        && !str_contains($e->getMessage(), $nodes->servers[2]->socket));
}

$back = $nodes->servers[0]->restart();
say('one is back', outcome(fn () => $lock->getLock('key') && $lock->releaseLock('key')));

$nodes->servers[2]->freeze();
say_took('frozen', seconds(fn () => say('getLock', outcome(fn () => $lock->getLock('key', ttl: 60.0)))), 1.4, 2.2);
$nodes->servers[2]->thaw();
await('nothing left', fn () => $back->client()('EXISTS', lock_key('key')) === 0
    && $nodes->servers[2]->client()('EXISTS', lock_key('key')) === 0);
?>
--EXPECT--
getLock: RLock\ConnectionException
waiting: RLock\ConnectionException
getLocks: RLock\ConnectionException
prolongate: RLock\ConnectionException
isLocking: RLock\ConnectionException
holder: RLock\ConnectionException
releaseLock: RLock\ConnectionException
it names them: true
one is back: true
getLock: RLock\ConnectionException
frozen: in time
