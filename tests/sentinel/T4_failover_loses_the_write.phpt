--TEST--
T4, S6: a failover that lost the grant lets another take it and the old holder learns Lost; what was replicated stays its holder's
--FILE--
<?php
require __DIR__ . '/../server.inc';

$group = new SentinelGroup();
$holder = new RLock($group->url(), ttl: 30.0);
$other = new RLock($group->url());
ignore($holder->getLock('early'));
await('replication', fn () => $group->replica->client()('EXISTS', 'lock@early'));

/* The former master lives on and refuses to write; nobody notices, and no lock changes hands. */
$group->failOver();
say('an object that knew the former master', outcome(fn () => $holder->prolongate('early')));
say('another', outcome(fn () => $other->getLock('early')));

/* It dies before the replica has heard of the grant: the link between them was cut. */
$former = $group->master;
await('its data', fn () => $group->replica->client()('EXISTS', 'lock@early'));
$group->replica->freeze();
$former->client()('CLIENT', 'KILL', 'TYPE', 'replica');
ignore($holder->getLock('late'));
ignore($holder->getLock('later'));
$former->kill();
$group->replica->thaw();
$group->awaitSwitch();
say('what was not replicated is free', outcome(fn () => $other->getLock('late')));
say('its old holder gives it back', outcome(fn () => $holder->releaseLock('late')));
say('the new one still has it', outcome(fn () => $other->isLocking('late')));
say('one that nobody took', outcome(fn () => $holder->releaseLock('later')));
say('what was replicated', outcome(fn () => $holder->releaseLock('early')));
?>
--EXPECT--
an object that knew the former master: true
another: false
what was not replicated is free: true
its old holder gives it back: RLock\LostLockException, held false
the new one still has it: true
one that nobody took: RLock\LostLockException, held false
what was replicated: true
