--TEST--
rlock doctor: ended by a signal it says so by its status, 128 and the signal's number, and leaves nothing
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/doctor.inc';

$server = TestServer::start();
$client = $server->client();
foreach (['TERM' => 143, 'INT' => 130, 'HUP' => 129] as $signal => $status) {
    $client('CLIENT', 'PAUSE', 60_000, 'WRITE');
    $rlock = Program::start('doctor', $server->url());
    await('it has asked to write', fn () => preg_match('/^blocked_clients:[1-9]/m', $client('INFO', 'clients')));
    $rlock->signal($signal);
    $client('CLIENT', 'UNPAUSE');
    [$found] = $rlock->finished();
    say($signal, [$found, $client('KEYS', '*')]);
}
?>
--EXPECT--
TERM: [143,[]]
INT: [130,[]]
HUP: [129,[]]
