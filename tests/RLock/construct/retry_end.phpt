--TEST--
The end of a retry strategy ends the wait: n retries are n + 1 requests, and none() asks once and announces no wait
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

use RLock\Retry;

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key', ttl: 60.0));
/* How often a script was run. */
$asked = function () use ($client): int {
    preg_match_all('/^cmdstat_eval(?:sha)?:calls=(\d+)/m', $client('INFO', 'commandstats'), $match);
    return array_sum($match[1]);
};

final class Steps implements RLock\RetryStrategy
{
    public function __construct(public array $steps)
    {
    }

    public function nextBackoff(int $attempt): ?float
    {
        return $this->steps[$attempt - 1] ?? null;
    }
}

$strategies = [
    'none' => Retry::none(),
    'limit 0' => Retry::linear(0.01)->limit(0),
    'limit 1' => Retry::linear(0.01)->limit(1),
    'limit 3' => Retry::linear(0.01)->limit(3),
    'exponential, limit 4' => Retry::exponential(0.0, 0.02)->limit(4),
    'own, at once' => new Steps([]),
    'own, 2 steps' => new Steps([0.01, 0.02]),
    'own, no pause' => new Steps([0.0, 0.0, 0.0]),
];
foreach ($strategies as $name => $retry) {
    $lock = new RLock($server->url(), retry: $retry);
    $before = $asked();
    $client('DEL', waiting_key('key'));
    $took = seconds(function () use ($lock, &$got) { $got = $lock->getLock('key', wait: INF); });
    say($name, [$got, $asked() - $before, $took < 0.9 + LATE]);
    if ($name === 'none' || $name === 'limit 0') {
        say('announced', $client('EXISTS', waiting_key('key')));
    }
    unset($lock);
    await('nobody parked', fn () => $client->info('blocked_clients') === 0);
}
$lock = new RLock($server->url(), retry: Retry::linear(0.01)->limit(3));
$lock->getLock('known') && $lock->releaseLock('known');
$before = $asked();
say('wait 0 asks once', [$lock->getLock('key'), $asked() - $before]);
say_took('the wait may end first', seconds(function () use ($lock, $server) {
    $lock = new RLock($server->url(), retry: Retry::linear(0.05));
    say('busy', $lock->getLock('key', wait: 0.3));
}), 0.28, 0.9);
$before = $asked();
say('getLocks: one wait, one strategy', [$lock->getLocks(['a', 'key'], wait: INF), $client('EXISTS', 'lock@a')]);
/* a and key; a's release; key and its retries. */
say('asked', $asked() - $before);
$none = new RLock($server->url(), retry: Retry::none());
say('getLocks with none', [$none->getLocks(['a', 'key'], wait: INF), $client('EXISTS', 'lock@a')]);
say('synchronized', outcome(fn () => $lock->synchronized('key', fn () => 1, wait: INF)));

echo "a long pause is up to the wake-up:\n";
foreach (['INF' => new Steps([INF]), '10^12' => new Steps([1e12]), 'an hour' => Retry::linear(3600.0)] as $name => $retry) {
    $child = Child::start('
        (new RawClient("unix://" . $args["socket"]))->awaitBlocked(1);
        send_signal($args["pid"], SIGUSR1);
    ', ['socket' => $server->socket, 'pid' => getmypid()]);
    pcntl_async_signals(true);
    pcntl_signal(SIGUSR1, function () use ($holder) { $holder->releaseLock('key'); });
    $lock = new RLock($server->url(), retry: $retry);
    say($name, $lock->getLock('key', wait: 20.0));
    $lock->releaseLock('key');
    ignore($holder->getLock('key', wait: 5.0, ttl: 60.0));
}
?>
--EXPECT--
none: [false,1,true]
announced: 0
limit 0: [false,1,true]
announced: 0
limit 1: [false,2,true]
limit 3: [false,4,true]
exponential, limit 4: [false,5,true]
own, at once: [false,1,true]
own, 2 steps: [false,3,true]
own, no pause: [false,4,true]
wait 0 asks once: [false,1]
busy: false
the wait may end first: in time
getLocks: one wait, one strategy: [false,0]
asked: 7
getLocks with none: [false,0]
synchronized: RLock\NotAcquiredException
a long pause is up to the wake-up:
INF: true
10^12: true
an hour: true
