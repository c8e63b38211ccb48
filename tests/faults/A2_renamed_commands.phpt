--TEST--
A2: commands that docs/operations.md says can be left out, renamed away: all works, as where an ACL denies them
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* A waiter has the lock, soon or by its next ask. */
function waits(RLock $lock, TestServer $server): bool
{
    ignore($lock->getLock('wait', ttl: 60.0));
    $child = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say($lock->getLock("wait", wait: 20.0));
        $parent->say($lock->releaseLock("wait"));
    ', ['url' => $server->url()]);
    $client = $server->client();
    await('a waiter', fn () => $client('EXISTS', waiting_key('wait')));
    return $lock->releaseLock('wait') && $child->hear() && $child->hear() && $child->wait() === 0;
}

foreach (['TIME', 'BLPOP', 'RPUSH', 'LPOP', 'LINDEX', 'CLIENT', 'INFO'] as $command) {
    $server = TestServer::start(['--rename-command', $command, '']);
    $lock = new RLock($server->url());
    $other = new RLock($server->url());
    say($command, array_keys(array_filter(array_map('outcome', [
        'take' => fn () => $lock->getLock('key') && $lock->getLock('key') && $lock->releaseLock('key'),
        'ask' => fn () => $lock->isLocking('key') && $lock->ttl('key') > 0.0 && $other->holder('key') !== null,
        'busy' => fn () => !$other->getLock('key', wait: 0.05),
        'prolong' => fn () => $lock->prolongate('key'),
        'give back' => fn () => $lock->releaseLock('key'),
        'wait' => fn () => waits($lock, $server),
        'delay' => fn () => $lock->getLock('delayed') && $lock->releaseLock('delayed', delayAfter: 0.05),
        'unconfirmed' => fn () => $lock->getLock('c') && $lock->releaseLock('c', confirm: false),
        'many' => fn () => $lock->getLocks(['b', 'a']) && $lock->releaseAll(),
        'break' => fn () => $lock->getLock('d') && $other->breakLock('d') && $other->holder('d') === null,
        'learn' => fn () => !$lock->releaseLock('d'),
    ]), fn (string $result) => $result !== 'true' && $result !== 'RLock\LostLockException, held false')));
}
?>
--EXPECT--
TIME: []
BLPOP: []
RPUSH: []
LPOP: []
LINDEX: []
CLIENT: []
INFO: []
