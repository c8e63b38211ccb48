--TEST--
releaseAll() gives back all; true if every one was still ours; a late one is counted, not thrown
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$client = shared_client();
$keys = [unique_key(), unique_key(), unique_key()];
$lock = new RLock(shared_url());
say('nothing held, no I/O', (new RLock(nowhere()))->releaseAll());
foreach ($keys as $key) {
    take_briefly($lock->getLock(...), $key, ttl: 60.0);
    take_briefly($lock->getLock(...), $key, ttl: 60.0);
}
say('all ours', $lock->releaseAll());
say('left', $client('EXISTS', ...array_map(lock_key(...), $keys)));
say('none held', array_filter(array_map($lock->lease(...), $keys)));

take_briefly($lock->getLock(...), $keys[0], ttl: 60.0);
take_briefly($lock->getLock(...), $keys[1], ttl: 0.6);
take_briefly($lock->getLock(...), $keys[2], ttl: 60.0);
await('expiry', fn () => !$client('EXISTS', lock_key($keys[1])));
$client('DEL', lock_key($keys[2]));
say('one late, one lost', $lock->releaseAll());
say('left', $client('EXISTS', ...array_map(lock_key(...), $keys)));
say('counted', [$lock->stats()['timeouts'], $lock->stats()['lost']]);
say('the object works', $lock->getLock($keys[0]));

$server = TestServer::start();
$lock = new RLock($server->url('timeout=0.4'));
take_briefly($lock->getLock(...), 'one', ttl: 60.0);
take_briefly($lock->getLock(...), 'two', ttl: 60.0);
$server->freeze();
say_took('it took', seconds(function () use ($lock) { say('frozen', outcome(fn () => $lock->releaseAll())); }), 0.39, 0.9);
say('none held', [$lock->lease('one'), $lock->lease('two')]);
$server->thaw();
?>
--EXPECT--
nothing held, no I/O: true
all ours: true
left: 0
none held: []
one late, one lost: false
left: 0
counted: [1,1]
the object works: true
frozen: RLock\ConnectionException
it took: in time
none held: [null,null]
