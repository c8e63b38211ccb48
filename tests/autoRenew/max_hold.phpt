--TEST--
autoRenew: maxHold ends the renewal, and the lease a ttl later; without autoRenew it says nothing
--FILE--
<?php
require __DIR__ . '/../server.inc';

$key = unique_key();
$lock = new RLock(shared_url(), ttl: 0.6, autoRenew: true, maxHold: 1.2);
$waiter = Child::start('
    $lock = new RLock($args["url"]);
    $parent->hear();
    $parent->say($lock->getLock($args["key"], wait: 20.0));
    $parent->hear();
', ['url' => shared_url(), 'key' => $key]);
take_briefly($lock->getLock(...), $key);
$began = microtime(true);
$waiter->say('go');
say('waiter', $waiter->hear());
say_took('it waited', microtime(true) - $began, 1.1, 3.0);
say('release', outcome(fn () => $lock->releaseLock($key)));
$waiter->stop();

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

$lock = new RLock(shared_url(), ttl: 5.0, maxHold: 0.001);
take_briefly($lock->getLock(...), $key = unique_key());
usleep(50_000);
say('without autoRenew', [outcome(fn () => $lock->check($key)), $lock->releaseLock($key)]);
?>
--EXPECT--
waiter: true
it waited: in time
release: RLock\LostLockException, held false
released in time: [true,true]
maxHold 0 is one lease: in time
check: RLock\TimeoutException, held false, late
maxHold 0 is one lease: in time
check: RLock\TimeoutException, held false, late
without autoRenew: ["null",true]
