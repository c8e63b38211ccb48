--TEST--
delayAfter keeps the key unavailable to all, us included; it counts only at the last level
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
$other = new RLock(shared_url());
ignore($lock->getLock($key, ttl: 60.0, metadata: 'note: -~'));
$fence = $lock->lease($key)->fence;
ignore($lock->getLock($key));
say('inner', $lock->releaseLock($key, delayAfter: 20.0));
say('still ours', [$lock->isLocking($key), $lock->lease($key)->depth]);
say('outermost', $lock->releaseLock($key, delayAfter: 60.0));
say_within('the key is kept for', $client('PTTL', lock_key($key)) / 1000, 50.0, 60.0);
say('nobody has it', [$lock->isLocking($key), $lock->releaseLock($key), $lock->lease($key)]);
$holder = $other->holder($key);
say('it tells who it was', [$holder->kind->name, $holder->owner === substr(gethostname(), 0, 64) . ':' . getmypid(),
    $holder->metadata, $holder->fence === $fence, $holder->contended]);
say('nobody can take it', [$lock->getLock($key), $other->getLock($key), $client('SET', lock_key($key), 'foreign', 'NX', 'PX', 1000)]);
say('broken', [$other->breakLock($key), $lock->getLock($key, ttl: 60.0)]);
$took = seconds(function () use ($lock, $other, $key) {
    $lock->releaseLock($key, delayAfter: 1.2);
    say('after it', $other->getLock($key, wait: 10.0));
});
say_took('it took', $took, 1.19, 1.7);
$other->releaseLock($key);

/* Fractions of a millisecond, and long. */
ignore($lock->getLock($key));
say('a moment', $lock->releaseLock($key, delayAfter: 0.0001));
await('its end', fn () => !$client('EXISTS', lock_key($key)));
ignore($lock->getLock($key));
say('long', $lock->releaseLock($key, delayAfter: 1.0e9));
say('without metadata', $other->holder($key)->metadata);
say_within('kept for', $client('PTTL', lock_key($key)) / 1000, 999999000, 1000000000);
say('it can be broken', [$other->breakLock($key), $other->holder($key)]);

/* Too late there is nothing to keep. */
take_briefly($lock->getLock(...), $key, ttl: 0.5);
await('expiry', fn () => !$client('EXISTS', lock_key($key)));
say('late', outcome(fn () => $lock->releaseLock($key, delayAfter: 20.0)));
say('the key', $client('EXISTS', lock_key($key)));
?>
--EXPECT--
inner: true
still ours: [true,1]
outermost: true
the key is kept for: in time
nobody has it: [false,false,null]
it tells who it was: ["Cooldown",true,"note: -~",true,false]
nobody can take it: [false,false,null]
broken: [true,true]
after it: true
it took: in time
a moment: true
long: true
without metadata: null
kept for: in time
it can be broken: [true,null]
late: RLock\TimeoutException, held false, late
the key: 0
