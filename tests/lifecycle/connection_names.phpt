--TEST--
Connections are named rlock:HOST:PID, so that CLIENT LIST tells who waits; a forked child's have its own pid
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

$server = TestServer::start();
$client = $server->client();

/* What the connections of a process do. One that waits says for what, and since when. */
function doing(RawClient $client, int $pid): array
{
    $name = preg_quote('rlock:' . substr(gethostname(), 0, 64) . ":$pid", '/');
    preg_match_all("/ name=$name(?::[0-9a-f]{16}:\d+)? .* cmd=(\S+)/", $client('CLIENT', 'LIST'), $found);
    sort($found[1]);
    return $found[1];
}
$lock = new RLock($server->url());
ignore($lock->getLock('mail', ttl: 60.0));
say('one', count(doing($client, getmypid())));
say('the same as in the lock', str_contains($client('CLIENT', 'LIST'), ' name=rlock:' . $lock->holder('mail')->owner . ' '));

$waiter = Child::start('
    $lock = new RLock($args[0]);
    ignore($lock->getLock("mail", wait: 60.0));
', [$server->url()]);
$client->awaitBlocked(1);
say('who waits', in_array('blpop', doing($client, $waiter->pid)));
$waiter->kill();

if (($pid = pcntl_fork()) === 0) {
    ignore($lock->getLock('news'));
    say('child', count(doing($client = $server->client(), getmypid())));
    $lock->releaseLock('news');
    exit(0);
}
pcntl_waitpid($pid, $status);
say('parent', count(doing($client, getmypid())));
?>
--EXPECT--
one: 1
the same as in the lock: true
who waits: true
child: 1
parent: 1
