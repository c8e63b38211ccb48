--TEST--
rediss://: of what OpenSSL said to us nothing is left for others who use it in this process
--EXTENSIONS--
openssl
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

/* All that is left since the last time. */
function left(): int
{
    for ($count = 0; openssl_error_string() !== false; $count++) {
    }
    return $count;
}

$authority = new Authority();
$stranger = new Authority();
$tls = new TlsServer($authority, $authority->sign('server', 'DNS:localhost'));
$strict = new TlsServer($authority, $authority->sign('strict', 'DNS:localhost'), ['--tls-auth-clients', 'yes']);
$plain = TestServer::start(tcp: true);
$nonsense = temporary_folder() . '/nonsense.pem';
file_put_contents($nonsense, "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n");

left();
foreach ([
    'another authority' => $tls->url("cafile=$stranger->file"),
    'another name' => $tls->url("cafile=$authority->file", '127.0.0.1'),
    'no certificate' => $strict->url("cafile=$authority->file"),
    'no authority' => $tls->url("cafile=$nonsense"),
    'no file' => $tls->url('cafile=/nonexistent/ca.pem'),
    'no key' => $tls->url("cafile=$authority->file&cert=$authority->file"),
    'no TLS' => "rediss://127.0.0.1:$plain->port?timeout=10",
] as $what => $address) {
    say($what, [outcome(fn () => (new RLock($address))->getLock('key')), left()]);
}
$lock = new RLock($tls->url("cafile=$authority->file"));
say('a server that ends', [$lock->getLock('key'), $tls->server->kill(), outcome(fn () => $lock->prolongate('key')), left()]);
outcome(fn () => $lock->close());
?>
--EXPECT--
another authority: ["RLock\\ConnectionException",0]
another name: ["RLock\\ConnectionException",0]
no certificate: ["RLock\\ConnectionException",0]
no authority: ["RLock\\ConnectionException",0]
no file: ["RLock\\ConnectionException",0]
no key: ["RLock\\ConnectionException",0]
no TLS: ["RLock\\ConnectionException",0]
a server that ends: [true,null,"RLock\\ConnectionException",0]
