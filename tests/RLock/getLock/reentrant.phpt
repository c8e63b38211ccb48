--TEST--
An owner's locks are re-entrant: depth, the longer lease, the outer's metadata and token
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
ignore($lock->getLock($key, ttl: 20.0, metadata: 'outer'));
$outer = $lock->lease($key);
say('depth', $outer->depth);

say('again, shorter', $lock->getLock($key, ttl: 5.0, metadata: 'inner'));
$inner = $lock->lease($key);
say('depth', $inner->depth);
say('same token, fence, metadata', [$inner->token === $outer->token, $inner->fence === $outer->fence, $inner->metadata]);
say_within('lease on the server', $client('PTTL', lock_key($key)) / 1000, 16, 20);
say_within('lease by our clock', $inner->ttl, 16, 20);

say('again, longer', $lock->getLock($key, ttl: 60.0));
say('depth', $lock->lease($key)->depth);
say_within('lease on the server', $client('PTTL', lock_key($key)) / 1000, 56, 60);
say_within('lease by our clock', $lock->lease($key)->ttl, 56, 60);

foreach ([2, 1, 0] as $depth) {
    say('release', $lock->releaseLock($key));
    say('depth and there', [$lock->lease($key)?->depth, $client('EXISTS', lock_key($key))]);
}
say('once more', $lock->releaseLock($key));
?>
--EXPECT--
depth: 1
again, shorter: true
depth: 2
same token, fence, metadata: [true,true,"outer"]
lease on the server: in time
lease by our clock: in time
again, longer: true
depth: 3
lease on the server: in time
lease by our clock: in time
release: true
depth and there: [2,1]
release: true
depth and there: [1,1]
release: true
depth and there: [null,0]
once more: false
