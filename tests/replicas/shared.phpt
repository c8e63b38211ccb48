--TEST--
Shared locks with `replicas`: a share counts once so many have it; with too few it is given back, as NOREPLICAS
--FILE--
<?php
require __DIR__ . '/../server.inc';

$master = TestServer::start(tcp: true);
$replica = TestServer::start(['--replicaof', '127.0.0.1', (string) $master->port, '--repl-diskless-sync-delay', '0']);
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

/* Too few. */
$replica->freeze();
say('a share', [outcome(fn () => $other->getSharedLock('key', ttl: 60.0)), $other->lease('key')]);
say('prolonged', [outcome(fn () => $lock->prolongate('key', 500.0)), $lock->ttl('key') > 0.0, $lock->lease('key')->shared]);
say('another level', [outcome(fn () => $lock->getSharedLock('key')), $lock->lease('key')->depth]);
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
still ours: [true,true,true]
