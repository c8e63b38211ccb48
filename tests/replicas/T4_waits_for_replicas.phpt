--TEST--
T4: whoever waits for a lock waits for the replicas that must have it, too: from the first ask on, and when the lock is passed on
--FILE--
<?php
require __DIR__ . '/../server.inc';

$master = TestServer::start(['--repl-diskless-sync-delay', '0'], tcp: true);
$client = $master->client();
$holder = new RLock($master->url(), ttl: 60.0);

$lock = new RLock($master->url('timeout=3&persistent=0'), replicas: 1);
$took = seconds(function () use ($lock) { say('in vain', outcome(fn () => $lock->getLock('free', wait: 1.0))); });
say_took('as long as it may', $took, 0.9, 2.0);
say('nothing left', $lock->holder('free'));

$waiter = <<<'PHP'
    $lock = new RLock($args[0], replicas: 1);
    $parent->say(outcome(fn () => $lock->getLock($args[1], wait: 60.0)));
    PHP;
ignore($holder->getLock('held'));
$next = Child::start($waiter, [$master->url('timeout=3'), 'held']);
await('it is parked', fn () => str_contains($client('CLIENT', 'LIST'), 'cmd=blpop'));
$first = Child::start($waiter, [$master->url('timeout=3'), 'free']);
say('passed on', outcome(fn () => $holder->releaseLock('held')));
say('it waits', $next->silent(0.8));
say('so does the other', $first->silent(0.1));
$replica = TestServer::start(['--replicaof', '127.0.0.1', (string) $master->port]);
say('with a replica', [$first->hear(), $next->hear()]);
?>
--EXPECT--
in vain: RLock\ServerException, NOREPLICAS
as long as it may: in time
nothing left: null
passed on: true
it waits: true
so does the other: true
with a replica: ["true","true"]
