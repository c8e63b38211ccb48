--TEST--
T4: autoRenew with `replicas`: a renewal that too few have does not count; it is tried again until the lease is over
--FILE--
<?php
require __DIR__ . '/../server.inc';

$master = TestServer::start(['--repl-diskless-sync-delay', '0'], tcp: true);
$replica = TestServer::start(['--replicaof', '127.0.0.1', (string) $master->port]);
$client = $master->client();
await_replicas($client);

$lock = new RLock($master->url(), ttl: 9.0, autoRenew: true, replicas: 1);
$lowest = fn () => min($lock->lease('a')->ttl, $lock->lease('b')->ttl);
say('taken', outcome(fn () => $lock->getLocks(['a', 'b'])));
await('both renewed', fn () => $lock->stats()['renewals'] >= 2);
say('the replica knows', array_map(fn ($name) => $replica->client()('PTTL', lock_key($name)) > 0, ['a', 'b']));

$replica->freeze();
$before = $lock->stats()['renewals'];
await('a lease that gets shorter', fn () => $lowest() < 3.0);
say('renewals', $lock->stats()['renewals'] - $before);
say('at the master', $client('PTTL', lock_key('a')) > 4000);
say('in time', outcome(fn () => $lock->check('a')));
$replica->thaw();
await('both renewed', fn () => $lowest() > 4.0);
say('counted', $lock->stats()['renewals'] > $before);
say('still ours', outcome(fn () => $lock->isLocking('a') && $lock->isLocking('b')));
say('given back', outcome(fn () => $lock->releaseLock('b')));

$replica->freeze();
await('the end of the lease', fn () => $lock->lease('a')->ttl === 0.0);
say('the master has it', $client('EXISTS', lock_key('a')));
say('it is told', outcome(fn () => $lock->check('a')));
say('and given back', $client('EXISTS', lock_key('a')));
$replica->thaw();
await_replicas($client);
say('anew', outcome(fn () => $lock->getLock('a') && $lock->releaseLock('a')));
?>
--EXPECT--
taken: true
the replica knows: [true,true]
renewals: 0
at the master: true
in time: null
counted: true
still ours: true
given back: true
the master has it: 1
it is told: RLock\TimeoutException, held false, late
and given back: 0
anew: true
