--TEST--
interrupt: a lease that runs out throws at its deadline, with or without autoRenew
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* $began: before the lease did. */
function until_told(float $began): array
{
    try {
        while (true) {
        }
    } catch (RLock\TimeoutException $late) {
        return [microtime(true) - $began, $late];
    }
}

$key = unique_key();
$lock = new RLock(shared_url(), interrupt: true);
$began = microtime(true);
take_briefly($lock->getLock(...), $key, ttl: 0.4);
[$after, $late] = until_told($began);
say_within('told', $after, 0.39, 0.394 + 2.0);
say('it is', [describe($late), $late->key === $key]);
say('check', outcome(fn () => $lock->check($key)));
say('lease', $lock->lease($key));
say('release', $lock->releaseLock($key));

/* Prolonged in time, it is told at the new deadline; shortened, too. */
take_briefly($lock->getLock(...), $key = unique_key(), ttl: 2.0);
$began = microtime(true);
$lock->prolongate($key, 2.5);
[$after] = until_told($began);
say_within('prolonged', $after, 2.4, 2.475 + 2.0);
take_briefly($lock->getLock(...), $key = unique_key(), ttl: 60.0);
$began = microtime(true);
$lock->prolongate($key, 0.3);
[$after] = until_told($began);
say_within('shortened', $after, 0.29, 0.295 + 2.0);

/* Two objects, of which only one is to interrupt. */
$silent = new RLock(shared_url(), ttl: 0.3);
take_briefly($silent->getLock(...), unique_key());
take_briefly($lock->getLock(...), $key = unique_key(), ttl: 0.6);
[, $late] = until_told(0.0);
say('the one that asked for it', $late->key === $key);
$silent->releaseAll();

/* The server cannot be reached any more: retried until the deadline, not longer. */
$server = TestServer::start();
$lock = new RLock($server->url(), ttl: 0.9, autoRenew: true, interrupt: true);
$began = microtime(true);
take_briefly($lock->getLock(...), 'key');
$server->kill();
[$after, $late] = until_told($began);
say_within('unreachable', $after, 0.88, 0.889 + 2.0);
say('it is', [$late instanceof RLock\TimeoutException, $late->key]);
?>
--EXPECT--
told: in time
it is: ["RLock\\TimeoutException, held false, late",true]
check: RLock\TimeoutException, held false, late
lease: null
release: false
prolonged: in time
shortened: in time
the one that asked for it: true
unreachable: in time
it is: [true,"key"]
