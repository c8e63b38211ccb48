--TEST--
rlock run: the command does not outlive rlock, nor a lease that ended while rlock was stopped
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
$rlock = Program::start('run', $key, '--ttl', '4', '--', 'sh', '-c', listener());
$pid = said($rlock, 'up');
$rlock->kill();
await_death($pid);
say('killed; the command', lives($pid));
say('the next has the lock when the lease is over', rlock('run', $key, '--wait', '30', '--', 'echo', 'mine')[1]);

$rlock = Program::start('run', $key, '--ttl', '2.5', '--', 'sh', '-c', listener());
$pid = said($rlock, 'up');
$rlock->freeze();
$other = Program::start('run', $key, '--wait', '30', '--', 'cat');
await('the lease has ended, another has it', fn () => preg_match("/:$other->pid(:|$)/", (string) shared_client()('GET', lock_key($key))));
$rlock->thaw();
say('stopped for too long', [$rlock->wait(), lives($pid), preg_match('/got/', $rlock->output())]);
$other->closeInput();
say('the other', $other->wait());
?>
--EXPECT--
killed; the command: false
the next has the lock when the lease is over: mine

stopped for too long: [79,false,0]
the other: 0
