--TEST--
Pending: no memory for its stack is told; whatever ends a request leaves no stack
--FILE--
<?php
require __DIR__ . '/../pending.inc';

$server = TestServer::start();
$client = $server->client();
$other = new RLock($server->url(), ttl: 60.0);
$lock = new RLock($server->url(), ttl: 60.0);

/* No memory for a stack: that is said, in our words, and those that there are go on. */
$child = Child::start('
    require "' . __DIR__ . '/../pending.inc";
    $lock = new RLock($args[0], ttl: 60.0);
    $lock->releaseLock("warm", decide($lock->requestLock("warm")) ? 0.0 : 1.0);
    $parent->say((int) preg_replace("/.*VmSize:\s+(\d+).*/s", "$1", file_get_contents("/proc/self/status")));
    $parent->hear();
    $pending = [];
    try {
        while (true) {
            $pending[] = $lock->requestLock("key " . count($pending));
        }
    } catch (Throwable $e) {
        $parent->say($e::class . ": " . $e->getMessage() . ($e->getPrevious() ? " ..." : ""));
    }
    $parent->say(decide($pending[0]) && decide(end($pending)));
    unset($pending);
    $parent->say(decide($lock->requestLock("in the end")));
    $parent->say($lock->releaseAll());
', [$server->url()]);
$size = $child->hear();
shell_exec("prlimit --pid $child->pid --as=" . 1024 * ($size + 16 * 1024) . ':');
$child->say('go on');
/* Which of the two is refused first, is the system's. */
$told = strtr($child->hear(), ['Out of memory' => 'The system has no memory for the stack of this wait']);
say('no memory', [$told, $child->hear(), $child->hear(), $child->hear(), $child->wait()]);

/* Whatever ends a request leaves nothing of what it asks for, a stack least of all. */
$folder = temporary_folder();
file_put_contents("$folder/index.php", '<?php
    $maps = count(file("/proc/self/maps"));
    $lock = new RLock("' . $server->url() . '", ttl: 60.0);
    $asked = array_map(fn ($key) => $lock->requestLock($key), ["key", "key 2", "free"]);
    for ($i = 0; $i < (int) $_GET["polls"]; $i++) {
        array_map(fn ($one) => $one->poll(), $asked);
        usleep(500);
    }
    echo "maps: $maps\n";
    flush();
    match ($_GET["end"]) {
        "exit" => exit(0),
        "throw" => throw new Exception(),
        "memory" => str_repeat("a", 1 << 30),
        "time" => [set_time_limit(1), (function () { while (true); })()],
        "fiber" => (new Fiber(fn () => [$asked[0]->poll(), Fiber::suspend()]))->start(),
        "static" => (function () use ($asked) { static $kept; $kept = $asked; })(),
        "destructor" => Last::$kept = new Last($lock),
        default => null,
    };
    final class Last
    {
        public static $kept;
        private $asked;

        public function __construct(private $lock)
        {
        }

        public function __destruct()
        {
            $this->asked = [$this->lock->requestLock("key 2"), $this->lock->requestLock("key 3")];
        }
    }');
$port = free_port();
$site = new Process(['sh', '-c', 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS')
    . " -d display_errors=0 -S 127.0.0.1:$port -t " . escapeshellarg($folder)], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', "$folder/log", 'w']]);
$get = fn (string $end, int $polls) => (int) substr((string) @file_get_contents("http://127.0.0.1:$port/?end=$end&polls=$polls",
    context: stream_context_create(['http' => ['ignore_errors' => true]])), 6);
ignore($other->getLock('key') && $other->getLock('key 2'));
await('the site', fn () => $get('none', 0) > 0);
$ends = ['none', 'exit', 'throw', 'memory', 'fiber', 'static', 'destructor'];
$first = $last = 0;
for ($request = 0; $request < 112; $request++) {
    $last = $get($ends[$request % count($ends)], intdiv($request, count($ends)) % 6);
    $first = $request === 42 ? $last : $first;
}
say('time', $get('time', 3) > 0);
say('mappings', abs($last - $first) <= 4 ? 'as many' : "$first, then $last");
say('nobody waits', await('nobody', fn () => $client->info('blocked_clients') === 0));
say('free', [$lock->getLock('free'), $lock->getLock('key 3')]);
$site->stop();
?>
--EXPECT--
no memory: ["RLock\\RLockException: The system has no memory for the stack of this wait",true,true,true,0]
time: true
mappings: as many
nobody waits: true
free: [true,true]
