--TEST--
autoRenew: there is a thread only while a lease needs it
--FILE--
<?php
require __DIR__ . '/../server.inc';

$start = threads();
$key = unique_key();
$second = unique_key();
say('at the start', $start);
$lock = new RLock(shared_url(), autoRenew: true);
say('an object', threads());
say('a free lock asked for', [$lock->holder($key), threads()]);
ignore($lock->getLock($key));
say('a lease', threads() - $start);
$other = new RLock(shared_url(), ttl: 5.0, autoRenew: true);
ignore($other->getLock($second));
ignore($other->getLocks([unique_key(), unique_key()]));
say('more leases of two objects', threads() - $start);
say('busy', [$other->getLock($key), threads() - $start]);
$other->releaseAll();
say('some left', threads() - $start);
$lock->releaseLock($key);
say('the last release', await_threads($start));

ignore($lock->getLock($key));
ignore($lock->getLock($key));
$lock->releaseLock($key);
say('a level less', threads() - $start);
$lock->releaseLock($key, confirm: false);
say('not confirmed', await_threads($start));

$ends = [
    'close' => fn (RLock $lock) => $lock->close(),
    'releaseAll' => fn (RLock $lock) => $lock->releaseAll(),
    'handOver' => function (RLock $lock) use (&$key) { ignore($lock->handOver($key)); },
    'destruction' => fn () => null,
    'breakLock and check' => function (RLock $lock) use (&$key) {
        $lock->breakLock($key);
        say('release', outcome(fn () => $lock->releaseLock($key)));
    },
    'delayAfter' => function (RLock $lock) use (&$key) { $lock->releaseLock($key, delayAfter: 0.01); },
];
foreach ($ends as $name => $end) {
    $lock = new RLock(shared_url(), autoRenew: true);
    ignore($lock->getLock($key = unique_key()));
    say("before $name", threads() - $start);
    $end($lock);
    unset($lock);
    say($name, await_threads($start));
}
$plain = new RLock(shared_url());
ignore($plain->getLock(unique_key()));
say('without autoRenew', threads());
$plain = new RLock(shared_url(), interrupt: true);
ignore($plain->getLock($key = unique_key()));
say('interrupt alone', threads() - $start);
$plain->releaseLock($key);
say('released', await_threads($start));
$failing = new RLock(nowhere(), autoRenew: true);
say('no server', [outcome(fn () => $failing->getLock('key')), await_threads($start)]);
?>
--EXPECT--
at the start: 1
an object: 1
a free lock asked for: [null,1]
a lease: 1
more leases of two objects: 1
busy: [false,1]
some left: 1
the last release: 1
a level less: 1
not confirmed: 1
before close: 1
close: 1
before releaseAll: 1
releaseAll: 1
before handOver: 1
handOver: 1
before destruction: 1
destruction: 1
before breakLock and check: 1
release: RLock\LostLockException, held false
breakLock and check: 1
before delayAfter: 1
delayAfter: 1
without autoRenew: 1
interrupt alone: 1
released: 1
no server: ["RLock\\ConnectionException",1]
