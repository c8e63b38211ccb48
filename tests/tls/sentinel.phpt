--TEST--
sentinel://...?tls=1: the sentinels and the master over TLS, each verified for its name; also after a failover
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$good = $authority->sign('good', 'DNS:localhost,IP:127.0.0.1');
$strange = $authority->sign('strange', 'DNS:strange.example');
$both = $authority->sign('both', 'DNS:strange.example,IP:127.0.0.1');

/* The options by which a server speaks TLS with this certificate, with clients, its master and its replicas. */
function with(string $certificate, int $port): array
{
    global $authority;
    return ['tls-port' => $port, 'tls-replication' => 'yes', 'tls-auth-clients' => 'no', 'tls-ca-cert-file' => $authority->file,
        'tls-cert-file' => "$certificate.pem", 'tls-key-file' => "$certificate.key"];
}

function server(string $certificate, int $port, array $more = []): TestServer
{
    $arguments = [];
    foreach (with($certificate, $port) as $name => $value) {
        array_push($arguments, "--$name", $value);
    }
    return TestServer::start([...$arguments, '--repl-diskless-sync-delay', '0', ...$more]);
}

[$master_port, $replica_port, $sentinel_port, $strange_port, $plain_port] = array_map(free_port(...), range(1, 5));
$master = server($good, $master_port);
$replica = server($strange, $replica_port, ['--replicaof', "127.0.0.1 $master_port"]);
await_replicas($master->client());

/* It is asked for itself on a port without TLS. */
function sentinel(string $certificate, int $tls_port, int $port): TestSentinel
{
    global $master_port, $replica_port;
    $lines = "sentinel monitor mymaster 127.0.0.1 $master_port 1\n"
        . "sentinel down-after-milliseconds mymaster 60000\nsentinel known-replica mymaster 127.0.0.1 $replica_port\n";
    foreach (with($certificate, $tls_port) as $name => $value) {
        $lines .= "$name $value\n";
    }
    return new TestSentinel($port, temporary_folder() . "/sentinel$port", $lines);
}
$sentinel = sentinel($both, $sentinel_port, $plain_port);
sentinel($strange, $strange_port, free_port());

function pair(int $port, string $query = ''): string
{
    global $authority;
    $lock = new RLock("sentinel://127.0.0.1:$port/mymaster" . patiently("persistent=0&timeout=3&tls=1&cafile=$authority->file$query"));
    $told = settled_complaint(fn () => [$lock->getLock('key'), $lock->releaseLock('key')]);
    return preg_match('/ConnectionException.*(its certificate is not accepted( for \S+)?: [^;]+)/', $told, $match) ? $match[1] : $told;
}

say('all over TLS', pair($sentinel_port));
say('sentinels without', pair($plain_port, '&sentinel_tls=0'));
say("a sentinel with another's certificate", pair($strange_port));
say('not verified', pair($strange_port, '&verify=0'));
$master->client()('CONFIG', 'SET', 'tls-cert-file', "$strange.pem", 'tls-key-file', "$strange.key");
say("a master with another's certificate", pair($sentinel_port));
say('one name for all', pair($sentinel_port, '&sni=strange.example'));
say('another name for all', pair($sentinel_port, '&sni=third.example'));
$master->client()('CONFIG', 'SET', 'tls-cert-file', "$good.pem", 'tls-key-file', "$good.key");
say('its own again', pair($sentinel_port));

await('the other master', function () use ($sentinel, $replica_port) {
    try {
        $sentinel->client()('SENTINEL', 'FAILOVER', 'mymaster');
    } catch (RawError) { // it knows too little of the replica yet, or is at it
    }
    return $sentinel->client()('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')[1] === (string) $replica_port;
}, 60.0);
await('it is one', fn () => str_contains($replica->client()('INFO', 'replication'), 'role:master'));
say("the new master with another's certificate", pair($sentinel_port));
$replica->client()('CONFIG', 'SET', 'tls-cert-file', "$good.pem", 'tls-key-file', "$good.key");
say('the new master', pair($sentinel_port));
?>
--EXPECT--
all over TLS: [true,true]
sentinels without: [true,true]
a sentinel with another's certificate: its certificate is not accepted: IP address mismatch
not verified: [true,true]
a master with another's certificate: its certificate is not accepted: IP address mismatch
one name for all: [true,true]
another name for all: its certificate is not accepted for third.example: hostname mismatch
its own again: [true,true]
the new master with another's certificate: its certificate is not accepted: IP address mismatch
the new master: [true,true]
