--TEST--
A key that is taken for the same object while it waits is re-entered: by its strategy, a signal handler, or beside its fiber
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

final class Strategy implements RLock\RetryStrategy
{
    public ?Closure $step = null;

    public function nextBackoff(int $attempt): ?float
    {
        ($this->step)();
        return 0.01;
    }
}

$server = TestServer::start();
$client = $server->client();
$strategy = new Strategy();
$lock = new RLock($server->url(), retry: $strategy);

$client('SET', 'lock@a', 'foreign');
$strategy->step = function () use ($client, $lock, $strategy) {
    $strategy->step = fn () => null;
    $client('DEL', 'lock@a');
    ignore($lock->getLock('a', ttl: 20.0, metadata: 'inner'));
};
say('strategy', $lock->getLock('a', wait: INF, ttl: 60.0, metadata: 'outer'));
say('depth', $lock->lease('a')->depth);
say('the longer lease', $lock->ttl('a') > 50.0);
say('metadata', $lock->lease('a')->metadata);
say('acquired, busy', [$lock->stats()['acquired'], $lock->stats()['busy']]);
say('releases', [$lock->releaseLock('a'), $lock->releaseLock('a'), $lock->releaseLock('a')]);

$client('SET', 'lock@b', 'foreign');
$strategy->step = fn () => Fiber::getCurrent() && Fiber::suspend();
$fiber = new Fiber(fn () => $lock->getLock('b', wait: 60.0));
$fiber->start();
$client('DEL', 'lock@b');
say('beside a fiber', $lock->getLock('b'));
$fiber->resume();
say('the fiber is done', [$fiber->isTerminated(), $fiber->getReturn(), $lock->lease('b')->depth]);
$lock->releaseAll();

pcntl_async_signals(true);
$lock = new RLock($server->url());
$client('SET', 'lock@c', 'foreign');
$child = Child::start('
    (new RawClient("unix://" . $args["socket"]))->awaitBlocked(1);
    send_signal($args["pid"], SIGUSR1);
', ['pid' => getmypid(), 'socket' => $server->socket]);
pcntl_signal(SIGUSR1, function () use ($client, $lock) {
    $client('DEL', 'lock@c');
    ignore($lock->getLock('c'));
});
say('signal handler', $lock->getLock('c', wait: INF));
say('depth', $lock->lease('c')->depth);
await('nobody parked', fn () => $client->info('blocked_clients') === 0);
?>
--EXPECT--
strategy: true
depth: 2
the longer lease: true
metadata: inner
acquired, busy: [2,0]
releases: [true,true,false]
beside a fiber: true
the fiber is done: [true,true,2]
signal handler: true
depth: 2
