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
?>
--EXPECT--
mended: [1,0,""]
not mended: [1,1,"rlock: The release was refused for as long as the timeout: the lock stays taken until its lease ends."]
