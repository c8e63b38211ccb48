--TEST--
rediss://: the server is told the name that is wanted, so that one of several can show the right certificate
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$usual = $authority->sign('usual', 'DNS:usual.example,IP:127.0.0.1');
$wanted = $authority->sign('wanted', 'DNS:localhost');
$port = free_port();
$log = ['file', temporary_folder() . '/s_server.log', 'a'];
/* It shows the second one to who asks for it by name, and says nothing after the handshake. */
$server = new Process(['openssl', 's_server', '-accept', "127.0.0.1:$port", '-quiet', '-cert', "$usual.pem", '-key', "$usual.key",
    '-servername', 'localhost', '-cert2', "$wanted.pem", '-key2', "$wanted.key"], [['pipe', 'r'], $log, $log]);
await('a server that listens', fn () => @stream_socket_client("tcp://127.0.0.1:$port"));

function connect_to(string $host, string $options = ''): void
{
    global $port, $authority;
    $lock = new RLock("rediss://$host:$port?timeout=0.5&cafile=$authority->file$options");
    say_told("$host$options", fn () => $lock->getLock('key'), 'ConnectionException: ', 'no answer within the timeout');
}

connect_to('localhost');
connect_to('localhost', '&sni=usual.example');
connect_to('127.0.0.1');
connect_to('127.0.0.1', '&sni=localhost');
?>
--EXPECT--
localhost: told
localhost&sni=usual.example: told
127.0.0.1: told
127.0.0.1&sni=localhost: told
