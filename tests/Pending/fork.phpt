--TEST--
Pending: after a fork it is the parent's, whatever state it is in
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
$other = new RLock($server->url());
ignore($other->getLock('key', ttl: 60.0));
decide($lock->requestLock('done'));
$parked = $lock->requestLock('key', ttl: 60.0);
park($client, 1, $parked);
$asking = $lock->requestLock('asked', ttl: 60.0);
$stream = $parked->stream();

$pid = pcntl_fork();
if ($pid === 0) {
    say('child, poll', [outcome(fn () => $parked->poll()), outcome(fn () => $asking->poll()), outcome(fn () => $parked->poll())]);
    $parked->cancel();
    say('child, the same key', outcome(fn () => $lock->getLock('key')));
    $mine = $lock->requestLock('of the child', ttl: 60.0);
    say('child, another', [decide($mine), $lock->releaseLock('of the child')]);
    $second = $lock->requestLock('key', ttl: 60.0);
    park($client, 2, $second);
    unset($asking, $stream);
    gc_collect_cycles();
    exit(0);
}
pcntl_waitpid($pid, $status);
say('child ended with', pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'signal ' . pcntl_wtermsig($status));
say('asked', decide($asking));
say('still parked', [$parked->poll(), await('one', fn () => $client->info('blocked_clients') === 1), $parked->stream() === $stream]);
$other->releaseLock('key');
say('woken', decide($parked));

$pid = pcntl_fork();
if ($pid === 0) {
    unset($parked, $asking, $mine);
    $lock = null;
    exit(0);
}
pcntl_waitpid($pid, $status);
say('held', [$lock->isLocking('key'), $lock->isLocking('asked')]);
?>
--EXPECT--
child, poll: ["RLock\\RLockException","RLock\\RLockException","false"]
child, the same key: false
child, another: [true,true]
child ended with: 0
asked: true
still parked: [null,true,true]
woken: true
held: [true,true]
