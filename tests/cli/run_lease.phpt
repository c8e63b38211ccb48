--TEST--
rlock run: without renewals the command is told in time, and dead before another may have the lock
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
$server = TestServer::start();
putenv('RLOCK_SERVERS=' . $server->url('timeout=10'));
$client = $server->client();

// All at once, and the server answers reads alone: nothing is renewed or given back, and we see what is left when all are dead.
$commands = [
    'killed' => [listener('TERM'), '--on-loss', 'kill'],
    'it does not end' => [listener('TERM'), '--grace', '2'],
    'it ends when told' => [listener('TERM', 'exit 0')],
    'its child does not end' => ['sh -c \'trap "" TERM; while :; do sleep 0.05; done\' & ' . listener('TERM', 'exit 0')],
];
$programs = $pids = [];
foreach ($commands as $what => $command) {
    $programs[$what] = Program::start('run', "$key $what", '--ttl', '12', ...array_slice($command, 1), ...['--', 'sh', '-c', $command[0]]);
    $pids[$what] = said($programs[$what], 'up');
}
$client('CLIENT', 'PAUSE', 60000, 'WRITE');
$began = microtime(true);
$took = $left = [];
await('the end of all', function () use ($client, $key, $began, &$pids, &$took, &$left) {
    foreach ($pids as $what => $pid) {
        if (!lives($pid)) {
            $left[$what] = $client('PTTL', lock_key("$key $what"));
            $took[$what] = microtime(true) - $began;
            unset($pids[$what]);
        }
    }
    return !$pids;
});
$client('CLIENT', 'UNPAUSE');
foreach ($programs as $what => $rlock) {
    say($what, [$rlock->wait(), trim(preg_replace('/^up .*\n/m', '', $rlock->output())), $left[$what] > 0]);
    say_within('ended after', $took[$what], 0.5, 12.0);
}

$rlock = Program::start('run', $key, '--ttl', '9', '--max-hold', '1', '--', 'sh', '-c', listener('TERM', 'exit 0'));
say('--max-hold ends it', [$rlock->wait(), str_contains($rlock->output(), 'got TERM')]);
echo '    ', str_replace("Terminated\n", '', steady($rlock->errors(), $key));

$rlock = Program::start('run', $key, '--ttl', '4', '--', 'sh', '-c', listener('TERM', 'exit 0'));
$pid = said($rlock, 'up');
$server->kill();
say('the server is gone', [$rlock->wait(), lives($pid)]);
say('it says why', preg_match('/could not be renewed in time; ending the command. The last renewal failed [\d.]+ s ago: .*Redis at /', $rlock->errors()));
?>
--EXPECT--
killed: [79,"",true]
ended after: in time
it does not end: [79,"got TERM",true]
ended after: in time
it ends when told: [79,"got TERM",true]
ended after: in time
its child does not end: [79,"got TERM",true]
ended after: in time
--max-hold ends it: [79,true]
    rlock: The lock "KEY" has been held for --max-hold; ending the command
the server is gone: [79,false]
it says why: 1
