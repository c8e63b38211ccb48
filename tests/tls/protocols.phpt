--TEST--
rediss://: TLS 1.3 and 1.2 are spoken; nothing older, whatever OpenSSL is configured to; and not what it is configured against
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

/* OpenSSL reads its configuration once, so it is a child's; the servers' is the first. */
function configure(string $minimum): void
{
    $file = temporary_folder() . "/$minimum.cnf";
    file_put_contents($file, "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = default\n[default]\n"
        . "MinProtocol = $minimum\nCipherString = DEFAULT:@SECLEVEL=0\n");
    putenv("OPENSSL_CONF=$file");
}

$authority = new Authority();
$certificate = $authority->sign('server', 'DNS:localhost');
configure('TLSv1');
$addresses = [];
foreach (['TLSv1.3', 'TLSv1.2', 'TLSv1.1'] as $protocol) {
    $servers[] = $tls = new TlsServer($authority, $certificate, ['--tls-protocols', $protocol]);
    $addresses[$protocol] = $tls->url("cafile=$authority->file");
}
foreach (['TLSv1', 'TLSv1.3'] as $minimum) {
    configure($minimum);
    $child = Child::start('
        foreach ($args as $protocol => $address) {
            $lock = new RLock($address);
            $parent->say(outcome(fn () => [$lock->getLock("key"), $lock->releaseLock("key")]));
        }
    ', $addresses);
    foreach ($addresses as $protocol => $address) {
        say("$protocol, configured from $minimum on", $child->hear());
    }
    $child->wait();
}
/* It is spoken by that server. */
configure('TLSv1');
exec("openssl s_client -connect localhost:$tls->port -tls1_1 </dev/null 2>&1", $output);
say('openssl at TLSv1.1', preg_grep('/BEGIN CERTIFICATE/', $output) !== []);
?>
--EXPECT--
TLSv1.3, configured from TLSv1 on: [true,true]
TLSv1.2, configured from TLSv1 on: [true,true]
TLSv1.1, configured from TLSv1 on: RLock\ConnectionException
TLSv1.3, configured from TLSv1.3 on: [true,true]
TLSv1.2, configured from TLSv1.3 on: RLock\ConnectionException
TLSv1.1, configured from TLSv1.3 on: RLock\ConnectionException
openssl at TLSv1.1: true
