--TEST--
T4: with `replicas` a lock counts when so many replicas have it; with too few it is given back, as NOREPLICAS
--FILE--
<?php
require __DIR__ . '/../server.inc';

$master = TestServer::start(['--repl-diskless-sync-delay', '0'], tcp: true);
$replicas = [];
for ($i = 0; $i < 2; $i++) {
    $replicas[] = TestServer::start(['--replicaof', '127.0.0.1', (string) $master->port]);
}
$client = $master->client();
await_replicas($client, 2);
$seen = fn (string $name) => array_map(fn ($replica) => $replica->client()('GET', lock_key($name)), $replicas);

$lock = new RLock($master->url('timeout=2'), replicas: 2);
say('taken', outcome(fn () => $lock->getLock('key', ttl: 60.0)));
say('both have it', $seen('key') === array_fill(0, 2, $lock->lease('key')->token));
say('fence', is_int($lock->lease('key')->fence));
say('busy', outcome(fn () => (new RLock($master->url(), replicas: 2))->getLock('key')));
say('prolonged', outcome(fn () => $lock->prolongate('key', 100.0)));
say('both know', array_map(fn ($replica) => $replica->client()('PTTL', lock_key('key')) > 60000, $replicas));
say('given back', outcome(fn () => $lock->releaseLock('key')));

/* A hand-over: the waiter's claim is waited for, too. */
$child = Child::start('
    $lock = new RLock($args[0], replicas: 2);
    $parent->say("ready");
    ignore($lock->getLock("key", wait: 10.0, ttl: 60.0));
    $parent->say($lock->lease("key")->token);
    $parent->hear();
', [$master->url()]);
ignore($lock->getLock('key'));
$child->hear();
$client->awaitBlocked(1);
$lock->releaseLock('key');
$token = $child->hear();
say('both have the next', $seen('key') === [$token, $token]);
$child->kill();
$lock->breakLock('key');

/* Too few. */
ignore($lock->getLock('held', ttl: 60.0));
$replicas[1]->freeze();
$took = seconds(function () use ($lock) { say('one frozen', outcome(fn () => $lock->getLock('few', ttl: 60.0))); });
say_took('at the deadline', $took, 1.5, 2.5);
say('nothing left', $lock->holder('few'));
say('waiting', outcome(fn () => $lock->getLock('few', wait: 0.2, ttl: 60.0)));
say('nothing left', $lock->holder('few'));
say('several', outcome(fn () => $lock->getLocks(['a', 'b'])));
say('nothing left', $lock->holder('a') ?? $lock->holder('b'));
$before = $lock->lease('held')->ttl;
say('prolonged', outcome(fn () => $lock->prolongate('held', 500.0)));
say('not counted', $lock->lease('held')->ttl <= $before);
say('again', outcome(fn () => $lock->getLock('held')));
say('depth', $lock->lease('held')->depth);
say('still ours', [$lock->isLocking('held'), $lock->releaseLock('held')]);
say('one is enough', outcome(fn () => (new RLock($master->url(), replicas: 1))->getLock('one', ttl: 60.0)));
say('none is asked', outcome(fn () => (new RLock($master->url()))->getLock('none', ttl: 60.0)));

/* The failover that would have lost it. */
$token = null;
$replicas[0]->freeze();
say('refused', outcome(fn () => $lock->getLock('lost', ttl: 60.0)));
$master->freeze();
$replicas[0]->thaw();
$replicas[0]->client()('REPLICAOF', 'NO', 'ONE');
say('after a failover', outcome(fn () => (new RLock($replicas[0]->url()))->getLock('lost')));
$replicas[1]->thaw();
$master->thaw();
?>
--EXPECT--
taken: true
both have it: true
fence: true
busy: false
prolonged: true
both know: [true,true]
given back: true
both have the next: true
one frozen: RLock\ServerException, NOREPLICAS
at the deadline: in time
nothing left: null
waiting: RLock\ServerException, NOREPLICAS
nothing left: null
several: RLock\ServerException, NOREPLICAS
nothing left: null
prolonged: RLock\ServerException, NOREPLICAS
not counted: true
again: RLock\ServerException, NOREPLICAS
depth: 1
still ours: [true,true]
one is enough: true
none is asked: true
refused: RLock\ServerException, NOREPLICAS
after a failover: true
