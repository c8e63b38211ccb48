--TEST--
confirm: false, and the verdict arrives during the next call: the call after throws it; with no call, an E_WARNING
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$proxy = new Proxy($server->socket);
set_error_handler(function (int $level, string $message) {
    say('handler', [$level === E_WARNING, str_contains($message, '"key"')]);
    return true;
});
$lose = function () use ($proxy, $client): RLock {
    $proxy->tell('late 0');
    $lock = new RLock($proxy->url('timeout=3'));
    ignore($lock->getLock('held', ttl: 60.0));
    ignore($lock->getLock('key', ttl: 60.0));
    $client('DEL', 'lock@key');
    $proxy->tell('late 300');
    say('release', $lock->releaseLock('key', confirm: false));
    return $lock;
};

$lock = $lose();
say('the next call', $lock->isLocking('held'));
try {
    $lock->isLocking('held');
} catch (RLock\LostLockException $e) {
    say('the call after', $e->key);
}
say('once', $lock->isLocking('held'));
unset($lock);

$lock = $lose();
echo "the object ends:\n";
unset($lock);

$lock = $lose();
say('releaseAll', $lock->releaseAll());
say('told', outcome(fn () => $lock->lease('held')));
unset($lock);

$lock = $lose();
say('close', outcome(fn () => $lock->close()));
say('left', $client('EXISTS', 'lock@held'));
unset($lock);

/* Which servers must see, so that they may not end before it. */
final class Keeps { public static array $servers; }
Keeps::$servers = [$server, $proxy];
$lock = $lose();
echo "the request ends:\n";
?>
--EXPECT--
release: true
the next call: true
the call after: key
once: true
release: true
the object ends:
handler: [true,true]
release: true
releaseAll: false
told: null
release: true
handler: [true,true]
close: null
left: 0
release: true
the request ends:
handler: [true,true]
