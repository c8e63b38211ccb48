--TEST--
How many requests a page takes
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$server = TestServer::start();
$client = $server->client();
$settings = ['rlock.servers' => $server->url()];
function scripts(RawClient $client): int
{
    preg_match_all('/^cmdstat_eval(?:sha)?:calls=(\d+)/m', $client('INFO', 'commandstats'), $found);
    return array_sum($found[1]);
}
/* So that each is known by its hash. */
run_page('the server learns the scripts', 'ob_start(); session_start(["read_and_close" => true]); session_start(); session_regenerate_id(true); session_destroy(); session_start(); session_abort();', ['id' => new_id()], $settings);
$id = new_id();
$client('SET', data_key($id), 'n|i:1;');
$count = function (string $what, string $code, array $more = []) use ($client, $settings, $id) {
    $client('CONFIG', 'RESETSTAT');
    page('ob_start(); ' . $code, ['id' => $id], $more + $settings)->wait();
    say($what, scripts($client));
};
foreach (['0', '1'] as $strict) {
    $strict = ['session.use_strict_mode' => $strict];
    $count('changed', 'session_start(); $_SESSION["n"]++;', $strict);
    $count('unchanged', 'session_start();', $strict);
    $count('read_and_close', 'session_start(["read_and_close" => true]);', $strict);
    $count('given up', 'session_start(); session_abort();', $strict);
    $count('reset', 'session_start(); session_reset();', $strict);
    $count('regenerated', 'session_start(); session_regenerate_id(true);', $strict);
    $client('SET', data_key($id), 'n|i:1;');
    $count('destroyed', 'session_start(); session_destroy();', $strict);
    $count('a first visit', 'session_id(""); session_start();', $strict);
    $count('an unknown id', 'session_start();', $strict);
    $client('SET', data_key($id), 'n|i:1;');
    $count('gc', 'session_start(); var_dump(session_gc());', $strict);
}

/* A lock of another library is asked for often, since its end wakes nobody. */
$client('SET', session_lock($id), 'another', 'PX', 60_000);
$client('CONFIG', 'RESETSTAT');
$page = page('session_start(); $parent->say("has it");', ['id' => $id], $settings);
await('five asks', fn () => scripts($client) >= 5, 2.0);
$client('DEL', session_lock($id));
say('then', $page->hear());
$page->wait();
?>
--EXPECT--
the server learns the scripts:

changed: 2
unchanged: 2
read_and_close: 1
given up: 2
reset: 3
regenerated: 4
destroyed: 2
a first visit: 2
an unknown id: 2
gc: 2
changed: 2
unchanged: 2
read_and_close: 1
given up: 2
reset: 3
regenerated: 5
destroyed: 2
a first visit: 2
an unknown id: 3
gc: 2
then: has it
