--TEST--
A4: the handler of that warning may use, close or destroy the object, exit, or die
--FILE--
<?php
require __DIR__ . '/../server.inc';

$start = fn () => TestServer::start(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru']);
/* It has seen the server, and tells when something is taken. */
$seen = function (TestServer $server): RLock {
    $lock = new RLock($server->url());
    $lock->holder('key');
    return $lock;
};
$server = $start();
$lock = $seen($server);
set_error_handler(function ($level, $message) use (&$lock) {
    if (!str_starts_with($message, 'RLock:')) {
        return false;
    }
    say('inside', [$lock->isLocking('key'), $lock->getLock('key'), $lock->releaseLock('key'), $lock->getLock('more')]);
    return true;
});
say('uses', [$lock->getLock('key'), $lock->lease('key')->depth, $lock->isLocking('more')]);
restore_error_handler();
$server = $start();
$lock = $seen($server);
set_error_handler(function () use (&$lock) { $lock->close(); });
say('closes', outcome(fn () => $lock->getLock('key')));
say('left', $server->client()('EXISTS', 'lock@key'));
restore_error_handler();
$server = $start();
$lock = $seen($server);
set_error_handler(function () use (&$lock) { $lock = null; });
say('destroys', [$lock->getLock('key'), $lock]);
say('left', $server->client()('EXISTS', 'lock@key'));
restore_error_handler();
foreach (['exit(7);', 'str_repeat("x", PHP_INT_MAX >> 1);'] as $code) {
    $server = $start();
    $child = Child::start('
        set_error_handler(function () { ' . $code . ' });
        $lock = new RLock($args["url"]);
        ignore($lock->getLock("key", ttl: 60.0));
        ignore($lock->getLock("another", ttl: 60.0));
        echo "went on";
    ', ['url' => $server->url()]);
    say('ended', [$child->wait(), str_contains($child->output(), 'went on'), $server->client()('EXISTS', 'lock@key')]);
}
?>
--EXPECT--
inside: [false,true,true,true]
uses: [true,1,true]
closes: RLock\RLockException
left: 0
destroys: [true,null]
left: 0
ended: [7,false,0]
ended: [255,false,0]
