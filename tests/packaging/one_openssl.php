<?php
/*
 * With rlock and PHP's own openssl in one process, both use TLS, and there is one libssl and one libcrypto:
 * php -d extension=PATH one_openssl.php
 */
require_once __DIR__ . '/../tls/tls.inc';

$authority = new Authority();
$tls = new TlsServer($authority, $authority->sign('server', 'DNS:localhost'));

$locks = new RLock($tls->url("cafile=$authority->file"));
$locks->getLock('key') && $locks->releaseLock('key') || exit("no lock over TLS\n");

$context = stream_context_create(['ssl' => ['cafile' => $authority->file]]);
$stream = stream_socket_client("tls://localhost:$tls->port", $error, $message, 5, STREAM_CLIENT_CONNECT, $context);
fwrite($stream, "PING\r\n");
fgets($stream) === "+PONG\r\n" || exit("no TLS by PHP's own openssl\n");

preg_match_all('~/lib(?:ssl|crypto)\.so\S*$~m', file_get_contents('/proc/self/maps'), $libraries);
$libraries = array_unique($libraries[0]);
count($libraries) === 2 || exit('of OpenSSL there are ' . implode(', ', $libraries) . "\n");
echo "TLS by both, with one OpenSSL\n";
