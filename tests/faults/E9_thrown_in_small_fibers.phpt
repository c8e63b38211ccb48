--TEST--
E9: what a signal handler, strategy or closure throws in a wait of a fiber with a stack of 64 KB ends that call, and leaves nothing behind
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../server.inc';

pcntl_async_signals(true);
/* Of which PHP since 8.3 lets nobody use more than 16 KB; that is too little for what the JIT makes of the handlers. */
ini_set('fiber.stack_size', getenv('RLOCK_TEST_JIT') === 'yes' && PHP_VERSION_ID >= 80300 ? '128K' : '64K');
$servers = [TestServer::start(), TestServer::start(), TestServer::start()];
$clients = array_map(fn ($server) => $server->client(), $servers);
$urls = array_map(fn ($server) => $server->url(), $servers);

/*
 * Every 5 ms. What comes outside of a wait means nothing; nor do those that came while the handler ran, which a PHP since
 * 8.4 handles at once, over the exception that it has just thrown: a handler that is slower than its signal would never
 * end, and its exceptions be a chain that no small stack can free.
 */
$nothing = fn () => null;
pcntl_signal(SIGUSR1, $nothing);
$storm = start_storm(5000);
$in_wait = function (callable $handler): callable {
    $ended = 0;
    return function () use ($handler, &$ended) {
        if (in_array('RLock', array_column(debug_backtrace(), 'class'), true) && hrtime(true) - $ended > 2_000_000) {
            try {
                $handler();
            } finally {
                $ended = hrtime(true);
            }
        }
    };
};

final class Throws implements RLock\RetryStrategy
{
    public function nextBackoff(int $attempt): ?float
    {
        return $attempt < 3 ? 0.001 : throw new DomainException('enough');
    }
}

/* Its outcome; the fiber and all that it had are gone. */
function in_fiber(callable $call): string
{
    $fiber = new Fiber(fn () => outcome($call));
    $fiber->start();
    return $fiber->getReturn();
}

$left = function () use ($clients): array {
    $left = fn () => array_merge(...array_map(fn ($client) => preg_grep('/^rlock:|^lock@busy$/', $client('KEYS', '*'), PREG_GREP_INVERT), $clients));
    await('nobody parked', fn () => $clients[0]->info('blocked_clients') === 0);
    await('nothing left', fn () => $left() === []);
    return $left();
};
$calls = [
    'getLock' => fn (RLock $lock) => $lock->getLock('busy', wait: 20.0, ttl: 300.0),
    'getLocks' => fn (RLock $lock) => $lock->getLocks(['another', 'busy', 'third'], wait: 20.0, ttl: 300.0),
    'synchronized' => fn (RLock $lock) => $lock->synchronized('busy', fn () => 'ran', wait: 20.0, ttl: 300.0),
    'in synchronized' => fn (RLock $lock) => $lock->synchronized('free', fn () => $lock->getLock('busy', wait: 20.0, ttl: 300.0), ttl: 300.0),
];
foreach (['one server' => $urls[0], 'a majority' => $urls] as $name => $url) {
    $holder = new RLock($url);
    ignore($holder->getLock('busy', ttl: 300.0));
    say($name, $holder->isLocking('busy'));
    foreach ($calls as $method => $call) {
        $lock = new RLock($url);
        $handlers = [
            'throws' => fn () => throw new DomainException('enough'),
            'destroys and throws' => function () use (&$lock) { $lock = null; throw new DomainException('enough'); },
            'closes and throws' => function () use (&$lock) { $lock->close(); throw new DomainException('enough'); },
            'waits and throws' => function () use (&$lock) { ignore($lock->getLocks(['more', 'busy'], wait: 0.05, ttl: 300.0)); throw new DomainException('enough'); },
        ];
        foreach ($handlers as $does => $handler) {
            pcntl_signal(SIGUSR1, $nothing);
            $lock = new RLock($url);
            pcntl_signal(SIGUSR1, $in_wait($handler));
            say("$method, a handler $does", [in_fiber(fn () => $call($lock)), $left()]);
            $lock = null;
        }
        pcntl_signal(SIGUSR1, $nothing);
        say("$method, a strategy throws", [in_fiber(fn () => $call(new RLock($url, retry: new Throws()))), $left()]);
    }
    say('closure throws', in_fiber(fn () => (new RLock($url))->synchronized('free', fn () => throw new DomainException('enough'), ttl: 300.0)));
    say('the holder', [$left(), $holder->releaseLock('busy')]);
}
end_storm($storm);
?>
--EXPECT--
one server: true
getLock, a handler throws: ["DomainException",[]]
getLock, a handler destroys and throws: ["DomainException",[]]
getLock, a handler closes and throws: ["DomainException",[]]
getLock, a handler waits and throws: ["DomainException",[]]
getLock, a strategy throws: ["DomainException",[]]
getLocks, a handler throws: ["DomainException",[]]
getLocks, a handler destroys and throws: ["DomainException",[]]
getLocks, a handler closes and throws: ["DomainException",[]]
getLocks, a handler waits and throws: ["DomainException",[]]
getLocks, a strategy throws: ["DomainException",[]]
synchronized, a handler throws: ["DomainException",[]]
synchronized, a handler destroys and throws: ["DomainException",[]]
synchronized, a handler closes and throws: ["DomainException",[]]
synchronized, a handler waits and throws: ["DomainException",[]]
synchronized, a strategy throws: ["DomainException",[]]
in synchronized, a handler throws: ["DomainException",[]]
in synchronized, a handler destroys and throws: ["DomainException",[]]
in synchronized, a handler closes and throws: ["DomainException",[]]
in synchronized, a handler waits and throws: ["DomainException",[]]
in synchronized, a strategy throws: ["DomainException",[]]
closure throws: DomainException
the holder: [[],true]
a majority: true
getLock, a handler throws: ["DomainException",[]]
getLock, a handler destroys and throws: ["DomainException",[]]
getLock, a handler closes and throws: ["DomainException",[]]
getLock, a handler waits and throws: ["DomainException",[]]
getLock, a strategy throws: ["DomainException",[]]
getLocks, a handler throws: ["DomainException",[]]
getLocks, a handler destroys and throws: ["DomainException",[]]
getLocks, a handler closes and throws: ["DomainException",[]]
getLocks, a handler waits and throws: ["DomainException",[]]
getLocks, a strategy throws: ["DomainException",[]]
synchronized, a handler throws: ["DomainException",[]]
synchronized, a handler destroys and throws: ["DomainException",[]]
synchronized, a handler closes and throws: ["DomainException",[]]
synchronized, a handler waits and throws: ["DomainException",[]]
synchronized, a strategy throws: ["DomainException",[]]
in synchronized, a handler throws: ["DomainException",[]]
in synchronized, a handler destroys and throws: ["DomainException",[]]
in synchronized, a handler closes and throws: ["DomainException",[]]
in synchronized, a handler waits and throws: ["DomainException",[]]
in synchronized, a strategy throws: ["DomainException",[]]
closure throws: DomainException
the holder: [[],true]
