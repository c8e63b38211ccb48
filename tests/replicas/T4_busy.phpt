--TEST--
T4: with too few replicas a lock that another owner has is busy, and that is told at once
--FILE--
<?php
require __DIR__ . '/../server.inc';

$master = TestServer::start();
$holder = new RLock($master->url(), ttl: 60.0);
ignore($holder->getLock('key'));

$lock = new RLock($master->url('timeout=5&persistent=0'), replicas: 1);
$took = seconds(function () use ($lock) {
    say('busy', array_map(fn () => outcome(fn () => $lock->getLock('key')), range(1, 3)));
    say('held by', outcome(fn () => $lock->holder('key')));
});
say_took('at once', $took, 0.0, 0.5);

/* The script has to be sent by its text. */
$master->client()('SCRIPT', 'FLUSH');
$took = seconds(function () use ($lock) { say('busy', outcome(fn () => $lock->getLock('key'))); });
say_took('at once', $took, 0.0, 0.5);

$took = seconds(function () use ($lock) { say('stayed busy', outcome(fn () => $lock->getLock('key', wait: 0.3))); });
say_took('in the time that it waits', $took, 0.3, 0.8);
say('several', outcome(fn () => $lock->getLocks(['a key', 'key'])));

/* Whoever waits has its place in the queue. */
$child = Child::start('$parent->say(outcome(fn () => (new RLock($args[0], replicas: 1))->getLock("key", wait: 1.5)));', [$master->url()]);
await('it is parked', fn () => str_contains($master->client()('CLIENT', 'LIST'), 'cmd=blpop'));
say('stayed busy', $child->hear());
?>
--EXPECT--
busy: ["false","false","false"]
held by: RLock\Holder
at once: in time
busy: false
at once: in time
stayed busy: false
in the time that it waits: in time
several: RLock\ServerException, NOREPLICAS
stayed busy: false
