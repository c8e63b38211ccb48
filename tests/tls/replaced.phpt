--TEST--
TLS: certificates that are replaced, the authority's and ours, cost no call
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';
require __DIR__ . '/../pending.inc';

/* What is valid now, at one place. */
function put(Authority $authority): string
{
    $certificate = $authority->sign('server', 'DNS:localhost');
    $client = $authority->sign('client', 'DNS:client');
    copy($authority->file, PLACE . '/ca.pem');
    copy("$client.pem", PLACE . '/client.pem');
    copy("$client.key", PLACE . '/client.key');
    return $certificate;
}

define('PLACE', temporary_folder());
foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
    $first = new Authority();
    $tls = new TlsServer($first, put($first), ['--tls-protocols', $version, '--tls-auth-clients', 'yes']);
    $redis = $tls->server->client();
    $url = $tls->url('cafile=' . PLACE . '/ca.pem&cert=' . PLACE . '/client.pem&key=' . PLACE . '/client.key');
    $lock = new RLock($url);
    $pending = new RLock($url);
    say("$version, before", [$lock->getLock('key'), $lock->releaseLock('key'), decide($pending->requestLock('other')), $pending->releaseLock('other')]);
    foreach (['a call', 'an event loop'] as $who) {
        $next = new Authority();
        $certificate = put($next);
        $redis('CONFIG', 'SET', 'tls-cert-file', "$certificate.pem", 'tls-key-file', "$certificate.key", 'tls-ca-cert-file', $next->file);
        $redis('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        say("$version, $who", outcome(fn () => $who === 'a call'
            ? $lock->getLock('key') && $lock->releaseLock('key')
            : decide($pending->requestLock('key')) && $pending->releaseLock('key')));
    }
    $stranger = new Authority();
    $certificate = $stranger->sign('server', 'DNS:localhost');
    $redis('CONFIG', 'SET', 'tls-cert-file', "$certificate.pem", 'tls-key-file', "$certificate.key");
    $redis('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    say("$version, a stranger's", outcome(fn () => $lock->getLock('key')));
    $lock->close();
    unset($pending);
}
?>
--EXPECT--
TLSv1.2, before: [true,true,true,true]
TLSv1.2, a call: true
TLSv1.2, an event loop: true
TLSv1.2, a stranger's: RLock\ConnectionException
TLSv1.3, before: [true,true,true,true]
TLSv1.3, a call: true
TLSv1.3, an event loop: true
TLSv1.3, a stranger's: RLock\ConnectionException
