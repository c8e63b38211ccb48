--TEST--
interrupt: a lost lock throws in the midst of another object's request to a frozen server, which is undone
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$frozen = TestServer::start();
$worker = new RLock($server->url(), ttl: 0.6, autoRenew: true, interrupt: true);
$other = new RLock($frozen->url('timeout=40&connect_timeout=40'), ttl: 300.0);
ignore($other->getLock('held'));
ignore($worker->getLock('job'));
$frozen->freeze();
$client = $server->client();
$calls = ['getLock' => fn () => $other->getLock('key'), 'releaseLock' => fn () => $other->releaseLock('held')];
foreach ($calls as $name => $call) {
    ignore($worker->getLock('job'));
    $client('DEL', lock_key('job'));
    $took = seconds(function () use ($call, &$outcome) { $outcome = outcome($call); });
    say($name, $outcome);
    say_took('out', $took, 0.0, 1.0);
}
$frozen->thaw();
$client = $frozen->client();
await('free', fn () => $client('EXISTS', lock_key('key'), lock_key('held')) === 0, 1.0 + LATE);
say('not held', $other->lease('held'));
?>
--EXPECT--
getLock: RLock\LostLockException, held false
out: in time
releaseLock: RLock\LostLockException, held false
out: in time
not held: null
