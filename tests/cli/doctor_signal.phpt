--TEST--
rlock doctor: ended by a signal it says so by its status, 128 and the signal's number, and leaves nothing; input is no signal
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

// However few descriptors there are, what is written to it is not taken for SIGTERM.
$statuses = [];
for ($descriptors = 8; $descriptors < 32; $descriptors++) {
    $rlock = new Program(['sh', '-c', 'ulimit -n "$2"; exec "$0" doctor "$1"', program_path(), $server->url(), (string) $descriptors]);
    @$rlock->write(pack('CCx2l', 15, 0, 0)); // it may have ended by now
    $status = $rlock->wait();
    // It began at all: a sanitizer, too, needs a few.
    preg_match('/shared libraries|Sanitizer/', $rlock->errors()) || $statuses[] = $status;
}
say('with few descriptors', array_values(array_unique($statuses)));
?>
--EXPECT--
TERM: [143,[]]
INT: [130,[]]
HUP: [129,[]]
with few descriptors: [69,1,0]
