--TEST--
Shared locks with `replicas`: a share counts once so many have it; with too few it is given back, as NOREPLICAS
--FILE--
<?php
require __DIR__ . '/../server.inc';

$master = TestServer::start(['--repl-diskless-sync-delay', '0'], tcp: true);
$replica = TestServer::start(['--replicaof', '127.0.0.1', (string) $master->port]);
$client = $master->client();
await_replicas($client);
/* What the replica has of the lock. */
$seen = fn () => count($replica->client()('KEYS', '*lock@key'));

$lock = new RLock($master->url('timeout=2'), replicas: 1);
$other = new RLock($master->url('timeout=2'), replicas: 1);
say('shares', [$lock->getSharedLock('key', ttl: 60.0), $seen() > 0, $other->getSharedLock('key', ttl: 60.0)]);
say('prolonged', [$lock->prolongate('key', 100.0), $other->releaseLock('key')]);
say('up and down', [$lock->getLock('key'), $lock->downgrade('key'), $other->getSharedLock('key')]);

/* A waiter. */
$child = Child::start('
    $lock = new RLock($args[0], replicas: 1);
    $parent->say($lock->getSharedLock("key", wait: 30.0, ttl: 60.0, limit: 2));
    $parent->hear();
', [$master->url()]);
$client->awaitBlocked(1);
say('a place becomes free', [$other->releaseLock('key'), $child->hear()]);
$child->kill();

ignore($other->getSharedLock('up', ttl: 60.0));
ignore($other->getLock('down', ttl: 60.0));

/* Too few. */
$replica->freeze();
say('a share', [outcome(fn () => $other->getSharedLock('key', ttl: 60.0)), $other->lease('key')]);
say('prolonged', [outcome(fn () => $lock->prolongate('key', 500.0)), $lock->ttl('key') > 0.0, $lock->lease('key')->shared]);
say('another level', [outcome(fn () => $lock->getSharedLock('key')), $lock->lease('key')->depth]);
say('an upgrade', [outcome(fn () => $other->getLock('up')), $other->lease('up'), $client('EXISTS', 'lock@up')]);
say('a downgrade', [outcome(fn () => $other->downgrade('down')), $other->lease('down'), $client('EXISTS', 'lock@down')]);
$replica->thaw();
await_replicas($client);
say('still ours', [$lock->isLocking('key'), $lock->releaseLock('key'), $lock->releaseLock('key')]);
?>
--EXPECT--
shares: [true,true,true]
prolonged: [true,true]
up and down: [true,true,true]
a place becomes free: [true,true]
a share: ["RLock\\ServerException, NOREPLICAS",null]
prolonged: ["RLock\\ServerException, NOREPLICAS",true,true]
another level: ["RLock\\ServerException, NOREPLICAS",2]
an upgrade: ["RLock\\ServerException, NOREPLICAS",null,0]
a downgrade: ["RLock\\ServerException, NOREPLICAS",null,0]
still ours: [true,true,true]
