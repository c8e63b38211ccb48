--TEST--
Beside phpredis' handler: the same keys and data, and each excludes the other
--EXTENSIONS--
session
--SKIPIF--
<?php
if (!glob(ini_get('extension_dir') . '/redis.so')) {
    die('skip phpredis is not installed');
}
?>
--FILE--
<?php
require __DIR__ . '/session.inc';

$client = shared_client();
$id = new_id();
$theirs = fn (int $retries = -1) => ['session.save_handler' => 'redis', 'session.save_path' => 'unix://' . shared_socket(),
    'redis.session.locking_enabled' => '1', 'redis.session.lock_retries' => (string) $retries, 'redis.session.lock_wait_time' => '1000',
    'redis.session.lock_expire' => '30'];
/* Its module is loaded beside ours. */
$load = (glob(ini_get('extension_dir') . '/igbinary.so') ? ' -d extension=igbinary' : '') . ' -d extension=redis';
putenv('TEST_PHP_EXTRA_ARGS=' . getenv('TEST_PHP_EXTRA_ARGS') . $load);

$add = 'session_start(); $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1; $parent->say($_SESSION["n"]); $parent->hear();';
$visit = function (array $settings) use ($add, $id) {
    $page = page($add, ['id' => $id], $settings);
    $n = $page->hear();
    $page->say('go on');
    $page->wait();
    return $n;
};
say('by turns', [$visit($theirs()), $visit([]), $visit($theirs()), $visit([])]);

$page = page($add, ['id' => $id], $theirs());
$n = $page->hear();
run_page('ours, while theirs has it', 'var_dump(session_start());', ['id' => $id], ['rlock.session.wait' => '0.1']);
$ours = page($add, ['id' => $id]);
say('ours waits', $ours->silent(0.2));
$page->say('go on');
$page->wait();
say_took('so long afterwards', seconds(function () use ($ours, &$next) {
    $next = $ours->hear();
}), 0.0, 0.2);
say('ours has it next', $next - $n);
$page->wait();
/* phpredis before 6 goes on without the lock, with a notice. */
$theirs_busy = printed(page('var_dump(session_start());', ['id' => $id], ['redis.session.lock_retries' => '5'] + $theirs()));
say('theirs, while ours has it', in_array($theirs_busy, [
    "Notice: session_start(): Acquire of session lock was not successful\nbool(true)",
    "Warning: session_start(): Failed to acquire session lock\nWarning: session_start(): Failed to read session data: redis\nbool(false)",
], true) ? 'told' : $theirs_busy);
$page = page($add, ['id' => $id], $theirs());
say('theirs waits', $page->silent(0.2));
$ours->say('go on');
say('and has it next', $page->hear() - $n);
$ours->wait();
$page->say('go on');
$page->wait();
say('free', is_free($client, $id));

/* In a pool of both, with a crowd. */
$pages = [];
for ($i = 0; $i < 12; $i++) {
    $pages[] = page('session_start(); $n = $_SESSION["n"]; usleep(5000); $_SESSION["n"] = $n + 1;', ['id' => $id], $i % 2 ? [] : $theirs());
}
array_map(fn ($page) => $page->wait(), $pages);
say('twelve more', $client('GET', data_key($id)));

/* What it compresses stays, until it can be read. */
foreach (['LZF', 'LZ4', 'ZSTD'] as $by) {
    page('$redis = new Redis();
        $redis->connect($args["socket"]);
        $redis->setOption(Redis::OPT_COMPRESSION, constant("Redis::COMPRESSION_$args[by]"));
        $redis->set("PHPREDIS_SESSION:" . $args["id"], "user|s:300:\"" . str_repeat("ab", 150) . "\";basket|a:1:{i:0;i:17;}");', ['id' => $id, 'by' => $by, 'socket' => shared_socket()])->wait();
    $stored = $client('GET', data_key($id));
    foreach (['' => '', ' by a handler around ours' => 'session_set_save_handler(new SessionHandler());'] as $how => $code) {
        $said = printed(page("$code var_dump(session_start());", ['id' => $id]));
        say("compressed by $by, and read$how", [strlen($stored) < 300, substr_count($said, 'The session\'s data look compressed'),
            str_ends_with($said, 'bool(false)'), $client('GET', data_key($id)) === $stored, is_free($client, $id)]);
    }
    run_page('destroyed', 'ob_start(); set_error_handler(fn () => true); session_start(); session_id($args["id"]); $handler = new SessionHandler(); session_set_save_handler(new class extends SessionHandler {
        function read(string $id): string { parent::read($id); return ""; } }, false); session_start(); var_dump(session_destroy());', ['id' => $id]);
    say('is there', $client('EXISTS', data_key($id)));
}
?>
--EXPECT--
by turns: [1,2,3,4]
ours, while theirs has it:
    Warning: session_start(): The session stayed busy: a client of another library holds it for another N s
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
ours waits: true
so long afterwards: in time
ours has it next: 1
theirs, while ours has it: told
theirs waits: true
and has it next: 2
free: true
twelve more: n|i:19;
compressed by LZF, and read: [true,1,true,true,true]
compressed by LZF, and read by a handler around ours: [true,1,true,true,true]
destroyed:
    bool(true)
is there: 0
compressed by LZ4, and read: [true,1,true,true,true]
compressed by LZ4, and read by a handler around ours: [true,1,true,true,true]
destroyed:
    bool(true)
is there: 0
compressed by ZSTD, and read: [true,1,true,true,true]
compressed by ZSTD, and read by a handler around ours: [true,1,true,true,true]
destroyed:
    bool(true)
is there: 0
