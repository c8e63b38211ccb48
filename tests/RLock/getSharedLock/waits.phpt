--TEST--
A wait for a share: signal handlers and strategies run and may use the object; what ends it leaves neither share nor place in the queue
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

pcntl_async_signals(true);
$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
$lock = new RLock($server->url());
$signaller = Child::start('
    while (true) {
        $blocked = $parent->hear();
        (new RawClient("unix://" . $args["socket"]))->awaitBlocked($blocked);
        send_signal($args["pid"], SIGUSR1);
    }
', ['pid' => getmypid(), 'socket' => $server->socket]);

foreach (['behind an exclusive lock' => 'getLock', 'above the limit' => 'getSharedLock'] as $how => $method) {
    echo "$how:\n";
    ignore($holder->$method('key', ttl: 300.0));
    $handled = false;
    pcntl_signal(SIGUSR1, function () use ($lock, &$handled) { $handled = say('handler', [$lock->getLock('other'), $lock->releaseLock('other')]) === null; });
    $signaller->say(1);
    for ($tries = 20; $tries > 0 && !$handled; $tries--) { // a busy machine may send it too late for the first wait
        $result = $lock->getSharedLock('key', wait: 1.0, limit: 1);
    }
    say('used up', $result);
    pcntl_signal(SIGUSR1, fn () => throw new DomainException('enough'));
    $signaller->say(1);
    say('thrown', [outcome(fn () => $lock->getSharedLock('key', wait: 60.0, limit: 1)), $lock->lease('key')]);
    await('nobody parked', fn () => $client->info('blocked_clients') === 0);
    $holder->releaseLock('key');
    say('free again', [$holder->getLock('key'), $holder->releaseLock('key')]);
}

$client('SET', 'lock@taken within', 'foreign');
pcntl_signal(SIGUSR1, function () use ($lock, $client) {
    $client('DEL', 'lock@taken within');
    ignore($lock->getSharedLock('taken within', metadata: 'inner', limit: 1));
});
$signaller->say(1);
say('taken within', $lock->getSharedLock('taken within', wait: 60.0, limit: 1));
say('levels', [$lock->lease('taken within')->depth, $lock->lease('taken within')->shared, $lock->lease('taken within')->metadata]);
$lock->releaseAll();

/* A waiter that is killed does not stop those behind it. */
ignore($holder->getSharedLock('key', ttl: 300.0));
$waiter = fn (string $method) => Child::start('
    $lock = new RLock($args["url"]);
    $parent->say([$lock->{$args["method"]}("key", wait: 60.0), $lock->lease("key")?->shared]);
    $parent->hear();
', ['url' => $server->url(), 'method' => $method]);
$first = $waiter('getLock');
$client->awaitBlocked(1);
$second = $waiter('getSharedLock');
$client->awaitBlocked(2);
$first->kill();
say('the one behind it', $second->hear());
$second->kill();

/* A strategy. */
final class Strategy implements RLock\RetryStrategy
{
    public int $attempts = 0;

    public function nextBackoff(int $attempt): ?float
    {
        $this->attempts = $attempt;
        return $attempt > 3 ? null : 0.05;
    }
}
ignore($holder->breakLock('key'));
outcome(fn () => $holder->releaseLock('key'));
ignore($holder->getLock('key', ttl: 300.0));
$lock = new RLock($server->url(), retry: $strategy = new Strategy());
say('its strategy ends it', [$lock->getSharedLock('key', wait: INF), $strategy->attempts]);
$lock = new RLock($server->url(), retry: RLock\Retry::none());
say('no retry', $lock->getSharedLock('key', wait: INF));

/* A wait that can never end. */
$lock = new RLock($server->url(), autoRenew: true);
ignore($lock->getLock('renewed'));
say('for ever', outcome(fn () => (new RLock($server->url()))->getSharedLock('renewed', wait: 60.0)));
ignore($lock->getSharedLock('renewed share'));
say('for ever, exclusively', outcome(fn () => (new RLock($server->url()))->getLock('renewed share', wait: 60.0)));
say('a share beside it', outcome(fn () => (new RLock($server->url()))->getSharedLock('renewed share', wait: 60.0)));
?>
--EXPECT--
behind an exclusive lock:
handler: [true,true]
used up: false
thrown: ["DomainException",null]
free again: [true,true]
above the limit:
handler: [true,true]
used up: false
thrown: ["DomainException",null]
free again: [true,true]
taken within: true
levels: [2,true,"inner"]
the one behind it: [true,true]
its strategy ends it: [false,4]
no retry: false
for ever: RLock\RLockException
for ever, exclusively: RLock\RLockException
a share beside it: true
