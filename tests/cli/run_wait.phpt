--TEST--
rlock run --wait: woken by the release, in turn; a signal ends the wait and leaves nothing behind
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
$client = shared_client();
$waits = fn () => $client('EXISTS', waiting_key($key)) === 1;

$holder = Program::start('run', $key, '--', 'sh', '-c', 'echo up; exec cat');
$holder->awaitOutput('up');
$waiter = Program::start('run', $key, '--wait', 'inf', '--verbose', '--', 'echo', 'its turn');
await('a waiter', $waits);
$holder->closeInput();
say('holder', $holder->wait());
say('waiter', [$waiter->wait(), $waiter->output()]);
await('free', fn () => is_free($key));               // its release may be meant for a waiter that is itself: for a second

foreach (['INT', 'TERM', 'HUP', 'QUIT'] as $signal) {
    $holder = Program::start('run', $key, '--', 'sh', '-c', 'echo up; exec cat');
    $holder->awaitOutput('up');
    $client('DEL', waiting_key($key));
    $waiter = Program::start('run', $key, '--wait', '60', '--', 'echo', 'ran');
    await('a waiter', $waits);
    $waiter->signal($signal);
    say("waiter, SIG$signal", [$waiter->wait(), $waiter->output(), $waiter->errors()]);
    $holder->closeInput();
    $holder->wait();
    say('free', await('free', fn () => is_free($key)));
}
?>
--EXPECT--
holder: 0
waiter: [0,"its turn\n"]
waiter, SIGINT: [130,"",""]
free: true
waiter, SIGTERM: [143,"",""]
free: true
waiter, SIGHUP: [129,"",""]
free: true
waiter, SIGQUIT: [131,"",""]
free: true
