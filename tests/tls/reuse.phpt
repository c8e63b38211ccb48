--TEST--
rediss://: a connection is kept and used again; what is larger than a record of TLS passes both ways; a closed one is replaced
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$tls = new TlsServer($authority, $authority->sign('server', 'DNS:localhost'));
$url = $tls->url("cafile=$authority->file");
$client = $tls->server->client();
$connections = fn () => $client->info('total_connections_received');

ignore((new RLock($url))->getLock('first'));
$before = $connections();
for ($i = 0; $i < 20; $i++) {
    $lock = new RLock($url);
    ignore($lock->getLock('key'));
    $lock->releaseLock('key', confirm: $i % 2 === 0);
    unset($lock);
}
say('connections for 20 objects', $connections() - $before);

$lock = new RLock($url);
/* Its last record is large, too. */
$metadata = random_bytes(60000);
say('60000 bytes there', $lock->getLock('large', metadata: $metadata));
say('and back', $lock->holder('large')->metadata === $metadata);
$key = str_repeat('k', 1024 * 1024);
say('a key of 1 MiB', [$lock->getLock($key), $lock->isLocking($key), $lock->releaseLock($key)]);
say('many', [$lock->getLocks(range(1, 500)), $lock->releaseAll()]);
say('reconnects', $lock->stats()['reconnects']);

ignore($lock->getLock('key'));
$client('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
say('given back after the server closed', $lock->releaseLock('key'));
say('reconnects', $lock->stats()['reconnects']);
?>
--EXPECT--
connections for 20 objects: 0
60000 bytes there: true
and back: true
a key of 1 MiB: [true,true,true]
many: [true,true]
reconnects: 0
given back after the server closed: true
reconnects: 1
