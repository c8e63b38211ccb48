--TEST--
Pending: a share that is to become exclusive is renewed and watched, whether anybody hears the answer or not
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$other = new RLock($server->url());
$renewed = function (RLock $lock): void { /* for longer than it lasts */
    $until = $lock->stats()['renewals'] + 4;
    await('renewals', fn () => $lock->stats()['renewals'] >= $until);
};

/* The server knows the scripts. */
$lock = new RLock($server->url());
say('before', [$lock->getSharedLock('key'), $lock->getLock('key'), $lock->downgrade('key'), $lock->releaseAll()]);

/* Nobody hears that it is exclusive. */
$lock = new RLock($server->url(), ttl: 3.0, autoRenew: true, interrupt: true);
ignore($lock->getSharedLock('polled late'));
$pending = $lock->requestLock('polled late');
$renewed($lock);
say('taken by another', $other->getSharedLock('polled late'));
say('polled late', [decide($pending), $lock->lease('polled late')->shared, $lock->lease('polled late')->depth]);
$lock->check('polled late');
$lock->releaseAll();

/* Nor does anybody want it any more: it is a share again at once. */
foreach (['cancel', 'unset'] as $how) {
    ignore($lock->getSharedLock($how));
    $pending = $lock->requestLock($how);
    if ($how === 'cancel') {
        $pending->cancel();
    } else {
        $pending = null;
    }
    say("$how: another share", [$other->getSharedLock($how, wait: 30.0), $other->releaseLock($how)]);
    $renewed($lock);
    say("$how: exclusively by another", $other->getLock($how));
    $lock->check($how);
    say("$how: still a share", [$lock->lease($how)->shared, $lock->isLocking($how), $lock->releaseLock($how)]);
}

/* Its connection dies without a sign, and new ones work: what takes it back is asked for once more. */
$proxy = new Proxy($server->socket);
$behind = new RLock($proxy->url('timeout=1'), ttl: 3.0, autoRenew: true, interrupt: true);
ignore($behind->getSharedLock('silent'));
$proxy->tell('forget');
$pending = $behind->requestLock('silent');
$pending = null;
$renewed($behind);
say('silent: another share', [$other->getSharedLock('silent', wait: 30.0), $other->releaseLock('silent')]);
$behind->check('silent');
say('silent: still a share', [$behind->lease('silent')->shared, $behind->isLocking('silent'), $behind->releaseLock('silent')]);

/* Once it was heard by another call, the same. */
ignore($lock->getSharedLock('heard'));
$pending = $lock->requestLock('heard');
say('made a share again before it was told', $lock->downgrade('heard'));
say('told, and as asked for', [decide($pending), $lock->lease('heard')->shared, $lock->releaseAll()]);

/* Without autoRenew its end is told. */
$lock = new RLock($server->url(), interrupt: true);
take_briefly([$lock, 'getSharedLock'], 'ends', ttl: 0.5);
try {
    $pending = $lock->requestLock('ends', ttl: 0.5);
    await('its end', fn () => false);
} catch (RLock\TimeoutException $e) { /* or lost, since others could have had it exclusively */
    say('its end', true);
}
?>
--EXPECT--
before: [true,true,true,true]
taken by another: false
polled late: [true,false,2]
cancel: another share: [true,true]
cancel: exclusively by another: false
cancel: still a share: [true,true,true]
unset: another share: [true,true]
unset: exclusively by another: false
unset: still a share: [true,true,true]
silent: another share: [true,true]
silent: still a share: [true,true,true]
made a share again before it was told: true
told, and as asked for: [true,false,true]
its end: true
