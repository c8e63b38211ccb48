--TEST--
A strategy that throws, returns nonsense, uses the object, ends it, forks or dies ends the wait and leaves no lock behind
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../../server.inc';

$server = TestServer::start();
$client = $server->client();
$holder = new RLock($server->url());
ignore($holder->getLock('key', ttl: 60.0));

final class Does implements RLock\RetryStrategy
{
    public function __construct(private Closure $what)
    {
    }

    public function nextBackoff(int $attempt): ?float
    {
        return ($this->what)($attempt);
    }
}

$lock = null;
$run = function (string $name, callable $what, string $method = 'getLock', float $wait = 20.0) use (&$lock, $server, $client) {
    $lock = new RLock($server->url(), retry: new Does($what(...)));
    say($name, outcome(fn () => match ($method) {
        'getLock' => $lock->getLock('key', wait: $wait, ttl: 60.0),
        'getLocks' => $lock->getLocks(['another', 'key'], wait: $wait, ttl: 60.0),
        'synchronized' => $lock->synchronized('key', fn () => 'ran', wait: $wait, ttl: 60.0),
    }));
    await('nobody parked', fn () => $client->info('blocked_clients') === 0);
    if (($left = $client('EXISTS', 'lock@another')) || ($lock?->stats()['requests'] ?? 1) === 0) {
        say('left', $left);
    }
};
foreach (['getLock', 'getLocks', 'synchronized'] as $method) {
    $run("throws, $method", fn () => throw new DomainException('enough'), $method);
}
$run('throws later', fn ($attempt) => $attempt < 3 ? 0.01 : throw new DomainException('enough'));
$run('NAN', fn () => NAN);
$run('negative', fn () => -0.001);
$run('-INF', fn () => -INF);
try {
    ignore($lock->getLock('key', wait: 20.0));
} catch (ValueError $e) {
    say('says', $e->getMessage());
}
$run('an int', fn ($attempt) => $attempt < 3 ? 0 : null);
$run('text', fn () => 'soon');
$run('an array', fn () => []);
$lock = new RLock($server->url(), retry: new class implements RLock\RetryStrategy {
    private ?float $next = 0.01;
    public function &nextBackoff(int $attempt): ?float
    {
        $this->next = $attempt < 3 ? 0.01 : null;
        return $this->next;
    }
});
say('a reference', outcome(fn () => $lock->getLock('key', wait: 20.0)));
$run('takes and releases', function ($attempt) use (&$lock) {
    return $lock->getLock('other') && $lock->getLock('other') && $lock->releaseLock('other') && $lock->releaseLock('other')
        && $attempt < 3 ? 0.01 : null;
});
$run('waits too', function ($attempt) use (&$lock) {
    static $depth = 0;
    if ($depth < 3) {
        $depth++;
        ignore($lock->getLock('key', wait: 0.05));
        $depth--;
    }
    return $attempt < 2 ? 0.01 : null;
});
$run('frees what is waited for', fn () => $holder->releaseLock('key') ? 0.0 : null);
say('release', [$lock->releaseLock('key'), $holder->getLock('key', wait: 20.0, ttl: 60.0)]);
$run('takes what is waited for', function () use ($holder, &$lock, $client) {
    static $first = true;
    if ($first) {
        $first = false;
        $holder->releaseLock('key');
        say('inside', $lock->getLock('key', ttl: 60.0));
    }
    return 0.0;
});
say('held twice', [$lock->lease('key')?->depth, $lock->releaseLock('key'), $lock->releaseLock('key'), $holder->getLock('key', wait: 20.0, ttl: 60.0)]);
$run('destroys', function () use (&$lock) { $lock = null; return 0.01; }, wait: 1.2);
$lock = new RLock($server->url(), retry: new Does(function () use (&$lock) { $lock->close(); return 0.01; }));
say('closes', outcome(fn () => $lock->getLock('key', wait: 5.0)));
$me = getmypid();
$lock = new RLock($server->url(), retry: new Does(function ($attempt) use (&$child) { $attempt === 1 && $child = pcntl_fork(); return $attempt < 30 ? 0.01 : null; }));
foreach (['getLock', 'getLocks', 'synchronized'] as $method) {
    $child = getmypid(); // none yet: not to be waited for
    $result = outcome(fn () => match ($method) {
        'getLock' => $lock->getLock('key', wait: 20.0),
        'getLocks' => $lock->getLocks(['another', 'key'], wait: 20.0),
        'synchronized' => $lock->synchronized('key', fn () => 'ran', wait: 20.0),
    });
    if (getmypid() !== $me) {
        send_signal(getmypid(), $result === 'RLock\RLockException' ? SIGKILL : SIGTERM);
    }
    pcntl_waitpid($child, $status);
    say("forks, $method", [$result, pcntl_wtermsig($status) === SIGKILL]);
}

echo "it dies, exits, or is a generator of errors:\n";
foreach (['trigger_error("dead", E_USER_ERROR);', 'exit(7);', 'str_repeat("x", PHP_INT_MAX >> 1);', 'undefined();'] as $code) {
    $child = Child::start('
        final class Dies implements RLock\RetryStrategy
        {
            public function nextBackoff(int $attempt): ?float { ' . $code . ' return 0.0; }
        }
        $lock = new RLock($args["url"], retry: new Dies());
        ignore($lock->getLock("held", ttl: 60.0));
        ignore($lock->getLock("key", wait: 5.0, ttl: 60.0));
        echo "went on";
    ', ['url' => $server->url()]);
    say('ended', [$child->wait(), str_contains($child->output(), 'went on'), $client('EXISTS', 'lock@held')]);
}
say("the holder's is unharmed", $holder->releaseLock('key'));
?>
--EXPECT--
throws, getLock: DomainException
throws, getLocks: DomainException
throws, synchronized: DomainException
throws later: DomainException
NAN: ValueError
negative: ValueError
-INF: ValueError
says: Does::nextBackoff() must return 0 or more seconds, or null, -INF returned
an int: false
text: TypeError
an array: TypeError
a reference: false
takes and releases: false
waits too: false
frees what is waited for: true
release: [true,true]
inside: true
takes what is waited for: true
held twice: [2,true,true,true]
destroys: false
closes: RLock\RLockException
forks, getLock: ["false",true]
forks, getLocks: ["false",true]
forks, synchronized: ["RLock\\NotAcquiredException",true]
it dies, exits, or is a generator of errors:
ended: [255,false,0]
ended: [7,false,0]
ended: [255,false,0]
ended: [255,false,0]
the holder's is unharmed: true
