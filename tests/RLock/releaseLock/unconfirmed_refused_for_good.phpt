--TEST--
confirm: false, and the server refuses: the next call throws that before it sends, once; then the release is repeated
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
set_error_handler(function (int $level, string $message) {
    say('handler', [$level === E_WARNING, str_contains($message, 'READONLY')]);
    return true;
});
$refuse = function () use ($server, $client): RLock {
    $lock = new RLock($server->url());
    ignore($lock->getLock('held', ttl: 60.0));
    ignore($lock->getLock('key', ttl: 60.0));
    $client('REPLICAOF', '127.0.0.1', 1);
    say('release', $lock->releaseLock('key', confirm: false));
    $client('PING');
    $client('PING'); /* now the answer has come */
    return $lock;
};
$accept = fn () => $client('REPLICAOF', 'NO', 'ONE');
$left = fn () => $client('EXISTS', 'lock@key');

$lock = $refuse();
$accept();
$requests = $lock->stats()['requests'];
try {
    ignore($lock->getLock('other'));
} catch (RLock\ServerException $e) {
    say('the next call', [$e->key, $e->error, $e::class]);
    say('its message names', [str_contains($e->getMessage(), '"key"'), str_contains($e->getMessage(), 'other')]);
}
say('sent', [$lock->stats()['requests'] - $requests, $client('EXISTS', 'lock@other'), $left()]);
say('the call after', $lock->getLock('other'));
say('left', $left());
$lock->close();

$lock = $refuse();
say('check', outcome(fn () => $lock->check('held')));
say('once', outcome(fn () => $lock->check('held')));
$accept();
$lock->close();
say('left', $left());

$lock = $refuse();
say('releaseAll', outcome(fn () => $lock->releaseAll()));
$accept();
unset($lock);
say('left', $left());
$client('DEL', 'lock@held');

$lock = $refuse();
$accept();
echo "the object ends, and the server takes it by then:\n";
unset($lock);
say('left', $left());

$lock = $refuse();
echo "the object ends:\n";
unset($lock);
?>
--EXPECT--
release: true
the next call: ["key","READONLY","RLock\\ServerException"]
its message names: [true,false]
sent: [0,0,1]
the call after: true
left: 0
release: true
check: RLock\ServerException, READONLY
once: null
left: 0
release: true
releaseAll: RLock\ServerException, READONLY
left: 0
release: true
the object ends, and the server takes it by then:
left: 0
release: true
the object ends:
handler: [true,true]
