--TEST--
T4: with `replicas` behind sentinel:// a lock counts when the replica of the present master has it, before and after a failover
--FILE--
<?php
require __DIR__ . '/../server.inc';

$group = new SentinelGroup();
$lock = new RLock($group->url('timeout=2'), ttl: 60.0, replicas: 1);
$has = fn (TestServer $server, string $name) => $server->client()('GET', lock_key($name)) === $lock->lease($name)->token;
say('taken', outcome(fn () => $lock->getLock('key')));
say('the replica has it', $has($group->replica, 'key'));

/* They change places; so the replica of now is the master of before. */
$group->failOver();
say('prolonged after a failover', outcome(fn () => $lock->prolongate('key', 100.0)));
say('the replica knows', $group->replica->client()('PTTL', lock_key('key')) > 60_000);
say('another', outcome(fn () => $lock->getLock('another')));
say('the replica has it', $has($group->replica, 'another'));
say('two of them', outcome(fn () => (new RLock($group->url('timeout=2'), replicas: 2))->getLock('two')));

$group->replica->freeze();
$took = seconds(function () use ($lock) { say('frozen', outcome(fn () => $lock->getLock('few'))); });
say_took('at the deadline', $took, 1.5, 2.5);
say('nothing left', $lock->holder('few'));
say('prolonged', outcome(fn () => $lock->prolongate('key', 500.0)));
say('still ours', outcome(fn () => $lock->isLocking('key')));
say('given back', outcome(fn () => $lock->releaseLock('another')));
$group->replica->thaw();
await_replicas($group->master->client());
say('thawed', outcome(fn () => $lock->prolongate('key') && $lock->getLock('few')));

/* The new master is alone, until the former one comes back. */
$former = $group->master;
$former->kill();
$group->awaitSwitch();
say('a new master without a replica', outcome(fn () => $lock->getLock('alone')));
say('nothing left', $lock->holder('alone'));
say('still ours', outcome(fn () => $lock->isLocking('key')));
$child = Child::start('$parent->say(outcome(fn () => (new RLock($args[0], replicas: 1))->getLock("waits", wait: 60.0)));', [$group->url()]);
say('whoever waits goes on', $child->silent(1.5));
$group->rejoin($former);
say('until there is one', $child->hear(60.0));
/* Sentinel may tell it once more whose replica it is, and then it is gone for a moment. */
say('with one', await('it takes part', fn () => outcome(fn () => $lock->getLock('alone')) === 'true'));
say('the replica has all', array_map(fn ($name) => $has($group->replica, $name), ['key', 'few', 'alone']));
say('given back', outcome(fn () => $lock->releaseAll()));
?>
--EXPECT--
taken: true
the replica has it: true
prolonged after a failover: true
the replica knows: true
another: true
the replica has it: true
two of them: RLock\ServerException, NOREPLICAS
frozen: RLock\ServerException, NOREPLICAS
at the deadline: in time
nothing left: null
prolonged: RLock\ServerException, NOREPLICAS
still ours: true
given back: true
thawed: true
a new master without a replica: RLock\ServerException, NOREPLICAS
nothing left: null
still ours: true
whoever waits goes on: true
until there is one: true
with one: true
the replica has all: [true,true,true]
given back: true
