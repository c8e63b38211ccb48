--TEST--
prolongate() sets the lease to ttl from now, longer or shorter
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
    say(text($ttl), $lock->prolongate($key, $ttl));
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
say('same token and fence', [$before->token === $after->token, $before->fence === $after->fence, $after->depth]);
say_within('the fence outlives the longest lease', $client('PTTL', fence_key($key)) / 1000, 3600 + 90, 3600 + 105);
say('release', $lock->releaseLock($key));
?>
--EXPECT--
100.0: true
on the server: in time
by our clock: in time
5.0: true
on the server: in time
by our clock: in time
null: true
on the server: in time
by our clock: in time
0.25: true
on the server: in time
by our clock: in time
same token and fence: [true,true,1]
the fence outlives the longest lease: in time
release: true
