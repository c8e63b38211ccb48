--TEST--
X4: a lease runs out while its server is killed and restarted with its data, and others have the lock before the holder is told: Lost
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start(['--appendonly', 'yes', '--appendfsync', 'always']);
$lock = new RLock($server->url('timeout=2'), autoRenew: true);
$interrupted = new RLock($server->url('timeout=2'), autoRenew: true, interrupt: true);

/* Whether the other had it in the meantime. */
function had(RLock $other, string $key, float $wait = 0.0): bool
{
    return $other->getLock($key, wait: $wait) && $other->releaseLock($key);
}

take_briefly($lock->getLock(...), 'checked', ttl: 0.6);
take_briefly($lock->getLock(...), 'released', ttl: 0.6);
$server->kill();
await('the end of both', fn () => $lock->lease('checked')->ttl + $lock->lease('released')->ttl === 0.0);
$server = $server->restart();
$other = new RLock($server->url());
say('others', [had($other, 'checked', 5.0), had($other, 'released', 5.0)]);
say('check', outcome(fn () => $lock->check('checked')));
say('again', outcome(fn () => $lock->check('checked')));
say('release', outcome(fn () => $lock->releaseLock('released')));

/* Renewals that were sent in time may be answered when it is over. Whatever the thread has heard, the server is asked. */
$untrue = [];
for ($i = 0; $i < 12; $i++) {
    take_briefly($lock->getLock(...), "k$i", ttl: 0.4 + $i / 50);
}
$server->kill();
$server = $server->restart();
for ($i = 0; $i < 12; $i++) {
    $had = had($other, "k$i");
    $told = outcome(fn () => $lock->check("k$i"));
    if ($had && !str_contains($told, 'Lost')) {
        $untrue[] = $told;
    }
}
say('untrue', $untrue);
ignore($lock->releaseAll());

/* An interrupt asks, too, and for no longer than it may: a server that does not answer cannot exclude that another had it. */
try {
    take_briefly($interrupted->getLock(...), 'interrupted', ttl: 0.6);
    $server->freeze();
    for ($end = hrtime(true) + 60e9; hrtime(true) < $end;) {
    }
} catch (RLock\TimeoutException $e) {
    say('interrupt', describe($e));
}
$server->thaw();
?>
--EXPECT--
others: [true,true]
check: RLock\LostLockException, held false
again: RLock\LostLockException, held false
release: RLock\LostLockException, held false
untrue: []
interrupt: RLock\LostLockException, held false
