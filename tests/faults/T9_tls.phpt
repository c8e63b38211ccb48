--TEST--
T9: TLS: wrong name, expired, unknown authority, plain text: ConnectionException with the reason, in time
--SKIPIF--
<?php require __DIR__ . '/../tls/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../tls/tls.inc';

$authority = new Authority();
$good = new TlsServer($authority, $authority->sign('server', 'DNS:localhost,IP:127.0.0.1'));
$elsewhere = new TlsServer($authority, $authority->sign('elsewhere', 'DNS:elsewhere.example,DNS:*.localhost'));
$expired = new TlsServer($authority, $authority->sign('expired', 'DNS:localhost', 0));
$strict = new TlsServer($authority, $authority->sign('strict', 'DNS:localhost'), ['--tls-auth-clients', 'yes']);
$old = new TlsServer($authority, $authority->sign('old', 'DNS:localhost'),
    ['--tls-auth-clients', 'yes', '--tls-protocols', 'TLSv1.2']);
/* A name in the subject alone: browsers and Go take none from there, either. */
$unnamed = new TlsServer($authority, $authority->sign('localhost', 'IP:127.0.0.2'));
$stranger = new Authority();
$strange = $stranger->sign('client', 'DNS:client');
$ca = "cafile=$authority->file";

/* Refused at once, in the words of who refuses, by which server, and with what to do about it. */
function refused(string $what, string $address, string ...$words): void
{
    $lock = new RLock(str_contains($address, "timeout") ? $address : "$address&timeout=10&connect_timeout=10");
    $took = seconds(fn () => say_told($what, fn () => $lock->getLock('key', wait: 10.0),
        'ConnectionException: ', 'Redis at ', ...$words));
    say_took('it took', $took, 0.0, 5.0);
}

refused('wrong name', $elsewhere->url($ca), 'Redis at localhost', 'certificate is not accepted: ', 'hostname mismatch', 'sni=');
refused('wrong IP address', $elsewhere->url($ca, '127.0.0.1'), 'Redis at 127.0.0.1', 'IP address mismatch', 'sni=');
refused('wrong sni', $good->url("$ca&sni=elsewhere.example"), 'hostname mismatch');
refused('no subjectAltName of that kind', $unnamed->url($ca), 'certificate is not accepted: ', 'hostname mismatch', 'subjectAltName');
refused('expired', $expired->url($ca), 'certificate has expired', 'renew it');
refused('unknown authority', $good->url("cafile=$stranger->file"), 'certificate is not accepted: ', 'cafile=');
refused("not one of the system's", $good->url('persistent=0'), 'certificate is not accepted: ', 'cafile=');
refused('no client certificate', $strict->url($ca), 'alert', 'certificate required', 'cert=');
say('a proxy is suspected', str_contains(complaint(fn () => (new RLock($strict->url("$ca&persistent=0")))->getLock('key')), 'proxy'));
refused('a strange one', $strict->url("$ca&cert=$strange.pem&key=$strange.key"), 'alert unknown ca', 'cert=');
refused('no client certificate, TLS 1.2', $old->url($ca), 'alert handshake failure', 'cert=');

/* Nothing of it has reached the servers. */
$plain = Child::start('
    $listener = stream_socket_server("tcp://127.0.0.1:0");
    $parent->say(stream_socket_get_name($listener, false));
    $first = stream_socket_accept($listener, 30);
    fread($first, 1000);
    fwrite($first, "-ERR unknown command\r\n");
    while ($next = stream_socket_accept($listener, 60)) {
        fread($next, 1000);
        fclose($next);
    }
');
$address = 'rediss://' . $plain->hear() . "?$ca";
refused('answers in plain text', $address, 'does the server speak TLS on this port', 'redis://');
refused('closes', "$address&timeout=1", 'closed the connection', 'in the TLS handshake', 'redis://');

/* One for the other. Redis waits for the end of a line, unless there is one in what TLS says. */
$lock = new RLock("redis://localhost:$good->port?timeout=10&connect_timeout=10");
say_told('plain text to TLS', fn () => $lock->getLock('key'), 'ConnectionException: ', 'Redis at localhost', 'rediss://');
$lock = new RLock("rediss://localhost:{$good->server->port}?$ca&timeout=0.3");
say_told('TLS to plain text', fn () => $lock->getLock('key'), 'ConnectionException: ', 'Redis at localhost', 'or is redis://');

/* No answer: the deadline. A Redis that reads a greeting of TLS waits for the end of a line. */
function at_deadline(string $what, string $address): void
{
    $lock = new RLock($address);
    say_took($what, seconds(fn () => say_told($what, fn () => $lock->getLock('key'),
        'ConnectionException: ', 'Redis at ', 'no TLS handshake within the timeout', 'does the server speak TLS', 'redis://',
        'frozen?')), 0.29, 0.8);
}

$silent = stream_socket_server('tcp://127.0.0.1:0');
at_deadline('silent', 'rediss://' . stream_socket_get_name($silent, false) . "?$ca&timeout=0.3");
at_deadline('slow to connect', 'rediss://' . stream_socket_get_name($silent, false) . "?$ca&connect_timeout=0.3");
$dripping = Child::start('
    $listener = stream_socket_server("tcp://127.0.0.1:0");
    $parent->say(stream_socket_get_name($listener, false));
    $client = stream_socket_accept($listener, 30);
    for ($bytes = "\x16\x03\x03\x3f\xff"; @fwrite($client, $bytes) > 0; $bytes = "\2") {
        usleep(1000);
    }
');
at_deadline('dripping', 'rediss://' . $dripping->hear() . "?$ca&timeout=0.3");
$good->server->freeze();
at_deadline('frozen', $good->url("$ca&timeout=0.3"));
$good->server->thaw();
$lock = new RLock($good->url("$ca&timeout=10"));
say('thawed', outcome(fn () => $lock->getLock('key')));

/* And after the handshake. */
$lock = new RLock($good->url("$ca&timeout=0.3"));
take_briefly($lock->getLock(...), 'other');
$good->server->freeze();
say_took('frozen in a call', seconds(fn () => say('frozen in a call', outcome(fn () => $lock->releaseLock('other')))), 0.29, 0.8);
say_told('that it speaks TLS is known', fn () => $lock->getLock('key'),
    'no TLS handshake within the timeout; is the server overloaded or frozen?');
$good->server->thaw();
?>
--EXPECT--
wrong name: told
it took: in time
wrong IP address: told
it took: in time
wrong sni: told
it took: in time
no subjectAltName of that kind: told
it took: in time
expired: told
it took: in time
unknown authority: told
it took: in time
not one of the system's: told
it took: in time
no client certificate: told
it took: in time
a proxy is suspected: false
a strange one: told
it took: in time
no client certificate, TLS 1.2: told
it took: in time
answers in plain text: told
it took: in time
closes: told
it took: in time
plain text to TLS: told
TLS to plain text: told
silent: told
silent: in time
slow to connect: told
slow to connect: in time
dripping: told
dripping: in time
frozen: told
frozen: in time
thawed: true
frozen in a call: RLock\ConnectionException
frozen in a call: in time
that it speaks TLS is known: told
