--TEST--
S9: restarted from an older snapshot, which knows nothing of the grant that came after: a late holder is told Timeout
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
take_briefly($lock->getLock(...), 'key', ttl: 0.5);
$client('SAVE');
await('the end of its lease', fn () => $lock->lease('key')->ttl === 0.0);

$other = new RLock($server->url());
say('another', $other->getLock('key', wait: 5.0));
say('gives it back', $other->releaseLock('key'));
$server->kill();
$server = $server->restart();
say('late', outcome(fn () => $lock->releaseLock('key')));
?>
--EXPECT--
another: true
gives it back: true
late: RLock\TimeoutException, held false, late
