--TEST--
TLS: a handshake that was looked at late goes on
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';
require __DIR__ . '/../pending.inc';

$authority = new Authority();
$certificate = $authority->sign('server', 'DNS:localhost,IP:127.0.0.1');
foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
    $server = new TlsServer($authority, $certificate, ['--tls-protocols', $version]);
    $lock = new RLock($server->url("cafile=$authority->file&timeout=0.5&connect_timeout=0.5"));
    say($version, decide_late($lock->requestLock('key')));
}
?>
--EXPECT--
TLSv1.2: true
TLSv1.3: true
