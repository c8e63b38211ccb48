--TEST--
Shares are given back by releaseAll(), close(), the end of the object, of the request, however it ends; by a killed process not
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$watcher = new RLock($server->url());
$beside = new RLock($server->url());
ignore($beside->getSharedLock('key', ttl: 600.0));
$count = fn () => count($watcher->sharers('key')) - 1;
function take(TestServer $server): RLock
{
    $lock = new RLock($server->url());
    ignore([$lock->getSharedLock('key', ttl: 300.0), $lock->getSharedLock('key', ttl: 300.0), $lock->getLock('other', ttl: 300.0)]);
    return $lock;
}

$lock = take($server);
say('held', $count());
say('releaseAll', [$lock->releaseAll(), $count(), $lock->lease('key'), $client('EXISTS', 'lock@other')]);
$lock->releaseAll();
$lock = take($server);
$lock->close();
say('close', [$count(), outcome(fn () => $lock->getSharedLock('key'))]);
$lock = take($server);
unset($lock);
say('unset', $count());

/* A late one is counted, or one warning. */
$lock = new RLock($server->url());
take_briefly($lock->getSharedLock(...), 'key', ttl: 0.5);
ignore($lock->getSharedLock('in time'));
await('its end', fn () => $count() === 0);
say('releaseAll, one late', [$lock->releaseAll(), $lock->stats()['timeouts'], $client('EXISTS', 'lock@in time')]);
take_briefly($lock->getSharedLock(...), 'key', ttl: 0.5);
await('its end', fn () => $count() === 0);
set_error_handler(fn (int $level, string $message) => say('warning', [$level === E_WARNING, str_contains($message, '"key"')]) ?? true);
unset($lock);
restore_error_handler();

$ends = [
    'the end of the script' => '',
    'exit' => 'exit(0);',
    'an exception' => 'throw new Exception();',
    'a fatal error' => 'ini_set("memory_limit", "8M"); str_repeat("x", 1 << 26);',
    'a shutdown function' => 'register_shutdown_function(fn () => $lock->isLocking("key") && exit(0));',
];
foreach ($ends as $what => $end) {
    $child = Child::start('
        $lock = new RLock($args["url"]);
        $parent->say($lock->getSharedLock("key", ttl: 300.0));
        $parent->hear();
        ' . $end, ['url' => $server->url()]);
    $held = [$child->hear(), $count()];
    $child->say('end');
    $child->wait();
    say($what, [...$held, $count()]);
}

$child = Child::start('
    $lock = new RLock($args["url"]);
    $parent->say($lock->getSharedLock("key", ttl: 2.0));
    $parent->hear();
', ['url' => $server->url()]);
$child->hear();
$child->kill();
say('killed', $count());
say('an exclusive lock waits for its lease', [$beside->releaseLock('key'), $watcher->getLock('key', wait: 10.0)]);
?>
--EXPECT--
held: 1
releaseAll: [true,0,null,0]
close: [0,"RLock\\RLockException"]
unset: 0
releaseAll, one late: [false,1,0]
warning: [true,true]
the end of the script: [true,1,0]
exit: [true,1,0]
an exception: [true,1,0]
a fatal error: [true,1,0]
a shutdown function: [true,1,0]
killed: 1
an exclusive lock waits for its lease: [true,true]
