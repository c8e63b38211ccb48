--TEST--
close() gives back many locks within one deadline
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url('timeout=2'));
for ($i = 0; $i < 500; $i++) {
    ignore($lock->getLock("key$i", ttl: 60.0));
}
say('held', count($client('KEYS', 'lock@*')));
$server->freeze();
say_took('close takes', seconds(function () use ($lock) {
    say('close', outcome(fn () => $lock->close()));
}), 1.9, 3.5);
say('closed', outcome(fn () => $lock->getLock('key')));
$server->thaw();

$lock = new RLock($server->url());
for ($i = 1000; $i < 1500; $i++) {
    ignore($lock->getLock("key$i", ttl: 60.0));
}
say('close', outcome(fn () => $lock->close()));
say('left of these', count($client('KEYS', 'lock@key1???')));
?>
--EXPECT--
held: 500
close: RLock\ConnectionException
close takes: in time
closed: RLock\RLockException
close: null
left of these: 0
