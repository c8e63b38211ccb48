--TEST--
A message says what happened, to which key, on which server; the key is a property too
--FILE--
<?php
require __DIR__ . '/../server.inc';

function caught(callable $call): RLock\RLockException
{
    try {
        $call();
    } catch (RLock\RLockException $e) {
        return $e;
    }
    throw new LogicException('nothing was thrown');
}
$server = TestServer::start();
$client = $server->client();
$lock = new RLock($server->url());
ignore($lock->getLock('nightly'));
$client('DEL', 'lock@nightly');
$e = caught(fn () => $lock->releaseLock('nightly'));
say('lost', [$e->key, str_contains($e->getMessage(), 'nightly'), str_contains($e->getMessage(), $server->socket)]);

$client('CONFIG', 'SET', 'maxmemory', '1');
$e = caught(fn () => $lock->getLock('nightly'));
say('server', [$e->key, str_contains($e->getMessage(), 'nightly'), str_contains($e->getMessage(), $server->socket), str_contains($e->getMessage(), 'OOM')]);
$client('CONFIG', 'SET', 'maxmemory', '0');

$impatient = new RLock($server->url('timeout=0.3'));
answered(fn () => $impatient->holder('nightly'));
$server->freeze();
$e = caught(fn () => $impatient->getLock('nightly'));
say('frozen', [$e->key, str_contains($e->getMessage(), 'nightly'), str_contains($e->getMessage(), $server->socket)]);
$server->thaw();

$e = caught(fn () => (new RLock(nowhere()))->getLock('nightly'));
say('nowhere', [$e->key, str_contains($e->getMessage(), 'nightly'), str_contains($e->getMessage(), '/nonexistent/rlock.sock')]);

$key = "line\nbreak\0nul\x1b[31m" . str_repeat('long', 1000);
$e = caught(fn () => (new RLock(nowhere()))->getLock($key));
say('key as it is', $e->key === $key);
say('printable', preg_match('/[\x00-\x1f\x7f]/', $e->getMessage()) === 0 && mb_or_utf8($e->getMessage()));
say_within('length', strlen($e->getMessage()), 20, 600);

function mb_or_utf8(string $text): bool
{
    return preg_match('//u', $text) === 1;
}
?>
--EXPECT--
lost: ["nightly",true,true]
server: ["nightly",true,true,true]
frozen: ["nightly",true,true]
nowhere: ["nightly",true,true]
key as it is: true
printable: true
length: in time
