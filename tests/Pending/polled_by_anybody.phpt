--TEST--
Pending: whoever polls it, fibers in turn, destructors, the collector; a strategy that suspends its fiber
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$other = new RLock($server->url(), ttl: 60.0);
$lock = new RLock($server->url(), ttl: 60.0);

/* Begun in a fiber that is gone, and polled by two others in turn, a destructor, the collector's, and a generator. */
ignore($other->getLock('key'));
$pending = null;
(new Fiber(function () use ($lock, &$pending) { $pending = $lock->requestLock('key'); }))->start();
gc_collect_cycles();
final class Polls
{
    public ?self $self = null;

    public function __destruct()
    {
        global $pending, $answers;
        $answers[] = $pending->poll();
    }
}
$answers = [];
$polling = fn () => new Fiber(function () use ($pending, &$answers) {
    while (true) {
        $answers[] = $pending->poll();
        Fiber::suspend();
    }
});
$fibers = [$polling(), $polling()];
array_map(fn ($fiber) => $fiber->start(), $fibers);
for ($round = 0; !in_array(true, $answers, true) && $round < 10000; $round++) {
    array_map(fn ($fiber) => $fiber->resume(), $fibers);
    new Polls();
    $circle = new Polls();
    $circle->self = $circle;
    unset($circle);
    gc_collect_cycles();
    foreach ((function () use ($pending) { yield $pending->poll(); })() as $answers[]);
    if ($round === 50) {
        $client->awaitBlocked(1);
        array_pop($fibers);
        ignore($other->releaseLock('key'));
    }
    watch([$pending], 0.01);
}
say('by everybody', array_values(array_unique(array_map(text(...), $answers))));
say('given back', $lock->releaseLock('key'));

/* A fiber of the program goes on as before, and so does another wait beside. */
$fiber = new Fiber(fn () => Fiber::suspend(decide($lock->requestLock('key'))));
say('in a fiber', $fiber->start());
say('that goes on', [$fiber->resume(), $fiber->isTerminated(), $lock->releaseLock('key')]);

/* A strategy suspends the fiber that polls. Meanwhile others poll, and the fiber may never be resumed. */
$strategy = new class () implements RLock\RetryStrategy {
    public function nextBackoff(int $attempt): ?float
    {
        Fiber::getCurrent() && Fiber::suspend('asked');
        return 0.001;
    }
};
foreach (['resumed', 'never resumed', 'cancelled'] as $how) {
    $patient = new RLock($server->url(), retry: $strategy, ttl: 60.0);
    ignore($other->getLock('key'));
    $pending = $patient->requestLock('key');
    $fiber = new Fiber(function () use ($pending) {
        while ($pending->poll() === null) {
            watch([$pending], 1.0);
        }
    });
    say("$how, suspends", $fiber->start());
    say('meanwhile', $pending->poll());
    if ($how === 'cancelled') {
        $pending->cancel();
    }
    ignore($other->releaseLock('key'));
    while ($how !== 'never resumed' && !$fiber->isTerminated()) {
        $fiber->resume();
    }
    unset($fiber);
    gc_collect_cycles();
    say('then', [$pending->poll(), $patient->releaseAll()]);
    $pending->cancel();
    $patient->close();
    await('nobody parked', fn () => $client->info('blocked_clients') === 0);
}
?>
--EXPECT--
by everybody: ["null","true"]
given back: true
in a fiber: true
that goes on: [null,true,true]
resumed, suspends: asked
meanwhile: null
then: [true,true]
never resumed, suspends: asked
meanwhile: null
then: [false,true]
cancelled, suspends: asked
meanwhile: null
then: [false,true]
