--TEST--
autoRenew: there is a thread only once a lease needs it; when it has renewed one it ends with the last, otherwise it sleeps for a while
--FILE--
<?php
require __DIR__ . '/../server.inc';

const RENEWED = 1.2;        // seconds: renewed after 0.4

$client = shared_client();
$connections = fn () => preg_match_all('/ name=rlock:\S*:' . getmypid() . ' /', $client('CLIENT', 'LIST'));
$thread = fn () => current(array_diff(scandir('/proc/' . getmypid() . '/task'), ['.', '..', (string) getmypid()]));

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

/* Nothing was renewed: the thread has done nothing, has no connection, and the next lease finds it. */
[$same, $open] = [$thread(), $connections()];
for ($i = 0; $i < 100; $i++) {
    ignore($lock->getLock($key));
    $lock->releaseLock($key);
}
say('none was renewed', [threads() - $start, $thread() === $same, $connections() - $open]);

/** A lease that has been renewed. */
function renewed(string $key): RLock
{
    $lock = new RLock(shared_url(), ttl: RENEWED, autoRenew: true);
    take_briefly($lock->getLock(...), $key);
    await('a renewal', fn () => $lock->stats()['renewals'] > 0);
    return $lock;
}

$lock = renewed($key);
ignore($lock->getLock($key));
say('it has a connection', $connections() - $open);
$lock->releaseLock($key);
say('a level less', threads() - $start);
$lock->releaseLock($key, confirm: false);
say('not confirmed', await_threads($start));
await('end of its connection', fn () => $connections() === $open);

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
    $lock = renewed($key = unique_key());
    say("before $name", threads() - $start);
    $end($lock);
    unset($lock);
    say($name, await_threads($start));
}
$plain = new RLock(shared_url());
ignore($plain->getLock(unique_key()));
say('without autoRenew', threads());
$failing = new RLock(nowhere(), autoRenew: true);
say('no server', [outcome(fn () => $failing->getLock('key')), threads() - $start]);
$plain = new RLock(shared_url(), interrupt: true);
ignore($plain->getLock($key = unique_key()));
say('interrupt alone', threads() - $start);
$plain->releaseLock($key);
say_took('released, it sleeps on', seconds(fn () => say('and ends', await_threads($start))), 8.0, 14.0);
?>
--EXPECT--
at the start: 1
an object: 1
a free lock asked for: [null,1]
a lease: 1
more leases of two objects: 1
busy: [false,1]
some left: 1
none was renewed: [1,true,0]
it has a connection: 1
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
no server: ["RLock\\ConnectionException",1]
interrupt alone: 1
and ends: 1
released, it sleeps on: in time
