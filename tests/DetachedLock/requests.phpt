--TEST--
DetachedLock: a pair is two requests by the object that took it; another one more finds it; who has it takes it again by one
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$here = new RLock($server->url());
$there = new RLock($server->url());
$third = new RLock($server->url());
foreach ([$here, $there] as $lock) { /* the server learns the scripts */
    ignore($lock->detached('warm', 'name')->getLock());
    $lock->detached('warm', 'name')->prolongate();
}
$there->detached('warm', 'name')->releaseLock();
$client('CONFIG', 'RESETSTAT');

/* What a call sends, as its object counts and as the server does. */
$sent = function (RLock $lock, callable $call) use ($client): string {
    $counted = fn () => preg_match('/^cmdstat_evalsha:calls=(\d+)/m', $client('INFO', 'commandstats'), $match) ? (int) $match[1] : 0;
    $before = [$lock->stats()['requests'], $counted()];
    $result = text($call());
    return "$result, requests " . $lock->stats()['requests'] - $before[0] . ', scripts ' . $counted() - $before[1];
};
$mine = $here->detached('key', 'name');
$same = $here->detached('key', 'name');
$theirs = $there->detached('key', 'name');

say('taken', $sent($here, fn () => $mine->getLock(ttl: 60.0)));
say('prolonged', $sent($here, fn () => $mine->prolongate(60.0)));
say('prolonged by another object', $sent($here, fn () => $same->prolongate(60.0)));
say('taken again', $sent($here, fn () => $same->getLock(ttl: 60.0)));
say('released', $sent($here, fn () => $same->releaseLock()));
say('released again', $sent($here, fn () => $mine->releaseLock()));

say('taken', $sent($here, fn () => $mine->getLock(ttl: 60.0)));
say('prolonged elsewhere', $sent($there, fn () => $theirs->prolongate(60.0)));
say('prolonged there again', $sent($there, fn () => $theirs->prolongate(60.0)));
say('released there', $sent($there, fn () => $theirs->releaseLock()));

say('taken, when what is remembered is over', $sent($here, fn () => $mine->getLock(ttl: 60.0)));
say('released elsewhere', $sent($there, fn () => $theirs->releaseLock()));
say('released, when what is remembered is over', $sent($here, fn () => $mine->releaseLock()));

ignore($here->getLock('key'));
say('busy', $sent($there, fn () => $theirs->getLock()));
say('isLocking, ttl, fence', $sent($there, fn () => [$theirs->isLocking(), $theirs->ttl(), $theirs->fence()]));
$here->releaseLock('key');

say('taken with the name', $sent($here, fn () => $mine->getLock(ttl: 60.0)));
say('taken elsewhere with the name', $sent($there, fn () => $theirs->getLock(ttl: 30.0)));
say('for longer', $sent($third, fn () => $third->detached('key', 'name')->getLock(ttl: 90.0)));
say('counted as acquired', [$here->stats()['acquired'], $there->stats()['acquired'], $there->stats()['busy']]);
say('connections', [$here->stats()['reconnects'], $there->stats()['reconnects']]);
?>
--EXPECT--
taken: true, requests 1, scripts 1
prolonged: true, requests 1, scripts 1
prolonged by another object: true, requests 2, scripts 2
taken again: true, requests 1, scripts 1
released: true, requests 1, scripts 1
released again: false, requests 2, scripts 2
taken: true, requests 1, scripts 1
prolonged elsewhere: true, requests 2, scripts 2
prolonged there again: true, requests 1, scripts 1
released there: true, requests 1, scripts 1
taken, when what is remembered is over: true, requests 1, scripts 1
released elsewhere: true, requests 2, scripts 2
released, when what is remembered is over: false, requests 2, scripts 2
busy: false, requests 1, scripts 1
isLocking, ttl, fence: [false,0.0,null], requests 3, scripts 3
taken with the name: true, requests 1, scripts 1
taken elsewhere with the name: true, requests 1, scripts 1
for longer: true, requests 1, scripts 1
counted as acquired: [7,2,1]
connections: [0,0]
