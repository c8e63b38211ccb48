--TEST--
synchronized() throws a verdict that the callable has swallowed once more, but none on a lock that the callable has released
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());

/* As a library with a catch-all does. */
function swallow(callable $call): string
{
    try {
        $call();
    } catch (RLock\RLockException $e) {
        return $e::class;
    }
    return 'nothing';
}

foreach (['lost' => 60.0, 'late' => 0.02] as $what => $ttl) {
    try {
        $lock->synchronized($key, function () use ($lock, $client, $key, $ttl) {
            if ($ttl > 1.0) {
                $client('DEL', lock_key($key));
                $lock->isLocking($key);
            } else {
                await('its end', fn () => $client('EXISTS', lock_key($key)) === 0);
            }
            say('swallowed', swallow(fn () => $lock->check($key)));
            return 'the result';
        }, ttl: $ttl);
    } catch (RLock\TimeoutException $e) {
        say($what, [$e::class, $e->result]);
    }
}
say('released by itself', $lock->synchronized($key, fn () => $lock->releaseLock($key)));
say('its own exception', swallow(fn () => $lock->synchronized($key, function () use ($lock, $client, $key) {
    $client('DEL', lock_key($key));
    $lock->isLocking($key);
    swallow(fn () => $lock->check($key));
    throw new RLock\NotAcquiredException('its own');
})));
?>
--EXPECT--
swallowed: RLock\LostLockException
lost: ["RLock\\LostLockException","the result"]
swallowed: RLock\TimeoutException
late: ["RLock\\TimeoutException","the result"]
released by itself: true
its own exception: RLock\NotAcquiredException
