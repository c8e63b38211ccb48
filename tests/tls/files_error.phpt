--TEST--
rediss://: files that cannot be used are a ConnectionException at the first use that names them, and are read again
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$certificate = $authority->sign('server', 'DNS:localhost');
$client = $authority->sign('client', 'DNS:client');
$other = $authority->sign('other', 'DNS:other');
$tls = new TlsServer($authority, $certificate);
$ca = "cafile=$authority->file";
Authority::openssl('ec', '-in', "$client.key", '-aes128', '-passout', 'pass:hunter2', '-out', "$client.secret");
$folder = dirname($authority->file);

/* Made without I/O, so what is in the files shows when it connects. */
function take(string $address): Closure
{
    $lock = new RLock($address);
    return fn () => $lock->getLock('key');
}

foreach ([
    ["cafile=$folder/none", 'cafile=', '/none', 'No such file'],
    ["cafile=$client.key", 'cafile=', 'client.key', 'no certificate'],
    ["$ca&cert=$folder/none", 'cert=', '/none', 'No such file'],
    ["$ca&cert=$client.key", 'cert=', 'client.key', 'cannot be used: '],
    ["$ca&cert=$client.pem", 'cert=', 'client.pem', 'no private key'],
    ["$ca&cert=$client.pem&key=$folder/none", 'key=', '/none', 'No such file'],
    ["$ca&cert=$client.pem&key=$client.pem", 'key=', 'client.pem', 'no private key'],
    ["$ca&cert=$client.pem&key=$other.key", 'key=', 'other.key', 'not that of the certificate'],
    ["$ca&cert=$client.pem&key=$client.secret", 'key=', 'client.secret', 'protected by a passphrase'],
] as [$query, $option, $file, $reason]) {
    say_told("$option $reason", take($tls->url($query)), 'ConnectionException: ', 'Redis at localhost', $option, $file, $reason);
}

/* An authority that does not serve is looked at again when it has been replaced. */
$stranger = new Authority();
copy($stranger->file, "$folder/changing.pem");
$lock = new RLock($tls->url("cafile=$folder/changing.pem"));
say('before', outcome(fn () => $lock->getLock('key')));
copy($authority->file, "$folder/changing.pem");
say('after', outcome(fn () => $lock->getLock('key')));
?>
--EXPECT--
cafile= No such file: told
cafile= no certificate: told
cert= No such file: told
cert= cannot be used: : told
cert= no private key: told
key= No such file: told
key= no private key: told
key= not that of the certificate: told
key= protected by a passphrase: told
before: RLock\ConnectionException
after: true
