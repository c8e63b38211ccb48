--TEST--
prolongate() after the lease ran out: ours again with a TimeoutException if nobody took it
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
take_briefly($lock->getLock(...), $key, ttl: 0.6, metadata: 'note');
$fence = $lock->lease($key)->fence;
await('expiry', fn () => !$client('EXISTS', lock_key($key)));
say('thrown', outcome(fn () => $lock->prolongate($key, 10.0)));
say('ours again', [$lock->isLocking($key), $lock->lease($key)?->depth, $lock->lease($key)?->metadata]);
say('same fence', $lock->lease($key)->fence === $fence);
say_within('lease', $client('PTTL', lock_key($key)) / 1000, 7, 10);
say('check', outcome(fn () => $lock->check($key)));
say('prolongate', $lock->prolongate($key, 10.0));
say('release', $lock->releaseLock($key));
say('there', $client('EXISTS', lock_key($key)));
?>
--EXPECT--
thrown: RLock\TimeoutException, held true, late
ours again: [true,1,"note"]
same fence: true
lease: in time
check: null
prolongate: true
release: true
there: 0
