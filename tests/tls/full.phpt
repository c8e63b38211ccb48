--TEST--
A server with too many clients ends a TLS handshake without a word: retried within the deadline, and told
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$server = new TlsServer($authority, $authority->sign('server', 'DNS:localhost'));
$url = fn ($timeout) => $server->url("persistent=0&cafile=$authority->file&timeout=$timeout");
$child = Child::start('
    $client = new RawClient("unix://$args[0]");
    $client("CONFIG", "SET", "maxclients", 1);
    $parent->say("full");
    $parent->hear();
    usleep(300_000);
    $client("CONFIG", "SET", "maxclients", 1000);
    $parent->hear();
', [$server->server->socket]);
$child->hear();
say_took('full', seconds(fn () => say_told('full', fn () => (new RLock($url(1)))->getLock('key'), 'ConnectionException: ',
    'in the TLS handshake', 'does it have too many clients?')), 0.7, 1.5);
$child->say('soon');
say('for a moment', outcome(fn () => (new RLock($url(10)))->getLock('key')));
?>
--EXPECT--
full: told
full: in time
for a moment: true
