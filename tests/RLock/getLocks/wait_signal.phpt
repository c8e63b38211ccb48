--TEST--
A signal handler that throws ends the wait of getLocks() and leaves nothing behind; one that uses the object does no harm
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

pcntl_async_signals(true);
$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('m', ttl: 60.0));
$lock = new RLock($server->url());
ignore($lock->getLock('b', ttl: 60.0));
$signaller = Child::start('
    $redis = new RawClient("unix://" . $args["socket"]);
    while (true) {
        $parent->hear();
        $redis->awaitBlocked(1);
        send_signal($args["pid"], SIGUSR1);
        $parent->say("sent");
    }
', ['pid' => getmypid(), 'socket' => $server->socket]);
$in_wait = function (string $name, callable $handler, float $wait) use ($signaller, $client, &$lock) {
    $handled = false;
    pcntl_signal(SIGUSR1, function () use ($handler, &$handled) { $handled = true; $handler(); });
    $signaller->say('go');
    for ($tries = 20; $tries > 0 && !$handled; $tries--) { // a busy machine may send it too late for the first wait
        $outcome = outcome(fn () => $lock->getLocks(['a', 'b', 'm'], wait: $wait, ttl: 5.0));
    }
    say($name, $outcome);
    $signaller->hear();
    await('nobody parked', fn () => $client->info('blocked_clients') === 0);
    $keys = $client('KEYS', 'lock@*');
    sort($keys);
    say('left', [$keys, $lock?->lease('b')?->depth]);
};
$in_wait('throws', function () { throw new DomainException('enough'); }, 20.0);
$in_wait('takes another', function () use ($lock) { ignore($lock->getLock('z', ttl: 60.0)); }, 1.0);
$in_wait('releases one of them', function () use ($lock) { $lock->releaseLock('a'); }, 1.5);
$in_wait('takes them too', function () use ($lock) { ignore($lock->getLocks(['a', 'b'], wait: 0.1)); }, 1.0);
say('its own levels stay', [$lock->lease('a')->depth, $lock->releaseLock('a'), $lock->releaseLock('b')]);
$in_wait('releases all', function () use ($lock) { $lock->releaseAll(); }, 0.9);
ignore($lock->getLock('b', ttl: 60.0));
$in_wait('waits for them all', function () use ($holder, $lock) { $holder->releaseLock('m'); say('nested', $lock->getLocks(['a', 'm'], wait: 5.0)); $lock->releaseLock('m'); }, 5.0);
say('depths', array_map(fn ($key) => $lock->lease($key)?->depth, ['a', 'b', 'm']));
$lock->releaseAll();
ignore($holder->getLock('m', ttl: 60.0, wait: 20.0));
$lock = new RLock($server->url());
pcntl_signal(SIGUSR1, function () use (&$lock) { $lock->close(); });
$signaller->say('go');
say('closes', outcome(fn () => $lock->getLocks(['a', 'm'], wait: 5.0)));
$signaller->hear();
$lock = new RLock($server->url());
pcntl_signal(SIGUSR1, function () use (&$lock) { $lock = null; });
$signaller->say('go');
while ($lock) {
    $outcome = outcome(fn () => $lock->getLocks(['a', 'm'], wait: 0.5));
}
say('destroys', $outcome);
$signaller->hear();
say('left', $client('KEYS', 'lock@*'));
?>
--EXPECT--
throws: DomainException
left: [["lock@b","lock@m"],1]
takes another: false
left: [["lock@b","lock@m","lock@z"],1]
releases one of them: false
left: [["lock@b","lock@m","lock@z"],1]
takes them too: false
left: [["lock@a","lock@b","lock@m","lock@z"],2]
its own levels stay: [1,true,true]
releases all: false
left: [["lock@m"],null]
nested: true
waits for them all: true
left: [["lock@a","lock@b","lock@m"],2]
depths: [2,2,1]
closes: RLock\RLockException
destroys: false
left: ["lock@m"]
