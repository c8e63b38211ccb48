--TEST--
What was destroyed stays so, whoever else has the session; and one that may only be read is not copied
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$client = shared_client();
$id = new_id();
$fresh = fn () => $client('SET', data_key($id), 'n|i:4711;', 'EX', 100);
/* Other tests have sessions there, too, but none with this in it. */
$copies = fn () => count(array_filter($client('KEYS', 'PHPREDIS_SESSION:*'), fn (string $key) => $client('TYPE', $key) === 'string' && $client('GET', $key) === 'n|i:4711;'));
$settings = ['session.gc_maxlifetime' => '1000'];
foreach (['unchanged' => '', 'changed' => '$_SESSION["n"] = 2;', 'reset' => 'session_reset(); $_SESSION["n"] = 2;'] as $what => $code) {
    $fresh();
    $page = holder($id, $code, $settings);
    say_within('it lives for', $client('PTTL', data_key($id)) / 1000, 900, 1000);
    $client('DEL', data_key($id));
    $page->say('go on');
    say($what, [printed($page), $client('GET', data_key($id)), is_free($client, $id)]);
}
$client('DEL', data_key($id));

/* Who has lost the lock logs out. Who has it goes on. */
$fresh();
$late = holder($id, 'session_destroy();');
$client('DEL', session_lock($id));
$page = holder($id, '$_SESSION["n"]++;');
$late->say('go on');
echo printed($late), "\n";
$page->say('go on');
say('logged out', [printed($page), $client('GET', data_key($id))]);

foreach (['false', 'true'] as $delete) {
    $fresh();
    $page = holder($id, "ob_start(); var_dump(@session_regenerate_id($delete));");
    $client('DEL', session_lock($id), data_key($id));
    $page->say('go on');
    say("lost, and regenerated with $delete", [printed($page), $copies()]);
}

/* The lock was kept: the data alone are gone. */
foreach (['false', 'true'] as $delete) {
    $fresh();
    $page = holder($id, "ob_start(); \$_SESSION['n'] = 4711; var_dump(session_regenerate_id($delete), session_status() === PHP_SESSION_NONE); session_write_close();");
    $client('DEL', data_key($id));
    $page->say('go on');
    echo "killed, and regenerated with $delete:\n", printed($page), "\n";
    say('copies, and free', [$copies(), is_free($client, $id)]);
}
$page = page('session_start(); $parent->say("has it"); $parent->hear(); var_dump(session_destroy());', ['id' => $id]);
$page->hear();
$client('SET', data_key($id), 'n|i:4711;');
$page->say('go on');
say('destroyed where there was none at first', [printed($page), $copies()]);
run_page('a first visit, regenerated', 'ob_start(); session_start(); $_SESSION["n"] = 1; var_dump(session_regenerate_id(true)); session_destroy();', ['id' => $id]);

$fresh();
$page = holder($id);
$reads = ['rlock.session.wait' => '0', 'rlock.session.busy' => 'readonly'];
foreach (['false', 'true'] as $delete) {
    run_page("regenerated with $delete", "ob_start(); @session_start(); var_dump(@session_regenerate_id($delete));", ['id' => $id], $reads);
}
say('no copy', [$client('GET', data_key($id)), $copies()]);
run_page('an id beside it', 'ob_start(); @session_start(); session_create_id(); $_SESSION["n"] = 9; session_write_close();', ['id' => $id], $reads);
say('is not written', $client('GET', data_key($id)));
run_page('logged out while another has it', '@session_start(); var_dump(session_destroy());', ['id' => $id], $reads);
$page->say('go on');
say('and it is gone', [printed($page), $client('GET', data_key($id))]);

/* Another id, through the handler. */
$client('SET', data_key('other' . $id), 'x|i:5;');
$fresh();
$page = page('
    $handler = new SessionHandler();
    session_set_save_handler($handler);
    session_start();
    $_SESSION["n"] = 7;
    echo json_encode([$handler->read("other" . session_id()), $handler->write("other" . session_id(), "x|i:6;"), $handler->destroy("other" . session_id())]);
    $parent->say("has it");
    $parent->hear();', ['id' => $id]);
$page->hear();
say('read, neither written nor locked, and destroyed', [$client('EXISTS', data_key("other$id")), $client('EXISTS', session_lock("other$id")), is_free($client, $id)]);
$page->say('go on');
say('and ours', [printed($page), $client('GET', data_key($id))]);

$page = holder($id, 'session_abort();');
$log = temporary_folder() . '/slow';
$slow = ['rlock.slow_wait' => '0.01', 'log_errors' => '1', 'error_log' => $log, 'display_errors' => '0', 'rlock.session.wait' => '0.1'];
page('session_start();', ['id' => $id], $slow)->wait();
say('a slow wait', [substr_count(file_get_contents($log), 'RLock: a wait for "PHPREDIS_SESSION:#'), str_contains(file_get_contents($log), $id)]);
$page->say('go on');
$page->wait();
$client('DEL', data_key($id));
?>
--EXPECT--
it lives for: in time
unchanged: ["Warning: PHP Request Shutdown: The session was not written: its data were deleted meanwhile, as by a logout elsewhere, or evicted",null,true]
it lives for: in time
changed: ["Warning: PHP Request Shutdown: The session was not written: its data were deleted meanwhile, as by a logout elsewhere, or evicted",null,true]
it lives for: in time
reset: ["","n|i:2;",true]
Warning: session_destroy(): The session was destroyed all the same: its lock was lost: HOST:PID ("SCRIPT") holds it for another N s
logged out: ["Warning: PHP Request Shutdown: The session was not written: its data were deleted meanwhile, as by a logout elsewhere, or evicted",null]
lost, and regenerated with false: ["bool(false)",0]
lost, and regenerated with true: ["bool(false)",0]
killed, and regenerated with false:
Warning: session_regenerate_id(): The session was not written: its data were deleted meanwhile, as by a logout elsewhere, or evicted
Warning: session_regenerate_id(): Session write failed. ID: rlock
bool(false)
bool(true)
copies, and free: [0,true]
killed, and regenerated with true:
Warning: session_regenerate_id(): The session was not written: its data were deleted meanwhile, as by a logout elsewhere, or evicted
Warning: session_regenerate_id(): Session object destruction failed. ID: rlock
bool(false)
bool(true)
copies, and free: [0,true]
destroyed where there was none at first: ["bool(true)",0]
a first visit, regenerated:
    bool(true)
regenerated with false:
    bool(false)
regenerated with true:
    bool(false)
no copy: ["n|i:4711;",1]
an id beside it:

is not written: n|i:4711;
logged out while another has it:
    bool(true)
and it is gone: ["Warning: PHP Request Shutdown: The session was not written: its data were deleted meanwhile, as by a logout elsewhere, or evicted",null]
read, neither written nor locked, and destroyed: [0,0,false]
and ours: ["[\"x|i:5;\",false,true]","n|i:7;"]
a slow wait: [1,false]
