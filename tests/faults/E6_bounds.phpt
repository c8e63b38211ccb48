--TEST--
E6: a key of 100 MB, thousands of waits within each other, a fiber with a stack of 64 KB, a strategy that never pauses
--FILE--
<?php
require __DIR__ . '/../server.inc';

/* Nobody listens there, and nobody is asked. */
$lock = new RLock('redis://127.0.0.1:1');
$mebibyte = 1 << 20;
$long = str_repeat('k', 100_000_000);
$before = memory_get_usage();
$calls = [
    fn () => $lock->getLock($long), fn () => $lock->releaseLock($long), fn () => $lock->prolongate($long),
    fn () => $lock->getLocks(['short', $long]), fn () => $lock->synchronized($long, fn () => 0),
    fn () => $lock->isLocking($long), fn () => $lock->ttl($long), fn () => $lock->check($long), fn () => $lock->lease($long),
    fn () => $lock->holder($long), fn () => $lock->handOver($long), fn () => $lock->adopt($long, 'token'), fn () => $lock->breakLock($long),
    fn () => new RLock(prefix: $long),
    function () use ($long) { ini_set('rlock.prefix', $long); try { new RLock(); } finally { ini_restore('rlock.prefix'); } },
];
foreach ($calls as $call) {
    try {
        say('no refusal', $call());
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
    }
}
say('requests', $lock->stats()['requests']);
unset($long, $call, $calls, $e);

/* The longest there is. */
$server = TestServer::start();
$lock = new RLock($server->url('timeout=10'), prefix: str_repeat('p', $mebibyte)); // a busy machine takes its time for it
$longest = str_repeat('k', $mebibyte);
say('the longest', [$lock->getLock($longest), $lock->releaseLock($longest)]);
say('one more byte', outcome(fn () => $lock->getLock("{$longest}k")));

/* Each wait asks a strategy that waits, by the same object or by others. */
final class Nests implements RLock\RetryStrategy
{
    public int $depth = 0;
    public ?RLockException $refusal = null;
    public ?RLock $lock = null;

    public function __construct(private string $url, private bool $anew)
    {
    }

    public function nextBackoff(int $attempt): ?float
    {
        $this->depth++;
        $lock = $this->anew ? new RLock($this->url, retry: $this) : $this->lock;
        ignore($lock->getLock("busy$this->depth", wait: INF));
        return null;
    }
}
$holder = new RLock($server->url());
ignore($holder->getLocks(array_map(fn ($i) => "busy$i", range(0, 200)), ttl: 300.0));
foreach ([false, true] as $anew) {
    $strategy = new Nests($server->url(), $anew);
    $strategy->lock = new RLock($server->url(), retry: $strategy);
    try {
        ignore($strategy->lock->getLock('busy0', wait: INF));
    } catch (RLock\RLockException $e) {
        say('refused', [$strategy->depth, $e->getMessage()]);
    }
    say('afterwards', [$holder->isLocking('busy0'), $strategy->lock->getLock('free'), $server->client()->info('blocked_clients')]);
    $strategy->lock->close();
    $strategy->lock = null;
}

/* Waits side by side are none within each other. */
$strategy = new class implements RLock\RetryStrategy {
    public function nextBackoff(int $attempt): ?float
    {
        Fiber::suspend();
        return null;
    }
};
$fibers = [];
for ($i = 0; $i < 150; $i++) {
    $fiber = new Fiber(function () use ($server, $strategy) {
        return [(new RLock($server->url(), retry: $strategy))->getLock('busy0', wait: 20.0)];
    });
    $fiber->start();
    $fibers[] = $fiber;
}
array_map(fn ($fiber) => $fiber->resume(), $fibers);
say('side by side', array_unique(array_map(fn ($fiber) => $fiber->getReturn(), $fibers), SORT_REGULAR));

/* As small as a stack can be. */
ini_set('fiber.stack_size', '64K');
$nodes = [TestServer::start(), TestServer::start(), TestServer::start()];
$fiber = new Fiber(function () use ($server, $nodes) {
    $keys = array_map(fn ($i) => "key$i", range(1, 300));
    $lock = new RLock($server->url());
    $results = [$lock->getLocks($keys), $lock->getLock('busy0', wait: 0.02), $lock->getLock('key'), $lock->holder('key') !== null,
        $lock->releaseLock('key'), $lock->releaseAll()];
    $more = new RLock(array_map(fn ($node) => $node->url(), $nodes));
    array_push($results, $more->getLocks($keys), $more->holder('key1') !== null, $more->releaseAll());
    return $results;
});
$fiber->start();
say('a small stack', $fiber->getReturn());
ini_restore('fiber.stack_size');

foreach (['linear' => RLock\Retry::linear(0.0), 'exponential' => RLock\Retry::exponential(0.0, 0.0),
    'of our own' => new class implements RLock\RetryStrategy { public function nextBackoff(int $attempt): ?float { return 0.0; } }] as $name => $retry) {
    $requests = await('a wait that is not over after the first request', function () use ($server, $retry) {
        $lock = new RLock($server->url(), retry: $retry);
        ignore($lock->getLock('busy0', wait: 0.1));
        return $lock->stats()['requests'] > 1 ? $lock->stats()['requests'] : null;
    });
    say($name, $requests > 1 && $requests < 150 ? 'in measure' : $requests);
}
?>
--EXPECT--
RLock::getLock(): Argument #1 ($key) must be at most 1 MiB
RLock::releaseLock(): Argument #1 ($key) must be at most 1 MiB
RLock::prolongate(): Argument #1 ($key) must be at most 1 MiB
RLock::getLocks(): Argument #1 ($keys) cannot contain a key longer than 1 MiB
RLock::synchronized(): Argument #1 ($key) must be at most 1 MiB
RLock::isLocking(): Argument #1 ($key) must be at most 1 MiB
RLock::ttl(): Argument #1 ($key) must be at most 1 MiB
RLock::check(): Argument #1 ($key) must be at most 1 MiB
RLock::lease(): Argument #1 ($key) must be at most 1 MiB
RLock::holder(): Argument #1 ($key) must be at most 1 MiB
RLock::handOver(): Argument #1 ($key) must be at most 1 MiB
RLock::adopt(): Argument #1 ($key) must be at most 1 MiB
RLock::breakLock(): Argument #1 ($key) must be at most 1 MiB
RLock::__construct(): Argument #2 ($prefix) must be at most 1 MiB
The ini setting rlock.prefix must be at most 1 MiB
requests: 0
the longest: [true,true]
one more byte: ValueError
refused: [100,"100 calls of RLock wait within each other, each in a signal handler or retry strategy of the one before; that is the most there can be"]
afterwards: [true,true,0]
refused: [100,"100 calls of RLock wait within each other, each in a signal handler or retry strategy of the one before; that is the most there can be"]
afterwards: [true,true,0]
side by side: [[false]]
a small stack: [true,false,true,true,true,true,true,true,true]
linear: in measure
exponential: in measure
of our own: in measure
