--TEST--
confirm: false on a server that does not know the script: the lock is given back all the same, or what became of it told
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
foreach (['first of all', 'after a flush'] as $key) {
    ignore($lock->getLock($key, ttl: 60.0));
    $client('SCRIPT', 'FLUSH');
    say($key, $lock->releaseLock($key, confirm: false));
    await('given back', fn () => !$client('EXISTS', "lock@$key"));
}
ignore($lock->getLock('lost', ttl: 60.0));
$client('DEL', 'lock@lost');
$client('SCRIPT', 'FLUSH');
say('lost', $lock->releaseLock('lost', confirm: false));
$client('PING');
$client('PING');
say('told', outcome(fn () => $lock->isLocking('other')));
?>
--EXPECT--
first of all: true
after a flush: true
lost: true
told: RLock\LostLockException, held false
