--TEST--
A server of many requests: the renewal thread ends with each, whatever was left held
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

$client = shared_client();
foreach (['end', 'exit', 'exception', 'fatal', 'time', 'lost', 'lost at the end', 'end', 'exit'] as $end) {
    $key = unique_key();
    $answer = file_get_contents("http://127.0.0.1:$port/?" . http_build_query(['url' => shared_url(), 'key' => $key, 'end' => $end]),
        context: stream_context_create(['http' => ['ignore_errors' => true]]));
    say($end, [substr($answer, 0, 5), await_threads(1, $server->pid), $client('EXISTS', lock_key($key))]);
}
$server->signal('INT');
say('ended with', $server->wait());
?>
--EXPECT--
end: ["[1,2]",1,0]
exit: ["[1,2]",1,0]
exception: ["[1,2]",1,0]
fatal: ["[1,2]",1,0]
time: ["[1,2]",1,0]
lost: ["[1,2]",1,0]
lost at the end: ["[1,2]",1,0]
end: ["[1,2]",1,0]
exit: ["[1,2]",1,0]
ended with: 0
