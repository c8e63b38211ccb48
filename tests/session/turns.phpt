--TEST--
A session is had in turns: who waits, who may not, and what becomes of it when it ends meanwhile
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$client = shared_client();
$add = 'session_start(); $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1; $parent->say($_SESSION["n"]);';
$awaits = fn (string $id) => await('a waiter', fn () => $client('EXISTS', 'rlock:w:{' . session_lock($id) . '}:' . session_lock($id)));

$id = new_id();
$first = holder($id, '$_SESSION["n"] = 10;');
$second = page($add, ['id' => $id]);
$awaits($id);
say('the second waits', $second->silent(0.05));
$first->say('go on');
say('and sees what the first has written', $second->hear());
$second->wait();

$first = holder($id, 'session_abort();');
run_page('wait 0', 'var_dump(session_start());', ['id' => $id], ['rlock.session.wait' => '0', 'session.save_path' => shared_url()]);
run_page('readonly', 'var_dump(session_start(), $_SESSION); $_SESSION["n"] = 99;', ['id' => $id],
    ['rlock.session.wait' => '0', 'rlock.session.busy' => 'readonly']);
run_page('read_and_close', 'var_dump(session_start(["read_and_close" => true]), $_SESSION);', ['id' => $id]);
run_page('read_and_close by call_user_func_array, in strict mode', 'var_dump(call_user_func_array("session_start", ["options" => ["read_and_close" => "1"]]), $_SESSION);',
    ['id' => $id], ['session.use_strict_mode' => '1']);
run_page('read_and_close around a SessionHandler', '
    final class Around extends SessionHandler { public function read(string $id): string|false { return parent::read($id); } }
    session_set_save_handler(new Around());
    var_dump(session_start(["read_and_close" => true]), $_SESSION);', ['id' => $id]);
run_page('a name among the others', 'var_dump(session_start(["read_and_close" => false]));', ['id' => $id], ['rlock.session.wait' => '0.05']);
$first->say('go on');
$first->wait();
say('nothing of that was written', $client('GET', data_key($id)));

$first = holder($id, 'session_abort();');
$waiter = page($add, ['id' => $id], ['rlock.session.max_waiters' => '1']);
$places = 'rlock:s:{' . session_lock($id) . '_WAITERS}:' . session_lock($id) . '_WAITERS';
await('a waiter in its place', fn () => $client('ZCARD', $places));
run_page('one waits, and no more may', 'var_dump(session_start());', ['id' => $id], ['rlock.session.max_waiters' => '1']);
$first->say('go on');
say('who waits has it', $waiter->hear());
$waiter->wait();
run_page('and its place is free', 'var_dump(session_start());', ['id' => $id], ['rlock.session.max_waiters' => '1']);
say('places that are taken', $client('ZCARD', $places));

foreach (['0', '1'] as $strict) {
    $client('SET', data_key($id), 'n|i:1;');
    $first = holder($id, 'session_destroy();');
    $second = page('session_start(); $parent->say([session_id() === $args["id"], $_SESSION]); $parent->hear(); $_SESSION["n"] = 5;',
        ['id' => $id], ['session.use_strict_mode' => $strict]);
    $third = page('session_start(); $parent->say([session_id() === $args["id"], $_SESSION]); $parent->hear();',
        ['id' => $id], ['session.use_strict_mode' => $strict]);
    $awaits($id);
    $first->say('go on');
    if ($strict) {
        say('destroyed while two wait, in strict mode', [$second->hear(), $third->hear(), $client('EXISTS', data_key($id))]);
    } else {
        $one = null;
        say('destroyed while two wait', await('one of them', function () use ($second, $third, &$one) {
            foreach ([$second, $third] as $page) {
                if (!$page->silent(0.02)) {
                    $one = $page;
                    return $page->hear();
                }
            }
            return null;
        }));
        $one->say('go on');
        $one->wait();
    }
    array_map(fn ($page) => $page->say('go on'), array_filter([$second, $third], fn ($page) => $strict || $page !== $one));
    $second->wait();
    $third->wait();
}
?>
--EXPECT--
the second waits: true
and sees what the first has written: 11
wait 0:
    Warning: session_start(): The session stayed busy: HOST:PID ("SCRIPT") holds it for another N s
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
readonly:
    Notice: session_start(): The session is busy, and can only be read: HOST:PID ("SCRIPT") holds it for another N s
    bool(true)
    array(1) {
      ["n"]=>
      int(11)
    }
read_and_close:
    bool(true)
    array(1) {
      ["n"]=>
      int(11)
    }
read_and_close by call_user_func_array, in strict mode:
    bool(true)
    array(1) {
      ["n"]=>
      int(11)
    }
read_and_close around a SessionHandler:
    bool(true)
    array(1) {
      ["n"]=>
      int(11)
    }
a name among the others:
    Warning: session_start(): The session stayed busy: HOST:PID ("SCRIPT") holds it for another N s
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
nothing of that was written: n|i:11;
one waits, and no more may:
    Warning: session_start(): The session stayed busy: HOST:PID ("SCRIPT") holds it for another N s
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
who waits has it: 12
and its place is free:
    bool(true)
places that are taken: 0
destroyed while two wait: [true,[]]
destroyed while two wait, in strict mode: [[false,[]],[false,[]],0]
