--TEST--
T5: the renewal thread finds the new master by itself, in time for the leases that it keeps
--FILE--
<?php
require __DIR__ . '/../server.inc';

$group = new SentinelGroup();
$lock = new RLock($group->url(), ttl: 24.0, autoRenew: true);
say('taken', outcome(fn () => $lock->getLocks(['a', 'b'])));
$fence = $lock->lease('a')->fence;
await('replication', fn () => $group->replica->client()('EXISTS', 'lock@a', 'lock@b') === 2);
$group->master->kill();
$group->awaitSwitch();
/* By then the new master has both for longer than the former one had given them. */
$began = microtime(true);
$client = $group->master->client();
await('renewals at the new master', function () use ($lock, $client, $began) {
    $lock->check('a');
    $unrenewed = 24.0 - (microtime(true) - $began);
    return min($client('PTTL', 'lock@a'), $client('PTTL', 'lock@b')) / 1000 > $unrenewed + 1.0;
});
say('never late', $lock->lease('a')->ttl > 0.0 && $lock->lease('b')->ttl > 0.0);
say('still ours', outcome(fn () => $lock->isLocking('a') && $lock->isLocking('b')));
say('the same grant', $lock->lease('a')->fence === $fence);
say('renewals', $lock->stats()['renewals'] >= 2);
say('given back', outcome(fn () => $lock->releaseAll()));
?>
--EXPECT--
taken: true
never late: true
still ours: true
the same grant: true
renewals: true
given back: true
