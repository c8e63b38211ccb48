--TEST--
A first visit, a second, and what is on the server meanwhile and afterwards
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$client = shared_client();
$id = new_id();
$code = 'var_dump(session_start());
    $client = shared_client();
    $lock = session_lock_of($args["id"]);
    echo "held: ", preg_replace("/^rlock1:[0-9a-f]{32}:[^:]+:\d+:.*child-\w+\.php$/", "by us", $client("GET", $lock)), "\n";
    function session_lock_of($id) { return "PHPREDIS_SESSION:" . $id . "_LOCK"; }
    $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1;
    echo "n ", $_SESSION["n"], "\n";';
foreach (['the first', 'the second'] as $visit) {
    run_page($visit, $code, ['id' => $id], ['session.gc_maxlifetime' => '100']);
    say('data', $client('GET', data_key($id)));
    say_within('live for', $client('PTTL', data_key($id)) / 1000, 90, 100);
    say('lock', $client('EXISTS', session_lock($id)));
    say_within('the fence lives for', $client('PTTL', 'rlock:f:{' . session_lock($id) . '}:' . session_lock($id)) / 1000, 50, 65);
}
run_page('touched', 'session_start(); $n = $_SESSION["n"];', ['id' => $id], ['session.gc_maxlifetime' => '500']);
say_within('lives for', $client('PTTL', data_key($id)) / 1000, 490, 500);
run_page('written with a lifetime that the page has changed', 'session_start(); $_SESSION["m"] = 1; session_write_close(); session_start();',
    ['id' => $id], ['session.gc_maxlifetime' => '900', 'session.lazy_write' => '0']);
say_within('lives for', $client('PTTL', data_key($id)) / 1000, 890, 900);

$empty = new_id();
run_page('an empty one', 'var_dump(session_start());', ['id' => $empty]);
say('has a key', $client('GET', data_key($empty)));
run_page('given up', 'session_start(); $_SESSION["x"] = 1; session_abort();', ['id' => $empty]);
say('is as it was', [$client('GET', data_key($empty)), $client('EXISTS', session_lock($empty))]);
run_page('destroyed', 'session_start(); var_dump(session_destroy());', ['id' => $empty]);
say('is gone', [$client('EXISTS', data_key($empty)), $client('EXISTS', session_lock($empty))]);

$gone = new_id();
$page = holder($gone, 'session_write_close();');
$client('SET', data_key($gone), 'x|i:5;');
$client('DEL', data_key($gone));
$page->say('go on');
$page->wait();
say('unchanged, and its data had ended meanwhile', $client('GET', data_key($gone)));

/* They live as long as somebody has the session, and no page shortens that. */
$long = new_id();
$client('SET', data_key($long), 'n|i:1;');
$page = holder($long, '$_SESSION["n"] = 2;', ['session.gc_maxlifetime' => '1', 'rlock.session.ttl' => '3']);
say_within('a page that runs: its data live for', $client('PTTL', data_key($long)) / 1000, 1.5, 3);
$client('PEXPIRE', data_key($long), 2000);
await('they are renewed with its lock', fn () => $client('PTTL', data_key($long)) > 2000);
$page->say('go on');
say('and it writes them', [printed($page), $client('GET', data_key($long)), $client('PTTL', data_key($long)) <= 1000]);
foreach (['0', '-1'] as $life) {
    run_page("gc_maxlifetime is $life", 'ob_start(); session_start(); $_SESSION["n"] = 3;', ['id' => $long], ['session.gc_maxlifetime' => $life]);
    say_within('lives for', $client('PTTL', data_key($long)) / 1000, 1430, 1440);
}

$large = new_id();
run_page('five megabytes', 'session_start(); $_SESSION["x"] = str_repeat("a", 5_000_000);', ['id' => $large]);
run_page('and back', 'session_start(); var_dump(strlen($_SESSION["x"]), strspn($_SESSION["x"], "a"));', ['id' => $large]);
run_page('nine', 'session_start(); $_SESSION["x"] = str_repeat("a", 9_000_000);', ['id' => $large]);
say('is as it was', $client('STRLEN', data_key($large)));
say('free', $client('EXISTS', session_lock($large)));
$client('DEL', data_key($large));
?>
--EXPECT--
the first:
    bool(true)
    held: by us
    n 1
data: n|i:1;
live for: in time
lock: 0
the fence lives for: in time
the second:
    bool(true)
    held: by us
    n 2
data: n|i:2;
live for: in time
lock: 0
the fence lives for: in time
touched:

lives for: in time
written with a lifetime that the page has changed:

lives for: in time
an empty one:
    bool(true)
has a key: 
given up:

is as it was: ["",0]
destroyed:
    bool(true)
is gone: [0,0]
unchanged, and its data had ended meanwhile: 
a page that runs: its data live for: in time
and it writes them: ["","n|i:2;",true]
gc_maxlifetime is 0:
    Notice: session_start(): session.gc_maxlifetime is not above 0; sessions live for 1440 seconds
lives for: in time
gc_maxlifetime is -1:
    Notice: session_start(): session.gc_maxlifetime is not above 0; sessions live for 1440 seconds
lives for: in time
five megabytes:

and back:
    int(5000000)
    int(5000000)
nine:
    Warning: PHP Request Shutdown: The session has 9000015 bytes, and was not written: the most there can be is 8387584
is as it was: 5000015
free: 0
