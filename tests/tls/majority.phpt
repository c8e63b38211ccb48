--TEST--
rediss://: a majority of servers over TLS, also while one is frozen or shows another's certificate
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$good = $authority->sign('server', 'DNS:localhost');
$other = $authority->sign('other', 'DNS:other.example');
$query = "cafile=$authority->file&timeout=5";
$servers = [new TlsServer($authority, $good), new TlsServer($authority, $good), new TlsServer($authority, $good)];
$strange = new TlsServer($authority, $other);
$stranger = new TlsServer($authority, $other);
$urls = fn (TlsServer ...$servers) => array_map(fn ($server) => $server->url($query), $servers);

function pair(array $urls): void
{
    $lock = new RLock($urls);
    $rival = new RLock($urls);
    say('pair', outcome(fn () => [$lock->getLock('key'), $rival->getLock('key'), $lock->releaseLock('key'),
        $rival->getLock('key'), $rival->releaseLock('key')]));
}

pair($urls(...$servers));
pair($urls($servers[0], $servers[1], $strange));
pair($urls($servers[0], $strange, $stranger));
$servers[2]->server->freeze();
say_took('with one frozen', seconds(fn () => pair($urls(...$servers))), 0.0, 0.8);
$servers[2]->server->thaw();
?>
--EXPECT--
pair: [true,false,true,true,true]
pair: [true,false,true,true,true]
pair: RLock\ConnectionException
pair: [true,false,true,true,true]
with one frozen: in time
