--TEST--
sentinel_tls=0: what a sentinel says is believed no more than it is known, and a server that it alone names gets no password
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

/* A server whose certificate is good, for its own address, and somebody in between who names it. */
$authority = new Authority();
$certificate = $authority->sign('other', 'IP:127.0.0.2');
$other = TestServer::start(['--bind', '127.0.0.2', '--tls-port', $port = (string) free_port(), '--tls-auth-clients', 'no',
    '--tls-ca-cert-file', $authority->file, '--tls-cert-file', "$certificate.pem", '--tls-key-file', "$certificate.key"], port: 0);
$other->client()('ACL', 'SETUSER', 'shop', 'on', '>hunter2', '~*', '&*', '+@all');
$between = Child::start(<<<'PHP'
    $listening = stream_socket_server('tcp://127.0.0.1:0');
    $parent->say((int) substr(strrchr(stream_socket_get_name($listening, false), ':'), 1));
    while ($client = stream_socket_accept($listening, -1)) {
        while (($asked = fread($client, 4096)) !== '' && $asked !== false) {
            foreach (preg_split('/^(?=\*\d)/m', $asked, flags: PREG_SPLIT_NO_EMPTY) as $command) {
                fwrite($client, str_contains($command, 'SENTINEL') ? "*2\r\n$9\r\n127.0.0.2\r\n\$" . strlen($args['port']) . "\r\n$args[port]\r\n" : "+OK\r\n");
            }
        }
        fclose($client);
    }
    PHP, ['port' => $port]);
$sentinel = $between->hear();

$try = function (string $what, string $query = '', string $more = '') use ($sentinel, $authority, $other): void {
    $url = "sentinel://shop:hunter2@127.0.0.1:$sentinel$more/mymaster?persistent=0&timeout=1&tls=1&sentinel_tls=0&cafile=$authority->file$query";
    try {
        $told = (new RLock($url))->getLock(unique_key());
    } catch (RLock\ConnectionException $e) {
        $told = preg_replace('/^.*?(?=names)/s', '', $e->getMessage());
    }
    $logins = preg_match('/cmdstat_auth:calls=(\d+)/', $other->client()('INFO', 'commandstats'), $match) ? (int) $match[1] : 0;
    $other->client()('CONFIG', 'RESETSTAT');
    say($what, ['said' => $told, 'it had the password' => $logins > 0]);
};
$try('one that it alone names');
$try('by the name that all have', '&sni=127.0.0.2');
$try('one that the address has, too', '', ',127.0.0.2:26379');
$try('anybody is good enough', '&verify=0');
$between->kill();
?>
--EXPECT--
one that it alone names: {"said":"names 127.0.0.2, which nobody vouches for: by sentinel_tls=0 anybody may have said so; leave that out, or say by sni= which name the certificates of the servers have","it had the password":false}
by the name that all have: {"said":true,"it had the password":true}
one that the address has, too: {"said":true,"it had the password":true}
anybody is good enough: {"said":true,"it had the password":true}
