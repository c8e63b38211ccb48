--TEST--
autoRenew: maxHold ends the renewal, and the lease at most a ttl later
--FILE--
<?php
require __DIR__ . '/../server.inc';

$waiter = Child::start('
    $lock = new RLock($args["url"]);
    while (true) {
        $parent->say($lock->getLock($parent->hear(), wait: 20.0));
    }
', ['url' => shared_url()]);
for ($tries = 5; $tries > 0; $tries--) { // a busy machine may not renew it in time
    $lock = new RLock(shared_url(), ttl: 0.6, autoRenew: true, maxHold: 1.2);
    take_briefly($lock->getLock(...), $key = unique_key());
    $began = microtime(true);
    $waiter->say($key);
    $got = $waiter->hear();
    $took = microtime(true) - $began;
    $release = outcome(fn () => $lock->releaseLock($key));
    if ($took >= 1.1) {
        break;
    }
}
say('waiter', $got);
say_took('it waited', $took, 1.1, 3.0);
say('release', $release);
$waiter->stop();

/* From the first moment on, by the server: what was renewed last before maxHold lasts no longer than that and a ttl. */
$client = shared_client();
$lock = new RLock(shared_url(), ttl: 1.2, autoRenew: true, maxHold: 1.0);
take_briefly($lock->getLock(...), $key = unique_key());
$began = microtime(true);
usleep(1_100_000);
$until = microtime(true) - $began + $client('PTTL', lock_key($key)) / 1000;
say('renewed', $lock->stats()['renewals'] > 0);
say_within('free after, by the server', $until, 1.3, 2.25);
$lock->releaseLock($key);

say('released in time', [$lock->getLock($key = unique_key()), $lock->releaseLock($key)]);

foreach ([false, true] as $interrupt) {
    $lock = new RLock(shared_url(), ttl: 0.6, autoRenew: true, interrupt: $interrupt, maxHold: 0.0);
    take_briefly($lock->getLock(...), $key = unique_key());
    $took = seconds(function () use ($lock, $key) {
        try {
            while (outcome(fn () => $lock->check($key)) === 'null') {
            }
        } catch (RLock\TimeoutException) {
        }
    });
    say_took('maxHold 0 is one lease', $took, 0.0, 1.7);
    say('check', outcome(fn () => $lock->check($key)));
}
?>
--EXPECT--
waiter: true
it waited: in time
release: RLock\LostLockException, held false
renewed: true
free after, by the server: in time
released in time: [true,true]
maxHold 0 is one lease: in time
check: RLock\TimeoutException, held false, late
maxHold 0 is one lease: in time
check: RLock\TimeoutException, held false, late
