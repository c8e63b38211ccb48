--TEST--
rlock run: a lock that is lost ends the command, by --on-loss and --grace
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

/** A command whose lock is deleted, with a lease that a busy machine can renew: what it came to, to be called when all have begun. */
function lose(string $what, string $script, string ...$options): Closure
{
    $key = unique_key();
    $rlock = Program::start('run', $key, '--ttl', '6', ...$options, ...['--', 'sh', '-c', $script]);
    $pid = said($rlock, 'up');
    shared_client()('DEL', lock_key($key));
    return fn () => tell_of_loss($what, $key, $rlock, $pid);
}

function tell_of_loss(string $what, string $key, Program $rlock, int $pid): void
{
    $status = $rlock->wait();
    say($what, [$status, lives($pid), trim(preg_replace('/^(up|child) .*\n/m', '', $rlock->output()))]);
    if (preg_match('/^child (\d+)/m', $rlock->output(), $match)) {
        await_death((int) $match[1]); // it was killed a moment before rlock ended
        say('its child lives', false);
    }
    echo steady(preg_replace('/^/m', '    ', rtrim(str_replace("Terminated\n", '', $rlock->errors()))), $key), "\n";
}

$lost = [
    lose('it cleans up', listener('TERM', 'exit 0')),
    lose('it does not end', listener('TERM'), '--grace', '2'),
    lose('its child does not end', 'sh -c \'trap "" TERM; echo "child $$"; while :; do sleep 0.01; done\' & ' . listener('')),
    lose('its child cleans up', 'sh -c ' . escapeshellarg(listener('TERM', 'sleep 0.1; echo cleaned up; exit 0')) . '; true'),
    lose('killed at once', listener('TERM', 'exit 0'), '--on-loss', 'kill'),
    lose('ignored', "trap 'echo got TERM' TERM; echo \"up $$\"; sleep 3; echo end", '--on-loss', 'ignore'),
    lose('quiet', listener(''), '--quiet'),
    lose('for a program', listener(''), '--json'),
];
foreach ($lost as $tell) {
    $tell();
}

$key = unique_key();
$rlock = Program::start('run', $key, '--ttl', '6', '--', 'sh', '-c', listener(''));
said($rlock, 'up');
say('broken', [rlock('break', $key)[0], $rlock->wait()]);

$rlock = Program::start('run', $key, '--ttl', '60', '--', 'sh', '-c', 'trap "exit 0" TERM; ' . listener(''));
said($rlock, 'up');
shared_client()('SET', lock_key($key), 'a foreign one', 'XX', 'PX', '60000');
$rlock->signal('TERM');
say('found out at the release', [$rlock->wait(), shared_client()('GET', lock_key($key))]);
?>
--EXPECT--
it cleans up: [79,false,"got TERM"]
    rlock: The lock "KEY" is lost; ending the command
    rlock: The lock "KEY" on Redis at SERVER was lost within its lease: its key is gone (deleted, evicted, broken, or lost with the server's data)
it does not end: [79,false,"got TERM"]
    rlock: The lock "KEY" is lost; ending the command
    rlock: The command has not ended; killing it
    rlock: The lock "KEY" on Redis at SERVER was lost within its lease: its key is gone (deleted, evicted, broken, or lost with the server's data)
its child does not end: [79,false,""]
its child lives: false
    rlock: The lock "KEY" is lost; ending the command
    rlock: The command has not ended; killing it
    rlock: The lock "KEY" on Redis at SERVER was lost within its lease: its key is gone (deleted, evicted, broken, or lost with the server's data)
its child cleans up: [79,false,"got TERM\ncleaned up"]
    rlock: The lock "KEY" is lost; ending the command
    rlock: The lock "KEY" on Redis at SERVER was lost within its lease: its key is gone (deleted, evicted, broken, or lost with the server's data)
killed at once: [79,false,""]
    rlock: The lock "KEY" is lost; killing the command
    rlock: The lock "KEY" on Redis at SERVER was lost within its lease: its key is gone (deleted, evicted, broken, or lost with the server's data)
ignored: [79,false,"end"]
    rlock: The lock "KEY" on Redis at SERVER was lost within its lease: its key is gone (deleted, evicted, broken, or lost with the server's data)
quiet: [79,false,""]
    rlock: The lock "KEY" is lost; ending the command
    rlock: The lock "KEY" on Redis at SERVER was lost within its lease: its key is gone (deleted, evicted, broken, or lost with the server's data)
for a program: [79,false,""]
    {"event":"lost","key":"KEY","message":"The lock \"KEY\" is lost; ending the command"}
    {"event":"lost","key":"KEY","message":"The lock \"KEY\" on Redis at SERVER was lost within its lease: its key is gone (deleted, evicted, broken, or lost with the server's data)"}
broken: [0,79]
found out at the release: [79,"a foreign one"]
