--TEST--
synchronized() runs the closure under the lock, returns what it returns, and always releases
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$key = unique_key();
$lock = new RLock(shared_url());
say('returns', $lock->synchronized($key, function (RLock\Lease $lease) use ($key, $client) {
    return [$lease->key === $key, $lease->depth, $client('GET', lock_key($key)) === $lease->token];
}, ttl: 20.0));
say('holder', $lock->holder($key));

say('its exception', outcome(fn () => $lock->synchronized($key, fn () => throw new DomainException('mine'))));
say('holder', $lock->holder($key));

$other = new RLock(shared_url());
ignore($other->getLock($key, metadata: 'note'));
$ran = false;
try {
    $lock->synchronized($key, function () use (&$ran) { $ran = true; });
} catch (RLock\NotAcquiredException $e) {
    say('busy', [$e->key === $key, $e->holder === null || $e->holder->metadata === 'note']);
}
say('the closure ran', $ran);
say_took('wait', seconds(fn () => outcome(fn () => $lock->synchronized($key, fn () => 1, wait: 0.3))), 0.3, 0.8);
$other->releaseLock($key);

say('nested', $lock->synchronized($key, fn () => $lock->synchronized($key, fn ($lease) => $lease->depth)));
say('holder', $lock->holder($key));

echo "late:\n";
$late = function () use ($client, $key) {
    await('expiry', fn () => !$client('EXISTS', lock_key($key)));
    return 'done';
};
say('late', outcome(fn () => answered(fn () => $lock->synchronized($key, $late, ttl: 0.6))));
try {
    answered(fn () => $lock->synchronized($key, function () use ($late) { $late(); throw new DomainException('mine'); }, ttl: 0.6));
} catch (RLock\TimeoutException $e) {
    say('late, with its own exception', [describe($e), $e->getPrevious()::class, $e->getPrevious()->getMessage()]);
}
say('lost', outcome(fn () => $lock->synchronized($key, fn () => $client('DEL', lock_key($key)))));
say('released inside', outcome(fn () => $lock->synchronized($key, fn () => $lock->releaseLock($key))));
say('held', $lock->lease($key));
?>
--EXPECT--
returns: [true,1,true]
holder: null
its exception: DomainException
holder: null
busy: [true,true]
the closure ran: false
wait: in time
nested: 2
holder: null
late:
late: RLock\TimeoutException, held false, late
late, with its own exception: ["RLock\\TimeoutException, held false, late","DomainException","mine"]
lost: RLock\LostLockException, held false
released inside: true
held: null
