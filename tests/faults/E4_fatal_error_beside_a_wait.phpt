--TEST--
E4: a fatal error while a fiber waits, or a fiber that ends while it waits: no connection and no waiter is left
--FILE--
<?php
require __DIR__ . '/../server.inc';

$folder = temporary_folder();
file_put_contents("$folder/index.php", '<?php
    final class Suspends implements RLock\RetryStrategy
    {
        public function __construct(private int $from) {}
        public function nextBackoff(int $attempt): ?float
        {
            $attempt < $this->from || Fiber::suspend($attempt);
            return 0.001;
        }
    }
    /* Its second question is asked while it is parked, and so is the answer to it. */
    $suspends = function (?RLock $lock = null, int $from = 2, string $key = "key"): Fiber {
        $lock ??= new RLock($_GET["url"], retry: new Suspends($from));
        $fiber = new Fiber(fn () => $lock->getLock($key, wait: INF));
        $fiber->start();
        return $fiber;
    };
    $fatal = fn () => eval("class Incomplete implements Iterator {}");
    switch ($_GET["what"]) {
        case "in a wait":
            $fiber = $suspends();
            $fatal();
        case "before it parks":
            $fiber = $suspends(from: 1);
            $fatal();
        case "made before its lock":
            $fiber = new Fiber(function () use ($suspends, &$lock) { $lock = new RLock($_GET["url"], retry: new Suspends(2)); ignore($lock->getLock("key", wait: INF)); });
            $fiber->start();
            $fatal();
        case "several of one object, which holds another lock":
            $lock = new RLock($_GET["url"], retry: new Suspends(2));
            ignore($lock->getLock("held", ttl: 300.0));
            $fibers = [$suspends($lock), $suspends($lock), $suspends(new RLock($_GET["url"], retry: new Suspends(2)), key: "held")];
            $fatal();
        case "in a wait for several":
            $lock = new RLock($_GET["url"], retry: new Suspends(2));
            $fiber = new Fiber(fn () => $lock->getLocks(["a", "key"], wait: INF));
            $fiber->start();
            $fatal();
        case "the fiber is destroyed":
            $fiber = $suspends();
            unset($fiber);
            break;
        case "the fiber is left":
            $fiber = $suspends();
            break;
        case "exit":
            $fiber = $suspends();
            exit;
    }
');
$port = free_port();
$server = new Process(['sh', '-c', 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS')
    . " -d display_errors=0 -d log_errors=0 -S 127.0.0.1:$port -t " . escapeshellarg($folder)],
    [['file', '/dev/null', 'r'], ['file', '/dev/null', 'a'], ['file', '/dev/null', 'a']]);
await('answer of the server', fn () => @fsockopen('127.0.0.1', $port) !== false);

$redis = TestServer::start();
$client = $redis->client();
$holder = new RLock($redis->url());
$next = new RLock($redis->url());
foreach (['in a wait', 'before it parks', 'made before its lock', 'several of one object, which holds another lock', 'in a wait for several',
    'the fiber is destroyed', 'the fiber is left', 'exit'] as $what) {
    ignore($holder->getLock('key', ttl: 60.0));
    $answer = file_get_contents("http://127.0.0.1:$port/?" . http_build_query(['url' => $redis->url(), 'what' => $what]),
        context: stream_context_create(['http' => ['ignore_errors' => true]]));
    await('the request ended', fn () => $client('EXISTS', 'lock@held', 'lock@a') === 0);
    $parked = $client->info('blocked_clients');
    $holder->releaseLock('key');
    $got = seconds(fn () => $next->getLock('key', wait: 5.0));
    say($what, [$parked, $next->releaseLock('key')]);
    say_took('next', $got, 0.0, 0.5);
}
$server->signal(SIGINT);
say('ended with', $server->wait());
?>
--EXPECT--
in a wait: [0,true]
next: in time
before it parks: [0,true]
next: in time
made before its lock: [0,true]
next: in time
several of one object, which holds another lock: [0,true]
next: in time
in a wait for several: [0,true]
next: in time
the fiber is destroyed: [0,true]
next: in time
the fiber is left: [0,true]
next: in time
exit: [0,true]
next: in time
ended with: 0
