--TEST--
A majority: one Redis under several addresses would have several votes; it is refused by name, and nothing stays taken
--FILE--
<?php
require __DIR__ . '/../majority.inc';

$server = TestServer::start([], tcp: true);
$other = TestServer::start();
$third = TestServer::start();
$names = ["127.0.0.1:$server->port", "localhost:$server->port", $server->socket];
$by_name = "redis://localhost:$server->port" . patiently('');

/* What is told, by which of its addresses. */
function refusal(callable $call): string
{
    global $names;
    try {
        return text($call());
    } catch (RLock\RLockException $e) {
        $named = array_keys(array_filter($names, fn ($name) => str_contains($e->getMessage(), $name)));
        return $e::class . (str_contains($e->getMessage(), 'is one server') ? ' of ' . text($named) : ": {$e->getMessage()}");
    }
}

/* On one server twice, once all are connected: of those that are slow to connect nothing is known yet. */
function refused(array $urls): string
{
    $lock = new RLock($urls);
    return await('connections', function () use ($lock) {
        $refusal = refusal(fn () => $lock->getLock('key', 1.0));
        return $refusal === 'true' && $lock->releaseLock('key') ? null : $refusal;
    });
}

say('a number and a name', refused([$server->tcpUrl(), $by_name]));
say('a number and a socket, and another server', refused([$server->tcpUrl(), $other->url(), $server->url()]));
foreach ([$server, $other] as $one) {
    await('nothing taken', fn () => $one->client()('EXISTS', lock_key('key')) === 0);
}
say('not persistent', refused([$by_name, $other->url('persistent=0'), $server->url('persistent=0')]));

/* After a restart it is another to those who knew it, but not another than itself. */
$lock = new RLock([$server->url(), $other->url(), $third->url()]);
say('different ones', $lock->getLock('different', 1.0) && $lock->releaseLock('different'));
$server->kill();
$server = $server->restart();
say('different ones, one restarted', $lock->getLock('different', 1.0) && $lock->releaseLock('different'));
say('the one restarted', refused([$server->tcpUrl(), $other->url(), $server->url()]));

/* What does not show its run_id cannot be told apart. */
foreach ([$server, $other] as $one) {
    $one->client()('ACL', 'SETUSER', 'blind', 'on', '>x', '~*', '&*', '+@all', '-info');
}
$blind = new RLock(["redis://blind:x@127.0.0.1:$server->port" . patiently(''), $other->url('user=blind&password=x')]);
say('without a run_id', refusal(fn () => $blind->getLock('blind', 1.0) && $blind->releaseLock('blind')));
?>
--EXPECT--
a number and a name: RLock\RLockException of [0,1]
a number and a socket, and another server: RLock\RLockException of [0,2]
not persistent: RLock\RLockException of [1,2]
different ones: true
different ones, one restarted: true
the one restarted: RLock\RLockException of [0,2]
without a run_id: true
