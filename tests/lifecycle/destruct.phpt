--TEST--
What is held is released when the object is destroyed
--FILE--
<?php
require __DIR__ . '/../server.inc';

$client = shared_client();
$keys = [unique_key(), unique_key()];
$left = fn () => $client('EXISTS', ...array_map(lock_key(...), $keys));
$take = function () use ($keys): RLock {
    $lock = new RLock(shared_url());
    foreach ($keys as $key) {
        ignore($lock->getLock($key, ttl: 300.0));
        ignore($lock->getLock($key, ttl: 300.0));
    }
    return $lock;
};
$lock = $take();
say('held', $left());
unset($lock);
say('unset', $left());

$lock = $take();
$lock = null;
say('overwritten', $left());

(function () use ($take) { $local = $take(); })();
say('out of scope', $left());

$ring = new stdClass();
$ring->lock = $take();
$ring->self = $ring;
unset($ring);
gc_collect_cycles();
say('in a cycle', $left());

try {
    (function () use ($take) { $local = $take(); throw new DomainException(); })();
} catch (DomainException $e) {
    unset($e);
}
say('left by an exception', $left());
?>
--EXPECT--
held: 2
unset: 0
overwritten: 0
out of scope: 0
in a cycle: 0
left by an exception: 0
