--TEST--
rlock run: the exit status, and what is told
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
function show(string $what, string ...$arguments): void
{
    global $key;
    [$status, $output, $errors] = rlock(...$arguments);
    say($what, $status);
    echo preg_replace('/^/m', '    ', rtrim(steady("$output$errors", $key))), "\n";
}

show('ended well', 'run', $key, '--', 'echo', 'done');
show('with a status', 'run', $key, '--', 'sh', '-c', 'exit 3');
show('by a signal', 'run', $key, '--', 'sh', '-c', 'kill -KILL $$');
show('no such command', 'run', $key, '--', 'no-such-command');
show('a line for the shell', 'run', $key, '--', 'echo a; echo b');
show('what only a shell has', 'run', $key, '--', 'cd', '/tmp');
show('not executable', 'run', $key, '--', '/');
say('free again', is_free($key));

$holder = Program::start('run', $key, '--metadata', "im\x1b[31m\"port", '--', 'cat');
await('held', fn () => !is_free($key));
show('busy', 'run', $key, '--', 'echo', 'ran');
show('busy, waited', 'run', $key, '--wait=0.2', '--', 'echo', 'ran');
show('busy, another status', 'run', $key, '--busy-exit', '0', '--quiet', '--', 'echo', 'ran');
show('busy, for a program', 'run', $key, '--json', '--', 'echo', 'ran');
$holder->closeInput();
$holder->wait();

show('verbose', 'run', $key, '--verbose', '--', 'true');
show('no server', 'run', $key, '--servers', nowhere(), '--', 'echo', 'ran');
// However few descriptors there are, that the system has no room is not told as the command's fault.
$statuses = [];
for ($descriptors = 8; $descriptors < 32; $descriptors++) {
    $rlock = new Program(['sh', '-c', 'ulimit -n "$2"; exec "$0" run "$1" -- true', program_path(), $key, (string) $descriptors]);
    $status = $rlock->wait();
    // It began at all: a sanitizer, too, needs a few.
    preg_match('/shared libraries|Sanitizer/', $rlock->errors()) || $statuses[] = $status;
}
say('with few descriptors', array_values(array_unique($statuses)));
$server = TestServer::start(['--requirepass', 'secret']);
show('refused', 'run', $key, '--servers', $server->url(), '--', 'echo', 'ran');
show('wrong password', 'run', $key, '--servers', $server->url('password=wrong-one'), '--', 'echo', 'ran');
?>
--EXPECT--
ended well: 0
    done
with a status: 3
    
by a signal: 137
    
no such command: 127
    rlock: Cannot run "no-such-command": No such file or directory
a line for the shell: 127
    rlock: Cannot run "echo a; echo b": No such file or directory; a line for the shell is written -- sh -c 'LINE'
what only a shell has: 127
    rlock: Cannot run "cd": No such file or directory; a line for the shell is written -- sh -c 'LINE'
not executable: 126
    rlock: Cannot run "/": Permission denied
free again: true
busy: 75
    rlock: "KEY" is busy: held by HOST:PID since TIME, fence FENCE, N s left, "im\x1b[31m"port"
busy, waited: 75
    rlock: "KEY" is busy: held by HOST:PID since TIME, fence FENCE, N s left, "im\x1b[31m"port"
busy, another status: 0
    
busy, for a program: 75
    {"event":"busy","key":"KEY","message":"\"KEY\" is busy: held by HOST:PID since TIME, fence FENCE, N s left, \"im\\x1b[31m\"port\""}
verbose: 0
    rlock: Acquired "KEY" after N s
    rlock: Released "KEY"
no server: 69
    rlock: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory
with few descriptors: [69,0]
refused: 69
    rlock: Redis at SERVER refused: NOAUTH Authentication required. Its password goes into the address, percent-encoded: redis://:password@host, unix:///path?password=..., a sentinel's as sentinel_password=... (in PHP the constructor's $servers or the ini setting rlock.servers; for the command, --servers or RLOCK_SERVERS)
wrong password: 69
    rlock: Redis at SERVER refused the user or the password (WRONGPASS): look at both in the address, where they are percent-encoded
