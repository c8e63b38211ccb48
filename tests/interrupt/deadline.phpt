--TEST--
interrupt: a lease that runs out throws at its deadline, with or without autoRenew
--FILE--
<?php
require __DIR__ . '/../server.inc';

function until_told(): array
{
    $began = microtime(true);
    try {
        while (true) {
        }
    } catch (RLock\TimeoutException $late) {
        return [microtime(true) - $began, $late];
    }
}

$key = unique_key();
$lock = new RLock(shared_url(), interrupt: true);
ignore($lock->getLock($key, ttl: 0.4));
[$after, $late] = until_told();
say_within('told', $after, 0.3, 0.394 + 0.5);
say('it is', [describe($late), $late->key === $key]);
say('check', outcome(fn () => $lock->check($key)));
say('lease', $lock->lease($key));
say('release', $lock->releaseLock($key));

/* Prolonged in time, it is told at the new deadline; shortened, too. */
ignore($lock->getLock($key = unique_key(), ttl: 0.6));
$lock->prolongate($key, 0.9);
[$after] = until_told();
say_within('prolonged', $after, 0.8, 0.889 + 0.5);
ignore($lock->getLock($key = unique_key(), ttl: 60.0));
$lock->prolongate($key, 0.3);
[$after] = until_told();
say_within('shortened', $after, 0.2, 0.295 + 0.5);

/* Two objects, of which only one is to interrupt. */
$silent = new RLock(shared_url(), ttl: 0.3);
ignore($silent->getLock(unique_key()));
ignore($lock->getLock($key = unique_key(), ttl: 0.6));
[$after, $late] = until_told();
say('the one that asked for it', $late->key === $key);
$silent->releaseAll();

/* The server cannot be reached any more: retried until the deadline, not longer. */
$server = TestServer::start();
$lock = new RLock($server->url(), ttl: 0.9, autoRenew: true, interrupt: true);
ignore($lock->getLock('key'));
$server->kill();
[$after, $late] = until_told();
say_within('unreachable', $after, 0.5, 0.889 + 0.5);
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
