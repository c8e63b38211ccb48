--TEST--
rlock run: a signal reaches each process of the command once, in whatever group it is, and nobody else
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

// Without a terminal: what leaves the group is told and killed all the same.
$key = unique_key();
foreach (['timeout' => 'timeout 60', 'setsid' => 'setsid --wait', 'orphan' => 'setsid --fork'] as $what => $leaver) {
    $rlock = Program::start('run', $key, '--ttl', '2.4', '--grace', '0.2', '--',
        'sh', '-c', "$leaver sh -c " . escapeshellarg(listener('TERM')) . '; cat');
    $pid = said($rlock, 'up');
    shared_client()('DEL', lock_key($key));
    say("$what, lost", $rlock->wait());
    await_death($pid);

    $rlock = Program::start('run', $key, '--', 'sh', '-c', "$leaver sh -c " . escapeshellarg(listener('USR1', 'exit')) . '; cat');
    $pid = said($rlock, 'up');
    $rlock->signal('USR1');
    await_death($pid);
    say('passed on', preg_match('/got USR1/', $rlock->output()));
    $rlock->closeInput();
    $rlock->wait();
}

// What rlock had started before it was rlock is not the command's.
$script = 'sleep 60 & echo "before $!"; exec ' . escapeshellarg(program_path())
    . " run $key --ttl 2.4 --grace 0 -- sh -c " . escapeshellarg(listener(''));
$rlock = new Program(['bash', '-c', $script]);
$before = said($rlock, 'before');
said($rlock, 'up');
shared_client()('DEL', lock_key($key));
say('lost', [$rlock->wait(), lives($before)]);
send_signal($before, 'KILL');

// With a terminal, too, each is told once.
$terminal = new Terminal();
$terminal->type("\$RLOCK run $key -- sh -c '(trap \"\" USR1; exec sleep 60) & n=0; trap \"n=\\\$((n + 1)); echo once\" USR1; trap \"echo times \\\$n; exit 3\" TERM; echo up \$\$; while :; do wait; done'\n");
$pid = $terminal->said('up');
send_signal(parent_of($pid), 'USR1');
$terminal->await('/^once\r$/m');
send_signal(parent_of($pid), 'TERM');
say('with a terminal', [$terminal->said('times'), $terminal->status()]);
?>
--EXPECT--
timeout, lost: 79
passed on: 1
setsid, lost: 79
passed on: 1
orphan, lost: 79
passed on: 1
lost: [79,true]
with a terminal: [1,3]
