--TEST--
T5: the renewal thread finds the new master by itself, in time for the leases that it keeps
--FILE--
<?php
require __DIR__ . '/../server.inc';

$group = new SentinelGroup();
$lock = new RLock($group->url(), ttl: 8.0, autoRenew: true);
say('taken', outcome(fn () => $lock->getLocks(['a', 'b'])));
$fence = $lock->lease('a')->fence;
await('replication', fn () => $group->replica->client()('EXISTS', 'lock@a', 'lock@b') === 2);
$group->master->kill();
$group->awaitSwitch();
/* Longer than the lease (which outlasts a second vote, if the first was a tie): without renewal at the new master it would be over. */
$end = microtime(true) + 8.5;
$least = INF;
while (microtime(true) < $end) {
    $lock->check('a');
    $least = min($least, $lock->lease('a')->ttl, $lock->lease('b')->ttl);
    usleep(20_000);
}
say('never late', $least > 0.0);
say('at the new master', $group->master->client()('PTTL', 'lock@a') > 0);
say('still ours', outcome(fn () => $lock->isLocking('a') && $lock->isLocking('b')));
say('the same grant', $lock->lease('a')->fence === $fence);
say('renewals', $lock->stats()['renewals'] >= 4);
say('given back', outcome(fn () => $lock->releaseAll()));
?>
--EXPECT--
taken: true
never late: true
at the new master: true
still ours: true
the same grant: true
renewals: true
given back: true
