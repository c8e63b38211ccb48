--TEST--
S15: FLUSHALL or DEL while held: lost
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
foreach (['FLUSHALL' => ['FLUSHALL'], 'DEL' => ['DEL', 'lock@key']] as $name => $command) {
    ignore($lock->getLock('key', ttl: 60.0));
    $client(...$command);
    say("$name, isLocking", $lock->isLocking('key'));
    say("$name, releaseLock", outcome(fn () => $lock->releaseLock('key')));

    ignore($lock->getLock('key', ttl: 60.0));
    $client(...$command);
    say("$name, prolongate", outcome(fn () => $lock->prolongate('key')));
    say("$name, not ours", [$lock->isLocking('key'), $lock->releaseLock('key')]);
    $client('DEL', 'lock@key');

    ignore($lock->getLock('key', ttl: 60.0));
    $client(...$command);
    say("$name, getLock", outcome(fn () => $lock->getLock('key')));
}
?>
--EXPECT--
FLUSHALL, isLocking: false
FLUSHALL, releaseLock: RLock\LostLockException, held false
FLUSHALL, prolongate: RLock\LostLockException, held false
FLUSHALL, not ours: [false,false]
FLUSHALL, getLock: RLock\LostLockException, held false
DEL, isLocking: false
DEL, releaseLock: RLock\LostLockException, held false
DEL, prolongate: RLock\LostLockException, held false
DEL, not ours: [false,false]
DEL, getLock: RLock\LostLockException, held false
