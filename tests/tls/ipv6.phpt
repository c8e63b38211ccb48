--TEST--
rediss://: the certificate's IPv6 address is that which is connected to, and no name
--SKIPIF--
<?php
require __DIR__ . '/skip.inc';
if (!@stream_socket_server('tcp://[::1]:0')) {
    die('skip there is no IPv6 loopback');
}
?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
foreach (['IP:::1', 'IP:0:0:0:0:0:0:0:1,DNS:elsewhere', 'IP:::2', 'DNS:localhost', 'IP:127.0.0.1'] as $name) {
    $tls = new TlsServer($authority, $authority->sign('server', $name), ['--bind', '127.0.0.1', '::1']);
    foreach (['[::1]', '[0:0::1]'] as $host) {
        say("$name by $host", outcome(fn () => (new RLock($tls->url("cafile=$authority->file", $host)))->holder('nobody')));
    }
    $tls->server->kill();
}

/* Addresses are no names that a server would be told: this one shows another certificate to who names one. */
foreach (['127.0.0.1', '::1'] as $address) {
    $usual = $authority->sign('usual', "IP:$address");
    $wanted = $authority->sign('wanted', 'DNS:elsewhere');
    $port = free_port();
    $host = $address === '::1' ? '[::1]' : $address;
    $log = ['file', temporary_folder() . '/s_server.log', 'a'];
    $server = new Process(['openssl', 's_server', '-accept', "$host:$port", '-quiet', '-cert', "$usual.pem", '-key', "$usual.key",
        '-servername', $address, '-cert2', "$wanted.pem", '-key2', "$wanted.key"], [['pipe', 'r'], $log, $log]);
    await('a server that listens', fn () => @stream_socket_client("tcp://$host:$port"));
    say_told("$address is not told", fn () => (new RLock("rediss://$host:$port?timeout=1&connect_timeout=10&cafile=$authority->file"))->getLock('key'),
        'no answer within the timeout');
    $server->kill();
}
?>
--EXPECT--
IP:::1 by [::1]: null
IP:::1 by [0:0::1]: null
IP:0:0:0:0:0:0:0:1,DNS:elsewhere by [::1]: null
IP:0:0:0:0:0:0:0:1,DNS:elsewhere by [0:0::1]: null
IP:::2 by [::1]: RLock\ConnectionException
IP:::2 by [0:0::1]: RLock\ConnectionException
DNS:localhost by [::1]: RLock\ConnectionException
DNS:localhost by [0:0::1]: RLock\ConnectionException
IP:127.0.0.1 by [::1]: RLock\ConnectionException
IP:127.0.0.1 by [0:0::1]: RLock\ConnectionException
127.0.0.1 is not told: told
::1 is not told: told
