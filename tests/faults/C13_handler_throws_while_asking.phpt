--TEST--
C13: a signal handler throws while a request is out to a frozen server: out at once, and what was asked for is undone once that thaws
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../majority.inc';

/* Without a signal each call would take as long as this, in seconds. */
const QUERY = 'timeout=40&connect_timeout=40';

pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function () { throw new DomainException('enough'); });
$sender = Child::start('
    while (true) {
        $parent->hear();
        usleep(50_000);
        send_signal($args["pid"], SIGUSR1);
    }
', ['pid' => getmypid()]);

/* Of what a frozen server is asked. */
function interrupted(string $name, callable $call, TestServer ...$frozen): void
{
    global $sender;

    foreach ($frozen as $server) {
        $server->freeze();
    }
    $sender->say('go');
    $took = seconds(function () use ($call, &$outcome) { $outcome = outcome($call); });
    foreach ($frozen as $server) {
        $server->thaw();
    }
    say($name, $outcome);
    say_took('out', $took, 0.0, 0.2);
}

/* Without another call of whoever was interrupted. */
function await_free(TestServer $server, string ...$names): void
{
    $client = $server->client();
    await('free', fn () => $client('EXISTS', ...array_map(lock_key(...), $names)) === 0, 1.0 + LATE);
}

$server = TestServer::start();
$lock = new RLock($server->url(QUERY), ttl: 300.0);
interrupted('getLock, connecting', fn () => $lock->getLock('key'), $server);
await_free($server, 'key');
ignore($lock->getLock('warm'));
$lock->releaseLock('warm');
$calls = [
    'getLock' => fn () => $lock->getLock('key'),
    'getLock, waiting' => fn () => $lock->getLock('key', wait: 60.0),
    'getSharedLock' => fn () => $lock->getSharedLock('key'),
    'getLocks' => fn () => $lock->getLocks(['key', 'other']),
    'synchronized' => fn () => $lock->synchronized('key', fn () => true),
    'of a name' => fn () => $lock->detached('key', 'name')->getLock(),
    'waitUntilFree' => fn () => $lock->waitUntilFree('key'),
    'holder' => fn () => $lock->holder('key'),
    'holders' => fn () => $lock->holders(),
];
foreach ($calls as $name => $call) {
    interrupted($name, $call, $server);
    await_free($server, 'key', 'other');
}

/* What is held. */
$calls = [
    'releaseLock' => fn () => $lock->releaseLock('key'),
    'releaseAll' => fn () => $lock->releaseAll(),
    'downgrade' => fn () => $lock->downgrade('key'),
    'handOver' => fn () => $lock->handOver('key'),
];
foreach ($calls as $name => $call) {
    ignore($lock->getLock('key'));
    interrupted($name, $call, $server);
    await_free($server, 'key');
    say('not held', $lock->lease('key'));
}
$closing = new RLock($server->url(QUERY), ttl: 300.0);
ignore($closing->getLock('key'));
interrupted('close', fn () => $closing->close(), $server);
await_free($server, 'key');
say('closed', outcome(fn () => $closing->lease('key')));
$previous = null;
$thrower = function (callable $throws) use ($lock, $server, &$previous) {
    try {
        $lock->synchronized('key', function () use ($throws, $server) {
            $server->freeze();
            $throws();
        });
    } catch (DomainException $e) {
        $previous = $e->getPrevious();
        throw $e;
    }
};
interrupted('synchronized, whose closure has thrown', fn () => $thrower(fn () => throw new LogicException('work')));
$server->thaw();
await_free($server, 'key');
say('not held', $lock->lease('key'));
say('what the closure has thrown', $previous::class);
ignore($lock->getSharedLock('key'));
interrupted('getLock of a share', fn () => $lock->getLock('key'), $server);
await_free($server, 'key');
say('not held', $lock->lease('key'));
$calls = [
    'prolongate' => fn () => $lock->prolongate('key', 400.0),
    'prolongate, shorter' => fn () => $lock->prolongate('key', 100.0),
    'isLocking' => fn () => $lock->isLocking('key'),
    'getLock again' => fn () => $lock->getLock('key'),
];
foreach ($calls as $name => $call) {
    ignore($lock->getLock('key'));
    interrupted($name, $call, $server);
    say('held', [$lock->lease('key')->depth, $lock->isLocking('key'), $lock->releaseLock('key')]);
    await_free($server, 'key');
}

/* It was granted, and waits for a replica that is not there. */
$lock = new RLock($server->url(QUERY), ttl: 300.0, replicas: 1);
interrupted('getLock, with replicas', fn () => $lock->getLock('key'));
await_free($server, 'key');

$majority = new Majority(3);
[$first, $second, $third] = $majority->servers;
$lock = $majority->lock(QUERY, ttl: 300.0);
interrupted('getLock, on a majority', fn () => $lock->getLock('key'), $first, $second);
$majority->awaitHolding(0, 'key');
ignore($lock->getLock('key'));
interrupted('releaseLock, on a majority', fn () => $lock->releaseLock('key'), $first, $second);
$majority->awaitHolding(0, 'key');
ignore($lock->getLock('key'));
interrupted('prolongate, on a majority', fn () => $lock->prolongate('key'), $second, $third);
say('held', [$lock->isLocking('key'), $lock->releaseLock('key')]);
?>
--EXPECT--
getLock, connecting: DomainException
out: in time
getLock: DomainException
out: in time
getLock, waiting: DomainException
out: in time
getSharedLock: DomainException
out: in time
getLocks: DomainException
out: in time
synchronized: DomainException
out: in time
of a name: DomainException
out: in time
waitUntilFree: DomainException
out: in time
holder: DomainException
out: in time
holders: DomainException
out: in time
releaseLock: DomainException
out: in time
not held: null
releaseAll: DomainException
out: in time
not held: null
downgrade: DomainException
out: in time
not held: null
handOver: DomainException
out: in time
not held: null
close: DomainException
out: in time
closed: RLock\RLockException
synchronized, whose closure has thrown: DomainException
out: in time
not held: null
what the closure has thrown: LogicException
getLock of a share: DomainException
out: in time
not held: null
prolongate: DomainException
out: in time
held: [1,true,true]
prolongate, shorter: DomainException
out: in time
held: [1,true,true]
isLocking: DomainException
out: in time
held: [1,true,true]
getLock again: DomainException
out: in time
held: [1,true,true]
getLock, with replicas: DomainException
out: in time
getLock, on a majority: DomainException
out: in time
releaseLock, on a majority: DomainException
out: in time
prolongate, on a majority: DomainException
out: in time
held: [true,true]
