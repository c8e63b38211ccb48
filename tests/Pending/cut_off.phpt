--TEST--
Pending: what is given up when its connection is lost is given back with any next call, and in no way of its own object
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$free = fn (string $key): bool => $client('EXISTS', lock_key($key)) === 0;
$cut = fn () => $client('CLIENT', 'KILL', 'TYPE', 'normal');
$lock = new RLock($server->url(), ttl: 60.0);
$another = new RLock($server->url());

/* Granted, and cut off before anybody has heard of it. The next call may be another object's, and ask nothing. */
$give_up = function (string $key, string $how) use ($lock, $free, $cut): ?RLock\Pending {
    ignore($lock->getLock('warm'), $lock->releaseLock('warm'));
    $pending = $lock->requestLock($key);
    await('it is granted', fn () => !$free($key));
    $cut();
    if ($how === 'cancel') {
        $pending->cancel();
        return $pending;
    }
    return null;
};
foreach (['cancel', 'unset'] as $how) {
    $given_up = $give_up("call-$how", $how);
    say("$how: the next call of another object", await('it is free', function () use ($another, $free, $how) {
        ignore($another->lease('any'));
        return $free("call-$how");
    }, 5.0));
}
$given_up = $give_up('poll', 'cancel');
say('cancel: the next poll() of itself', await('it is free', fn () => $given_up->poll() === false && $free('poll'), 5.0));
foreach (['cancel', 'unset'] as $how) {
    $given_up = $give_up("own-$how", $how);
    say("$how: the object asks for it", $lock->getLock("own-$how"));
    $given_up = $give_up("steps-$how", $how);
    say("$how: the object asks for it in steps", decide($lock->requestLock("steps-$how", wait: 0.0)));
}
$lock->releaseAll();

/* Parked, and cut off after a release has passed it the lock. */
foreach (['alone' => false, 'in steps' => true] as $what => $in_steps) {
    ignore($another->getLock($what));
    $pending = $lock->requestLock($what);
    park($client, 1, $pending);
    ignore($another->releaseLock($what));
    $cut();
    $pending->cancel();
    say("passed on: the object asks, $what", $in_steps ? decide($lock->requestLock($what, wait: 0.0)) : $lock->getLock($what));
}
?>
--EXPECT--
cancel: the next call of another object: true
unset: the next call of another object: true
cancel: the next poll() of itself: true
cancel: the object asks for it: true
cancel: the object asks for it in steps: true
unset: the object asks for it: true
unset: the object asks for it in steps: true
passed on: the object asks, alone: true
passed on: the object asks, in steps: true
