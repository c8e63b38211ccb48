--TEST--
A server of many requests: renewal ends with each, whatever was left held; the thread sleeps on where it has done nothing
--FILE--
<?php
require __DIR__ . '/../server.inc';

$folder = temporary_folder();
file_put_contents("$folder/index.php", '<?php
    final class Keeps { public static ?RLock $lock = null; }
    function threads() { return count(scandir("/proc/self/task")) - 2; }
    $before = threads();
    Keeps::$lock = new RLock($_GET["url"], ttl: 2.0, autoRenew: true, interrupt: true);
    $got = Keeps::$lock->getLock($_GET["key"]);
    while ($_GET["renewed"] && Keeps::$lock->stats()["renewals"] === 0) {
        usleep(10_000);
    }
    echo json_encode([$before, threads()]);
    flush();
    switch ($_GET["end"]) {
        case "exit": exit;
        case "exception": throw new DomainException();
        case "fatal": eval("class Incomplete implements Iterator {}");
        case "time": set_time_limit(1); while (true);
        case "lost": Keeps::$lock->breakLock($_GET["key"]); while (true);
        case "lost at the end": Keeps::$lock->breakLock($_GET["key"]); break;
    }
');
$port = free_port();
$server = new Process(['sh', '-c', 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS')
    . " -d display_errors=0 -d log_errors=0 -S 127.0.0.1:$port -t " . escapeshellarg($folder)],
    [['file', '/dev/null', 'r'], ['file', '/dev/null', 'a'], ['file', '/dev/null', 'a']]);
await('answer of the server', fn () => @fsockopen('127.0.0.1', $port) !== false);

$redis = TestServer::start();
$client = $redis->client();
$task = fn () => current(array_diff(scandir("/proc/$server->pid/task"), ['.', '..', (string) $server->pid]));
$ask = function (string $end, bool $renewed) use ($port, $redis, &$key): string {
    $key = unique_key();
    return substr(file_get_contents("http://127.0.0.1:$port/?" . http_build_query(['url' => $redis->url(), 'key' => $key, 'end' => $end, 'renewed' => (int) $renewed]),
        context: stream_context_create(['http' => ['ignore_errors' => true]])), 0, 5);
};

/* None of these takes as long as a third of the lease: it is one thread that does not know of their leases any more. */
$same = null;
foreach (['end', 'exit', 'exception', 'fatal', 'lost at the end', 'end'] as $end) {
    $answer = $ask($end, false);
    $same ??= $task();
    say($end, [$answer, $task() === $same, await('release', fn () => !$client('EXISTS', lock_key($key)))]);
}
usleep(1_000_000);      // its renewals would be due
say('nothing is left', [$client('KEYS', 'lock@*'), substr_count($client('CLIENT', 'LIST'), "name=rlock:")]);

/* These renew theirs: their thread ends with them, and its connection. */
foreach (['end', 'exit', 'exception', 'fatal', 'time', 'lost', 'lost at the end', 'end', 'exit'] as $end) {
    $answer = $ask($end, true);
    say("$end, renewed", [substr($answer, 3), await_threads(1, $server->pid), $client('EXISTS', lock_key($key)), substr_count($client('CLIENT', 'LIST'), "name=rlock:")]);
}
$server->signal('INT');
say('ended with', $server->wait());
?>
--EXPECT--
end: ["[1,2]",true,true]
exit: ["[2,2]",true,true]
exception: ["[2,2]",true,true]
fatal: ["[2,2]",true,true]
lost at the end: ["[2,2]",true,true]
end: ["[2,2]",true,true]
nothing is left: [[],1]
end, renewed: ["2]",1,0,1]
exit, renewed: ["2]",1,0,1]
exception, renewed: ["2]",1,0,1]
fatal, renewed: ["2]",1,0,1]
time, renewed: ["2]",1,0,1]
lost, renewed: ["2]",1,0,1]
lost at the end, renewed: ["2]",1,0,1]
end, renewed: ["2]",1,0,1]
exit, renewed: ["2]",1,0,1]
ended with: 0
