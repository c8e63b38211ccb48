--TEST--
rlock run: a release that is refused is asked for again until the timeout is over, since nobody does it later
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$server = TestServer::start();
$client = $server->client();
$client('ACL', 'SETUSER', 'tom', 'on', '>secret', '+@all');
foreach (['mended' => 10, 'not mended' => 2] as $then => $timeout) {
    $client('ACL', 'SETUSER', 'tom', '~*');
    $rlock = Program::start('run', 'job', '--ttl', '60', '--servers', $server->url("user=tom&password=secret&timeout=$timeout"),
        '--', 'sh', '-c', 'echo "up $$"; read line');
    said($rlock, 'up');
    $client('ACL', 'SETUSER', 'tom', 'resetkeys');
    $client('ACL', 'LOG', 'RESET');
    $rlock->closeInput();
    await('the refusal', fn () => $client('ACL', 'LOG') !== []);
    usleep(300_000);
    $then === 'mended' && $client('ACL', 'SETUSER', 'tom', '~*');
    say($then, [$rlock->wait(), $client('DEL', 'lock@job'), preg_replace('/ Redis at .*/s', '', $rlock->errors())]);
}

/* The release and the end of the command's connection have one timeout together. */
$rlock = Program::start('run', 'frozen', '--ttl', '60', '--servers', $server->url('timeout=2'), '--', 'sh', '-c', 'echo "up $$"; read line');
said($rlock, 'up');
$server->freeze();
say_took('a frozen server', seconds(function () use ($rlock) {
    $rlock->closeInput();
    $rlock->wait();
}), 1.9, 2.9);
$server->thaw();
?>
--EXPECT--
mended: [1,0,""]
not mended: [1,1,"rlock: The release was refused for as long as the timeout: the lock stays taken until its lease ends."]
a frozen server: in time
