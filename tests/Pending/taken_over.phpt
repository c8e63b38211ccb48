--TEST--
Pending: one that is asked for again after it was let go of comes true as what it is now, and an answer after the lease grants nothing
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$other = new RLock($server->url());

/* A share is to become exclusive; while the server is still to answer, that is let go of and asked for again. */
foreach (['cancelled' => fn ($pending) => $pending->cancel(), 'let go of' => fn () => null] as $what => $end) {
    foreach ([false, true] as $shared) {
        $lock = new RLock($server->url(), ttl: 60.0);
        ignore($lock->getSharedLock('key'));
        $client('CLIENT', 'PAUSE', 60_000, 'WRITE');
        $pending = $lock->requestLock('key');
        say("$what, not yet", $pending->poll());
        $end($pending);
        $pending = null;
        $again = $lock->requestLock('key', shared: $shared);
        say('again', $again->poll());
        $client('CLIENT', 'UNPAUSE');
        $answer = decide($again);
        $lease = $lock->lease('key');
        say($shared ? 'as a share' : 'exclusively', [$answer, $lease->depth, $shared || !$lease->shared, $lease->shared === $other->getSharedLock('key')]);
        $lock->close();
        $other->releaseLock('key');
    }
}

/* The server grants another second, and the answer comes when that is over. */
$proxy = new Proxy($server->socket);
foreach (['a share' => 'getSharedLock', 'a lock' => 'getLock'] as $what => $method) {
    $lock = new RLock($proxy->url(), ttl: 1.0);
    done_within(0.5, fn () => $lock->$method('key'), fn () => $lock->releaseLock('key'));
    $proxy->tell('late 1500');
    $pending = $lock->requestLock('key', shared: $method === 'getSharedLock');
    $outcome = outcome(fn () => decide($pending));
    say("$what, too late", preg_match('/^RLock\\\\(Timeout|LostLock)Exception\b/', $outcome) ? 'told' : $outcome);
    $proxy->tell('late 0');
    say('it is not held', [$lock->lease('key'), $client('EXISTS', lock_key('key'))]);
    $lock->close();
}
?>
--EXPECT--
cancelled, not yet: null
again: null
exclusively: [true,2,true,true]
cancelled, not yet: null
again: null
as a share: [true,2,true,true]
let go of, not yet: null
again: null
exclusively: [true,2,true,true]
let go of, not yet: null
again: null
as a share: [true,2,true,true]
a share, too late: told
it is not held: [null,0]
a lock, too late: told
it is not held: [null,0]
