--TEST--
rlock run: without renewals the command is told in time, and dead before another may have the lock
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$key = unique_key();
$server = TestServer::start();
putenv('RLOCK_SERVERS=' . $server->url());
$client = $server->client();

// The server answers reads alone, so that nothing is renewed or given back, and we see what is left when all are dead.
function without_renewals(string $what, string $script, string ...$options): void
{
    global $key, $client;
    $rlock = Program::start('run', $key, '--ttl', '6', ...$options, ...['--', 'sh', '-c', $script]);
    $pid = said($rlock, 'up');
    $client('CLIENT', 'PAUSE', 60000, 'WRITE');
    $began = microtime(true);
    await_death($pid);
    $took = microtime(true) - $began;
    $left = $client('PTTL', lock_key($key));
    $client('CLIENT', 'UNPAUSE');
    say($what, [$rlock->wait(), trim(preg_replace('/^up .*\n/m', '', $rlock->output())), $left > 0]);
    say_within('ended after', $took, 0.5, 6.0);
    await('free', fn () => $client('EXISTS', lock_key($key)) === 0);
}

without_renewals('it ends when told', listener('TERM', 'exit 0'));
without_renewals('it does not end', listener('TERM'), '--grace', '0.5');
without_renewals('its child does not end', 'sh -c \'trap "" TERM; while :; do sleep 0.01; done\' & ' . listener('TERM', 'exit 0'));
without_renewals('killed', listener('TERM'), '--on-loss', 'kill');

$rlock = Program::start('run', $key, '--ttl', '3', '--max-hold', '1', '--', 'sh', '-c', listener('TERM', 'exit 0'));
say('--max-hold ends it', [$rlock->wait(), str_contains($rlock->output(), 'got TERM')]);
echo '    ', str_replace("Terminated\n", '', steady($rlock->errors(), $key));

$rlock = Program::start('run', $key, '--ttl', '1', '--', 'sh', '-c', listener('TERM', 'exit 0'));
$pid = said($rlock, 'up');
$server->kill();
say('the server is gone', [$rlock->wait(), lives($pid)]);
?>
--EXPECT--
it ends when told: [79,"got TERM",true]
ended after: in time
it does not end: [79,"got TERM",true]
ended after: in time
its child does not end: [79,"got TERM",true]
ended after: in time
killed: [79,"",true]
ended after: in time
--max-hold ends it: [79,true]
    rlock: The lock "KEY" has been held for --max-hold; ending the command
the server is gone: [79,false]
