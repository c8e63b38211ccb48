--TEST--
prolongate() sets the lease to ttl from now, longer or shorter; shorter is a new grant
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url(), ttl: 40.0);
ignore($lock->getLock($key, ttl: 10.0));
$before = $lock->lease($key);
foreach ([100.0, 5.0, null] as $ttl) {
    $expected = $ttl ?? 40.0;
    $fence = $lock->lease($key)->fence;
    say(text($ttl), $lock->prolongate($key, $ttl));
    say('a higher fence', $lock->lease($key)->fence > $fence);
    say_within('the fence outlives the lease', $client('PTTL', fence_key($key)) / 1000 - 3600, $expected * 0.5, $expected);
    say_within('on the server', $client('PTTL', lock_key($key)) / 1000, $expected * 0.5, $expected);
    say_within('by our clock', $lock->lease($key)->ttl, $expected * 0.5, $expected);
}
[$prolonged, $there, $ours] = done_within(0.12, function () use ($client, $key, $lock) {
    $values = [$lock->prolongate($key, 0.25), $client('PTTL', lock_key($key)) / 1000, $lock->lease($key)->ttl];
    $lock->prolongate($key, 30.0);
    return $values;
});
say('0.25', $prolonged);
say_within('on the server', $there, 0.125, 0.25);
say_within('by our clock', $ours, 0.125, 0.25);
$after = $lock->lease($key);
say('same token', [$before->token === $after->token, $after->depth]);
say('the fence is what the server has', $client('GET', fence_key($key)) === (string) $after->fence);
say('release', $lock->releaseLock($key));
?>
--EXPECT--
100.0: true
a higher fence: false
the fence outlives the lease: in time
on the server: in time
by our clock: in time
5.0: true
a higher fence: true
the fence outlives the lease: in time
on the server: in time
by our clock: in time
null: true
a higher fence: false
the fence outlives the lease: in time
on the server: in time
by our clock: in time
0.25: true
on the server: in time
by our clock: in time
same token: [true,1]
the fence is what the server has: true
release: true
