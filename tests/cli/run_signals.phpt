--TEST--
rlock run: signals go to the command's whole process group, and the lock is held until it has ended
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
function passes_on(string|int $signal): array
{
    global $key;
    // A child of the command's gets it, too. In the background a shell would have it ignore SIGINT.
    $child = "trap 'echo child got it; exit 0' $signal; echo \"child \$\$\"; while :; do sleep 0.01; done";
    $script = "trap 'exit 5' $signal; sh -c " . escapeshellarg($child);
    $rlock = Program::start('run', $key, '--', 'sh', '-c', $script);
    said($rlock, 'child');
    $rlock->signal($signal);
    return [$rlock->wait(), str_contains($rlock->output(), 'child got it'), is_free($key)];
}
foreach (['INT', 'TERM', 'HUP', 'QUIT', 'USR1', 'USR2'] as $signal) {
    say("SIG$signal", passes_on($signal));
}
[$least, $most] = array_map(intval(...), explode("\n", shell_exec("bash -c 'kill -l RTMIN; kill -l RTMAX'")));
$others = ['ABRT', 'ALRM', 'VTALRM', 'PROF', 'XCPU', 'IO', 'PWR', 'URG', 'WINCH', $least, $least + 3, $most];
foreach ($others as $signal) {
    passes_on($signal) === [5, true, true] || say("SIG$signal", 'not passed on');
}

// At these two rlock goes on, and so does a command that catches them; others of its group would stop.
foreach (['TTIN', 'TTOU'] as $signal) {
    $rlock = Program::start('run', $key, '--', 'sh', '-c', "trap 'exit 5' $signal; echo \"up \$\$\"; read line");
    said($rlock, 'up');
    $rlock->signal($signal);
    say("SIG$signal", $rlock->wait());
}

// What is not passed on: what rlock itself gets for a message that finds no room in its file.
$rlock = new Program(['sh', '-c', 'ulimit -f 0; exec "$0" run "$1" --verbose -- sh -c "exit 4"', program_path(), $key]);
say('a full file for messages', [$rlock->wait(), $rlock->errors()]);

$rlock = Program::start('run', $key, '--', 'sh', '-c', listener('TERM'));
$pid = said($rlock, 'up');
$rlock->signal('TERM');
$rlock->awaitOutput('got TERM');
say('it does not obey: alive, lock held', [lives($pid), !is_free($key)]);
send_signal($pid, 'KILL');
say('killed by another', [$rlock->wait(), is_free($key)]);

$rlock = Program::start('run', $key, '--', 'sleep', '60');
await('held', fn () => !is_free($key));
$rlock->signal('TERM');
say('it does not catch it', [$rlock->wait(), is_free($key)]);

// timeout(1) tells it, and then its whole group, which it is in, too. To many programs the second time means "at once".
$times = function (string $again): int {
    global $key;
    $rlock = Program::start('run', $key, '--', 'bash', '-c',
        'n=0; trap \'n=$((n + 1)); echo "got TERM"\' TERM; trap end=yes USR1; echo "up $$"; until [ $end ]; do sleep 0.01; done; echo "times $n"');
    said($rlock, 'up');
    (new Program(['bash', '-c', "kill -TERM \$1; sleep 0.02; $again", 'bash', (string) $rlock->pid]))->wait();
    $rlock->awaitOutput('got TERM');
    $rlock->signal('USR1');
    $rlock->wait();
    return said($rlock, 'times');
};
$mostly = function (int $expected, string $again) use ($times): int { /* the shell may hear of two as of one */
    for ($i = 0; $i < 10 && ($told = $times($again)) !== $expected; $i++) {
    }
    return $told;
};
say('twice from one sender', $mostly(1, 'kill -TERM $1'));
say('and from two', $mostly(2, 'bash -c "kill -TERM $1"; true'));

// A shell dies of it at once, and its foreground work cleans up.
$cleaning = 'sh -c ' . escapeshellarg(listener('TERM', 'cat; echo cleaned up; exit')) . '; true';
$rlock = Program::start('run', $key, '--grace', '60', '--', 'sh', '-c', $cleaning);
$pid = said($rlock, 'up');
$shell = parent_of($pid);
$rlock->signal('TERM');
$rlock->awaitOutput('got TERM');
await_death($shell);
say('a shell has died, its work cleans up under the lock', [lives($pid), is_free($key)]);
$rlock->closeInput();
say('then the lock is free', [$rlock->wait(), str_contains($rlock->output(), 'cleaned up'), is_free($key)]);

$rlock = Program::start('run', $key, '--grace', '0.1', '--', 'sh', '-c', $cleaning);
$pid = said($rlock, 'up');
$rlock->signal('TERM');
say('or after the grace', [$rlock->wait(), lives($pid), is_free($key)]);
$rlock->closeInput();
await_death($pid);

$rlock = Program::start('run', $key, '--grace', '60', '--', 'sh', '-c',
    'exec 3<&0; setsid sh -c ' . escapeshellarg('trap "" TERM; echo "daemon $$"; exec cat') . ' <&3 & ' . listener(''));
$pid = said($rlock, 'daemon');
said($rlock, 'up');
$rlock->signal('TERM');
say('a daemon is not waited for', [$rlock->wait(), lives($pid)]);
$rlock->closeInput();
await_death($pid);

$holder = Program::start('run', $key, '--', 'cat');
await('held', fn () => !is_free($key));
$rlock = Program::start('run', $key, '--wait', 'inf', '--', 'true');
await('a waiter', fn () => shared_client()('EXISTS', waiting_key($key)) === 1);
$rlock->signal('WINCH');
$rlock->signal('ALRM');
say('in a wait', $rlock->wait());
$holder->closeInput();
$holder->wait();

// nohup: who ignored a signal before, still does.
$rlock = new Program(['nohup', program_path(), 'run', $key, '--', 'sh', '-c', 'echo "up $$"; grep -c "SigIgn:.*1$" /proc/self/status; cat']);
said($rlock, 'up');
$rlock->signal('HUP');
$rlock->awaitOutput("1\n");
$rlock->closeInput();
say('ignored before', $rlock->wait());

$rlock = Program::start('run', $key, '--ttl', '10', '--', 'sleep', '60');
$pid = await('the command', fn () => (int) trim((string) shell_exec("cat /proc/{$rlock->pid}/task/*/children 2>/dev/null")));
await('the command runs', fn () => state($pid) === 'S');
$rlock->signal('TSTP');
await('stopped', fn () => state($pid) === 'T');
$left = shared_client()('PTTL', lock_key($key));
await('renewed', fn () => shared_client()('PTTL', lock_key($key)) > $left);
$rlock->signal('CONT');
await('continued', fn () => state($pid) === 'S');
$rlock->signal('TERM');
say('stopped and continued', $rlock->wait());
?>
--EXPECT--
SIGINT: [5,true,true]
SIGTERM: [5,true,true]
SIGHUP: [5,true,true]
SIGQUIT: [5,true,true]
SIGUSR1: [5,true,true]
SIGUSR2: [5,true,true]
SIGTTIN: 5
SIGTTOU: 5
a full file for messages: [4,""]
it does not obey: alive, lock held: [true,true]
killed by another: [137,true]
it does not catch it: [143,true]
twice from one sender: 1
and from two: 2
a shell has died, its work cleans up under the lock: [true,false]
then the lock is free: [143,true,true]
or after the grace: [143,true,true]
a daemon is not waited for: [143,true]
in a wait: 142
ignored before: 0
stopped and continued: 143
