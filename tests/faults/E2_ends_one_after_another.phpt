--TEST--
E2: ends late in the shutdown, one after another with time between them, and those of a second request, are all given back
--FILE--
<?php
require __DIR__ . '/../server.inc';

$folder = temporary_folder();
file_put_contents("$folder/index.php", '<?php
    set_error_handler(function (int $level, string $message) { echo "warned: $message\n"; });
    final class Slow { public function __destruct() { usleep(2_200_000); } }
    function taken(string $key): RLock
    {
        $lock = new RLock($_GET["url"]);
        $lock->getLock($key) || exit(1);
        return $lock;
    }
    switch ($_GET["what"]) {
        case "at the end":
            $first = taken("a");
            break;
        case "in a shutdown function":
            register_shutdown_function(function () { $lock = taken("a"); });
            break;
        case "slow destructors":
            register_shutdown_function(function () {
                $ends = [taken("a"), new Slow(), taken("b"), new Slow(), taken("c")];
                while (array_shift($ends)) { }
            });
            break;
        case "slow destructors of globals":
            [$first, $slow, $second, $slower, $third] = [taken("a"), new Slow(), taken("b"), new Slow(), taken("c")];
            break;
    }
    echo "ran\n";
');
$port = free_port();
$server = new Process(['sh', '-c', 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS')
    . " -d display_errors=1 -d html_errors=0 -S 127.0.0.1:$port -t " . escapeshellarg($folder)],
    [['file', '/dev/null', 'r'], ['file', "$folder/log", 'a'], ['file', "$folder/log", 'a']]);
await('answer of the server', fn () => @fsockopen('127.0.0.1', $port) !== false);

$redis = TestServer::start();
$client = $redis->client();
foreach (['at the end', 'in a shutdown function', 'slow destructors', 'at the end', 'slow destructors of globals'] as $what) {
    echo "$what: ", file_get_contents("http://127.0.0.1:$port/?"
        . http_build_query(['url' => $redis->url('timeout=2'), 'what' => $what]));
    await('end', fn () => $client('KEYS', 'lock@*') === []);
    usleep(350_000);
}
say('log', substr_count(file_get_contents("$folder/log"), 'RLock'));
$server->signal(SIGINT);
say('ended with', $server->wait());
?>
--EXPECT--
at the end: ran
in a shutdown function: ran
slow destructors: ran
at the end: ran
slow destructors of globals: ran
log: 0
ended with: 0
