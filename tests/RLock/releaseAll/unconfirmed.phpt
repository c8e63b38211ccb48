--TEST--
releaseAll() waits for releases that were not confirmed, and a child after fork sees only its own
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLocks(['a', 'b', 'held'], ttl: 60.0));
$lock->releaseLock('a', confirm: false);
say('all', $lock->releaseAll());
say('left', $client('KEYS', 'lock@*'));

ignore($lock->getLocks(['a', 'held'], ttl: 60.0));
$client('DEL', 'lock@a');
$lock->releaseLock('a', confirm: false);
$client('PING');
$client('PING');
$child = pcntl_fork();
if ($child === 0) {
    $results = [outcome(fn () => $lock->releaseAll()), outcome(fn () => $lock->holder('other')), outcome(fn () => $lock->releaseLock('held'))];
    send_signal(getmypid(), $results === ['true', 'null', 'RLock\RLockException'] ? SIGKILL : SIGTERM);
}
pcntl_waitpid($child, $status);
say("the parent's verdict is not the child's", pcntl_wtermsig($status) === SIGKILL);
say('but the parent has it', [outcome(fn () => $lock->isLocking('held')), outcome(fn () => $lock->isLocking('held'))]);
?>
--EXPECT--
all: true
left: []
the parent's verdict is not the child's: true
but the parent has it: ["RLock\\LostLockException, held false","true"]
