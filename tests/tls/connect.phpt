--TEST--
rediss://: the server's certificate is verified for its name or IP address; what else an address can say
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$certificate = $authority->sign('server', 'DNS:localhost,DNS:redis.example.com,IP:127.0.0.1');
$client = $authority->sign('client', 'DNS:client');
$tls = new TlsServer($authority, $certificate, ['--user', 'me', 'on', '>p@ss', '~*', '&*', '+@all']);
$named = new TlsServer($authority, $authority->sign('named', 'DNS:localhost'));
$ca = "cafile=$authority->file";

function try_it(string $address): string
{
    return outcome(function () use ($address) {
        $lock = new RLock($address);
        return [$lock->getLock('key'), $lock->isLocking('key'), $lock->releaseLock('key')];
    });
}

say('by name', try_it($tls->url($ca)));
say('by IP address', try_it($tls->url($ca, '127.0.0.1')));
say('under another name', try_it($tls->url("$ca&sni=redis.example.com")));
say('under a complete name', try_it($named->url("$ca&sni=localhost.", '127.0.0.1')));
say('under a name, by IP address', try_it($named->url("$ca&sni=localhost", '127.0.0.1')));
say('not verified', try_it($named->url('verify=0', '127.0.0.1')));
say('user and database', try_it("rediss://me:p%40ss@localhost:$tls->port/3?$ca&timeout=10&connect_timeout=10"));
say('not persistent', try_it($tls->url("$ca&persistent=0")));
$raw = $tls->server->client();
$raw('SELECT', 3);
say('seen in database 3', $raw('EXISTS', fence_key('key')));

$strict = new TlsServer($authority, $certificate, ['--tls-auth-clients', 'yes']);
say('client certificate', try_it($strict->url("$ca&cert=$client.pem&key=$client.key")));
file_put_contents("$client.both", file_get_contents("$client.pem") . file_get_contents("$client.key"));
say('client certificate and key in one file', try_it($strict->url("$ca&cert=$client.both")));

/* What did not verify it is not used for what wants that. */
say('verified after that', try_it($named->url($ca, '127.0.0.1')));
?>
--EXPECT--
by name: [true,true,true]
by IP address: [true,true,true]
under another name: [true,true,true]
under a complete name: [true,true,true]
under a name, by IP address: [true,true,true]
not verified: [true,true,true]
user and database: [true,true,true]
not persistent: [true,true,true]
seen in database 3: 1
client certificate: [true,true,true]
client certificate and key in one file: [true,true,true]
verified after that: RLock\ConnectionException
