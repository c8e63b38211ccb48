--TEST--
S3: out of memory, taking: ServerException OOM at once, and nothing is held
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url('timeout=5'));
ignore($lock->getLock('warm'));
$client('CONFIG', 'SET', 'maxmemory', '1');
say_took('it took', seconds(function () use ($lock) {
    say('getLock', outcome(fn () => $lock->getLock('key')));
}), 0, 1);
say('with a wait', outcome(fn () => $lock->getLock('key', wait: 0.5)));
say('held', [$lock->lease('key'), $lock->releaseLock('key')]);
say('left', $client('EXISTS', 'lock@key'));
$client('CONFIG', 'SET', 'maxmemory', '0');
say('getLock', outcome(fn () => $lock->getLock('key')));
?>
--EXPECT--
getLock: RLock\ServerException, OOM
it took: in time
with a wait: RLock\ServerException, OOM
held: [null,false]
left: 0
getLock: true
