--TEST--
Which rights sessions need
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/session.inc';

$server = TestServer::start();
$client = $server->client();
/* As in docs/operations.md. */
$rights = 'ACL SETUSER shop reset on >secret ~PHPREDIS_SESSION:* ~rlock:* +evalsha +eval +set +mget +setrange +del +exists +pexpire +pttl +getrange +time +lpop +rpush +lindex +blpop +client|setname +client|id +client|unblock +info';
$settings = ['rlock.servers' => "unix://$server->socket?user=shop&password=secret&persistent=0&timeout=10", 'session.use_strict_mode' => '1'];
$id = new_id();
$client('SET', data_key($id), 'n|i:1;');
foreach (['without' => '', 'with' => ' +get'] as $what => $more) {
    $client(...explode(' ', $rights . $more));
    $client('ACL', 'LOG', 'RESET');
    $page = page('ob_start(); if (session_start()) { $_SESSION["n"]++; session_write_close(); session_start(["read_and_close" => true]); var_dump($_SESSION); session_start(); session_regenerate_id(true); }', ['id' => $id], $settings);
    /* Redis before 8, and since. */
    $words = "/ERR (The user executing the script can't run this command or subcommand|ACL failure in script: User shop has no permissions to run the 'get' command);/";
    echo "$what +get:\n", preg_replace($words, 'NO RIGHT;', printed($page)), "\n";
    say('refused', count($client('ACL', 'LOG')));
}
$page = holder($id = new_id(), '', ['session.use_strict_mode' => '0'] + $settings);
$waiter = page('session_start(); $parent->say("has it");', ['id' => $id], ['session.use_strict_mode' => '0'] + $settings);
await('it waits', fn () => preg_match('/^blocked_clients:1\r/m', $client('INFO', 'clients')));
$page->say('go on');
say('who waits', $waiter->hear());
say('refused', count($client('ACL', 'LOG')));
?>
--EXPECT--
without +get:
Warning: session_start(): The session could not be started: Redis at SOCKET refused: NO RIGHT; the user lacks a right: ACL LOG on the server tells which, "Rights" in docs/operations.md what to grant
Warning: session_start(): Failed to read session data: rlock
refused: 1
with +get:
array(1) {
  ["n"]=>
  int(2)
}
refused: 0
who waits: has it
refused: 0
