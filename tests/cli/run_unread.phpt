--TEST--
rlock run: a standard error that nobody reads keeps it from nothing
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

/* Loses the lock while the command runs with a standard error of this kind. */
function lose(string $what, string $standard_error): void
{
    $key = unique_key();
    $run = escapeshellarg(program_path()) . " run $key --verbose --ttl 2.4 --grace 0.2 -- sh -c " . escapeshellarg(
        'grep -c "SigIgn:.*[13579bdf]...$" /proc/self/status; ' . listener('TERM'));
    $rlock = new Program(['env', '--default-signal=PIPE', 'bash', '-c', sprintf($standard_error, $run)]);
    $pid = said($rlock, 'up');
    shared_client()('DEL', lock_key($key));
    await_death($pid);
    say($what, [said($rlock, 'status'), preg_match('/^1$/m', $rlock->output())]);
    $rlock->closeInput();
    $rlock->wait();
}

lose('its reader has gone', 'exec 3> >(:); wait $!; %s 2>&3; echo "status $?"');
// The pipe, of 64 KiB, is full before it begins, and its reader is there until the test has ended.
lose('its reader does not read', 'exec 4<&0; exec 3> >(exec sleep 30 <&4); head -c 65536 /dev/zero >&3;'
    . ' %s 2>&3; echo "status $?"; kill $!');
?>
--EXPECT--
its reader has gone: [79,0]
its reader does not read: [79,0]
