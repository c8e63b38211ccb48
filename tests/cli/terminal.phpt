--TEST--
rlock run on a terminal: the command has it, job control works, and what is lost ends all the same
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

const CTRL_C = "\x03", CTRL_D = "\x04", CTRL_Z = "\x1a";
$key = unique_key();
$terminal = new Terminal();
$up = fn (string $then = '', string $options = '') => $terminal->type(
    "\$RLOCK run $key $options -- sh -c " . escapeshellarg(listener('INT TERM', $then)) . "\n");

$up('exit 6');
$pid = $terminal->said('up');
say('in the same process group', group_of($pid) === group_of(parent_of($pid)));
$terminal->type(CTRL_C);
say('Ctrl-C is caught', [$terminal->status(), is_free($key)]);

// `wait` tells the shell of a signal at once, so that a second one would be another line.
$once = function (string $signal, callable $send) use ($terminal, $key): array {
    $terminal->type("\$RLOCK run $key -- bash -c 'sleep 60 & n=0; trap \"n=\\\$((n + 1)); echo once\" $signal; trap \"kill %1; echo times \\\$n; exit 7\" TERM; echo up \$\$; while :; do wait; done'\n");
    $pid = $terminal->said('up');
    for ($i = 0; $i < 3; $i++) {
        $send($pid, $i);
        $terminal->await('/^once\r$/m');
    }
    send_signal(parent_of($pid), 'TERM'); // from elsewhere: it is passed on
    return [$terminal->said('times'), $terminal->status()];
};
say('and comes once each time', $once('INT', fn () => $terminal->type(CTRL_C)));
say('as does a new size', $once('WINCH', fn (int $pid, int $i) => exec('stty rows ' . (40 + $i) . " </proc/$pid/fd/0")));

// What the kernel sends to rlock alone is passed on. The alarm is to come when the command has begun.
for ($seconds = 1; $seconds < 60; $seconds *= 2) {
    $terminal->type("perl -e 'alarm $seconds; exec @ARGV' \$RLOCK run $key -- sh -c " . escapeshellarg(listener('ALRM', 'exit 9')) . "\n");
    $status = $terminal->status();
    if ($status !== 142) {
        break;
    }
}
say('an alarm', $status);

$terminal->type("for i in 1 2 3; do \$RLOCK run $key -- sh -c 'echo up \$\$; exec sleep 60'; done\n");
$pid = $terminal->said('up');
$terminal->type(CTRL_C);
say('Ctrl-C ends a loop of the shell, too', [$terminal->status(), lives($pid), is_free($key)]);

file_put_contents($script = temporary_folder() . '/script', "\$RLOCK run $key -- sh -c 'echo up \$\$; exec sleep 60'\necho went on\n");
$terminal->type("export RLOCK; bash $script\n");
$terminal->said('up');
$terminal->type(CTRL_C);
say('and a script', $terminal->status());

$holder = Program::start('run', $key, '--', 'cat');
await('held', fn () => !is_free($key));
$terminal->type("\$RLOCK run $key --wait inf -- echo ran\n");
await('a waiter', fn () => shared_client()('EXISTS', waiting_key($key)) === 1);
$terminal->type(CTRL_Z);
$terminal->await('/Stopped/');
$terminal->type("echo job \$(jobs -p)\n");
$waiter = $terminal->said('job');
await('stopped', fn () => state($waiter) === 'T');
$terminal->type("fg\n");
await('continued', fn () => state($waiter) !== 'T');
$terminal->type(CTRL_C);
say('Ctrl-Z, fg and Ctrl-C in a wait', $terminal->status());
$holder->closeInput();
$holder->wait();

$up('exit 6', '--ttl 60');
$pid = $terminal->said('up');
$rlock = parent_of($pid);
$terminal->type(CTRL_Z);
$terminal->await('/Stopped/');
// A shell that was just starting another process waits for it (D), which is stopped.
await('both stopped', fn () => in_array(state($pid), ['T', 'D'], true) && state($rlock) === 'T');
say('Ctrl-Z stops both, and the lock is held', !is_free($key));
$terminal->type("fg\n");
await('continued', fn () => state($pid) !== 'T' && state($rlock) !== 'T');
$terminal->type(CTRL_C);
say('fg continues both', $terminal->status());

$up('exit 6', '--ttl 2');
$pid = $terminal->said('up');
$terminal->type(CTRL_Z);
$terminal->await('/Stopped/');
say('stopped for longer than the lease', rlock('run', $key, '--wait', '30', '--', 'echo', 'another')[1]);
$terminal->type("fg\n");
say('ended when continued', [$terminal->status(), lives($pid)]);

$terminal->type("\$RLOCK run $key -- sh -c 'echo up \$\$; exec sleep 60' &\n");
$pid = $terminal->said('up');
$terminal->type("kill %1; wait %1\n");
say('in the background', [$terminal->status(), lives($pid)]);

$terminal->type("\$RLOCK run $key -- sh -c 'echo up; exec cat' | sed 's/^/through a pipe: /'\n");
$terminal->await('/^through a pipe: up\r$/m');
$terminal->type("typed\n" . CTRL_D);
$terminal->await('/^through a pipe: typed\r$/m');
say('input from the terminal, output through a pipe', $terminal->status());

$terminal->type("\$RLOCK run $key -- sh -c 'echo up; read x </dev/tty; echo \"read \$x\"; exit 8'\n");
$terminal->await('/^up\r$/m');
$terminal->type("typed\n");
$terminal->await('/^read typed\r$/m');
say('the terminal by name', $terminal->status());

// The group is not ours alone; so all that descend from us are told, and killed, also who has left the group, or its parent.
$terminal->type("\$RLOCK run $key --ttl 2.4 --grace 0.2 -- sh -c '"
    . 'setsid sh -c "trap : TERM; echo own \$\$; while :; do sleep 0.01; done" & '
    . '(sh -c "trap : TERM; echo orphan \$\$; while :; do sleep 0.01; done" &) ; trap "" TERM; echo "up $$"; while :; do sleep 0.01; done\' &' . "\n");
$pids = [];
for ($i = 0; $i < 3; $i++) {
    [, $word, $number] = $terminal->await('/^(own|orphan|up) (\d+)\r$/m');
    $pids[] = (int) $number;
}
shared_client()('DEL', lock_key($key));
$terminal->type("wait %1\n");
say('lost', $terminal->status());
foreach ($pids as $pid) {
    await_death($pid);
}
say('the shell and its terminal are there', $terminal->status());

function group_of(int $pid): int
{
    $stat = file_get_contents("/proc/$pid/stat");
    return (int) explode(' ', substr($stat, strrpos($stat, ')') + 2))[2];
}
?>
--EXPECT--
in the same process group: true
Ctrl-C is caught: [6,true]
and comes once each time: [3,7]
as does a new size: [3,7]
an alarm: 9
Ctrl-C ends a loop of the shell, too: [130,false,true]
and a script: 130
Ctrl-Z, fg and Ctrl-C in a wait: 130
Ctrl-Z stops both, and the lock is held: true
fg continues both: 6
stopped for longer than the lease: another

ended when continued: [79,false]
in the background: [143,false]
input from the terminal, output through a pipe: 0
the terminal by name: 8
lost: 79
the shell and its terminal are there: 0
