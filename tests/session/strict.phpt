--TEST--
Strict mode: an unknown id takes nothing and leaves no key behind; a new id is only asked for
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$server = TestServer::start();
$client = $server->client();
$settings = ['rlock.servers' => $server->url(), 'session.use_strict_mode' => '1'];
$id = new_id();
$keys = function () use ($client) {
    $keys = array_map(fn ($key) => preg_replace('/[0-9a-f]{32}/', 'ID', $key), $client('KEYS', '*'));
    sort($keys);
    return $keys;
};
run_page('an unknown one', 'session_start(); var_dump(session_id() === $args["id"]); session_abort();', ['id' => $id], $settings);
say('keys of it', count(array_filter($client('KEYS', '*'), fn ($key) => str_contains($key, $id))));
$client('FLUSHALL');
$client('SET', data_key($id), 'n|i:1;');
$code = 'session_start(); var_dump(session_id() === $args["id"], $_SESSION);';
run_page('a known one', $code, ['id' => $id], $settings);
run_page('reset', $code . '$_SESSION["n"] = 2; session_reset(); var_dump($_SESSION["n"]);', ['id' => $id], $settings);
run_page('reset on a first visit', 'session_start(); $id = session_id(); session_reset(); var_dump(session_id() === $id); session_destroy();', [], $settings);
run_page('a new id beside it', 'ob_start(); session_start(); var_dump(strlen(session_create_id("a-")), session_id() === $args["id"]);', ['id' => $id], $settings);
run_page('regenerated, and the old one deleted', 'ob_start(); session_start(); $_SESSION["n"]++; var_dump(session_regenerate_id(true), session_id() !== $args["id"]);',
    ['id' => $id], $settings);
say('data and locks', array_filter($keys(), fn ($key) => !str_starts_with($key, 'rlock:')));
$client('FLUSHALL');
$client('SET', data_key($id), 'n|i:1;');
run_page('regenerated, and the old one kept', 'ob_start(); session_start(); $_SESSION["n"]++; var_dump(session_regenerate_id(), session_id() !== $args["id"]); $_SESSION["n"]++;',
    ['id' => $id], $settings);
$data = array_map(fn ($key) => $client('GET', $key), $client('KEYS', 'PHPREDIS_SESSION:*'));
sort($data);
say('both are there', $data);
foreach (['a b', 'a_b', str_repeat('a', 257), '../x', "a\0b"] as $bad) {
    run_page('bad: ' . substr(json_encode($bad), 0, 10), 'ob_start(); var_dump(session_start(), session_id() !== $args["id"]); session_abort();', ['id' => $bad], $settings);
    run_page('not strict', 'var_dump(session_start());', ['id' => $bad], ['session.use_strict_mode' => '0'] + $settings);
}
say('keys of those', count(array_filter($client('KEYS', '*'), fn ($key) => preg_match('/a b|a_b|a{257}|\.\.|\0/', $key))));
?>
--EXPECT--
an unknown one:
    bool(false)
keys of it: 0
a known one:
    bool(true)
    array(1) {
      ["n"]=>
      int(1)
    }
reset:
    bool(true)
    array(1) {
      ["n"]=>
      int(1)
    }
    int(1)
reset on a first visit:
    bool(true)
a new id beside it:
    int(34)
    bool(true)
regenerated, and the old one deleted:
    bool(true)
    bool(true)
data and locks: ["PHPREDIS_SESSION:ID"]
regenerated, and the old one kept:
    bool(true)
    bool(true)
both are there: ["n|i:2;","n|i:3;"]
bad: "a b":
    bool(true)
    bool(true)
not strict:
    bool(true)
bad: "a_b":
    bool(true)
    bool(true)
not strict:
    Warning: session_start(): The session id is empty, too long, or has other characters than A-Z, a-z, 0-9, "-" and ","
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
bad: "aaaaaaaaa:
    bool(true)
    bool(true)
not strict:
    Warning: session_start(): The session id is empty, too long, or has other characters than A-Z, a-z, 0-9, "-" and ","
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
bad: "..\/x":
    bool(true)
    bool(true)
not strict:
    Warning: session_start(): The session id is empty, too long, or has other characters than A-Z, a-z, 0-9, "-" and ","
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
bad: "a\u0000b":
    bool(true)
    bool(true)
not strict:
    Warning: session_start(): The session id is empty, too long, or has other characters than A-Z, a-z, 0-9, "-" and ","
    Warning: session_start(): Failed to read session data: rlock
    bool(false)
keys of those: 0
