--TEST--
waitUntilFree(): true once it is free, of whichever kind it was; takes nothing, and tells whoever waits behind
--FILE--
<?php
require __DIR__ . '/../../pending.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$holder = new RLock($server->url(), ttl: 60.0);

say('free', [$lock->waitUntilFree('free'), $client('DBSIZE')]);
ignore($holder->getLock('key'));
say('taken, looks', $lock->waitUntilFree('key', 0.0));
say('taken, waits', $lock->waitUntilFree('key', 0.1));
say('the holder', outcome(fn () => $holder->waitUntilFree('key', 1.0)));
say('still held', $holder->isLocking('key'));

/* A process that waits so until parent lets go. */
$waiter = fn (string $key): Child => Child::start('
    $lock = new RLock($args[0]);
    $parent->say("ready");
    $parent->say([$lock->waitUntilFree($args[1], 60.0), $lock->lease($args[1]), $lock->stats()["acquired"]]);
', [$server->url(), $key]);
$end = function (string $how, string $key, callable $release) use ($waiter, $client): void {
    $child = $waiter($key);
    $child->hear();
    $client->awaitBlocked(1);
    $release();
    say($how, $child->hear());
    say('nobody has it', $client('EXISTS', lock_key($key)));
    $child->wait();
};
$end('given back', 'key', fn () => $holder->releaseLock('key'));
ignore($holder->getSharedLock('shared'));
$end('a share', 'shared', fn () => $holder->releaseLock('shared'));
ignore($holder->getLock('ends', ttl: 1.0));
$end('it ends', 'ends', fn () => null);
say('its holder', outcome(fn () => $holder->releaseLock('ends')));

/* Somebody behind it, who wants the lock, has it. */
ignore($holder->getLock('key'));
$child = $waiter('key');
$child->hear();
$client->awaitBlocked(1);
$pending = $lock->requestLock('key', wait: 60.0);
park($client, 2, $pending);
$holder->releaseLock('key');
say('told', $child->hear());
say('who is behind', decide($pending));
$child->wait();
$lock->releaseAll();
?>
--EXPECT--
free: [true,0]
taken, looks: false
taken, waits: false
the holder: RLock\RLockException
still held: true
given back: [true,null,0]
nobody has it: 0
a share: [true,null,0]
nobody has it: 0
it ends: [true,null,0]
nobody has it: 0
its holder: RLock\LostLockException, held false
told: [true,null,0]
who is behind: true
