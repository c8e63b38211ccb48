--TEST--
cluster://...?tls=1: all nodes over TLS, each verified for its name: as told, as announced, or one for all
--SKIPIF--
<?php
require __DIR__ . '/skip.inc';
preg_match('/v=(\d+)/', (string) shell_exec((getenv('RLOCK_REDIS_SERVER') ?: 'redis-server') . ' --version'), $version);
($version[1] ?? 0) >= 7 || die('skip nodes have no names before Redis 7.0');
?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$authority = new Authority();
$by_number = $authority->sign('by_number', 'DNS:one.example,DNS:all.example,IP:127.0.0.1');
$by_name = $authority->sign('by_name', 'DNS:two.example,DNS:all.example');
$ports = [free_port(), free_port()];
$nodes = array_map(fn (int $port) => TestServer::start(['--tls-port', $port, '--tls-cluster', 'yes',
    '--tls-cert-file', "$by_number.pem", '--tls-key-file', "$by_number.key", '--tls-ca-cert-file', $authority->file,
    '--tls-auth-clients', 'no', '--cluster-enabled', 'yes', '--cluster-config-file', "nodes-$port.conf"]), $ports);
[$one, $two] = array_map(fn (TestServer $node) => $node->client(), $nodes);
$one('CLUSTER', 'ADDSLOTSRANGE', 0, 8191);
$two('CLUSTER', 'ADDSLOTSRANGE', 8192, 16383);
$two('CLUSTER', 'SET-CONFIG-EPOCH', 2);
$two('CLUSTER', 'MEET', '127.0.0.1', $ports[0]);
foreach ([$one, $two] as $client) {
    await('a cluster', fn () => str_contains($client('CLUSTER', 'INFO'), 'cluster_state:ok'));
}

function key_on(int $node): string
{
    do {
        $key = unique_key();
    } while (intdiv(TestCluster::slot("lock@$key"), 8192) !== $node);
    return $key;
}

/* A pair on each node, by an object that knows none of them yet. */
function pairs(string $query = '', string $scheme = 'cluster'): void
{
    global $ports, $authority;
    $lock = new RLock("$scheme://127.0.0.1:$ports[0]" . patiently("persistent=0&timeout=3&tls=1&cafile=$authority->file$query"));
    foreach ([0, 1] as $node) {
        say("node $node", pair($lock, key_on($node)));
    }
}

function pair(RLock $lock, string $key): string
{
    $told = settled_complaint(fn () => [$lock->getLock($key), $lock->releaseLock($key)]);
    return preg_match('/ConnectionException.*(its certificate is not accepted( for \S+)?: [^;]+)/', $told, $match) ? $match[1] : $told;
}

pairs();
$other = new Authority();
$stranger = new RLock("cluster://127.0.0.1:$ports[0]" . patiently("timeout=3&tls=1&cafile=$other->file"));
say('another authority', str_contains(pair($stranger, key_on(0)), 'its certificate is not accepted'));
$plain = new RLock("cluster://127.0.0.1:$ports[0]" . patiently('timeout=3'));
say('without tls', str_contains(pair($plain, key_on(0)), 'does the server speak TLS on this port, which is rediss://, or tls=1'));

/* Whoever is sent on to a node verifies it, too, be it for once or for good. */
$asked = new RLock("cluster://127.0.0.1:$ports[0]" . patiently("timeout=1&persistent=0&tls=1&cafile=$authority->file"));
$key = key_on(0);
say('before', pair($asked, $key));
$one('FLUSHALL');
$slot = TestCluster::slot("lock@$key");
$two('CLUSTER', 'SETSLOT', $slot, 'IMPORTING', $one('CLUSTER', 'MYID'));
$one('CLUSTER', 'SETSLOT', $slot, 'MIGRATING', $two('CLUSTER', 'MYID'));
$two('CONFIG', 'SET', 'tls-cert-file', "$by_name.pem", 'tls-key-file', "$by_name.key");
say('sent on for once', pair($asked, $key));
$two('CLUSTER', 'SETSLOT', $slot, 'STABLE');
$one('CLUSTER', 'SETSLOT', $slot, 'STABLE');
$two('CONFIG', 'SET', 'tls-cert-file', "$by_number.pem", 'tls-key-file', "$by_number.key");
$sent_on = new RLock("cluster://127.0.0.1:$ports[0]" . patiently("timeout=3&persistent=0&tls=1&cafile=$authority->file"));
$key = key_on(0);
say('before', pair($sent_on, $key));
$one('FLUSHALL');
foreach ([$two, $one] as $client) {
    $client('CLUSTER', 'SETSLOT', TestCluster::slot("lock@$key"), 'NODE', $two('CLUSTER', 'MYID'));
}
$two('CONFIG', 'SET', 'tls-cert-file', "$by_name.pem", 'tls-key-file', "$by_name.key");
say('sent on', pair($sent_on, $key));

echo "Known by number, with a name in its certificate\n";
pairs();
echo "Announced by that name\n";
$two('CONFIG', 'SET', 'cluster-announce-hostname', 'two.example');
await('it is known', fn () => str_contains(json_encode($one('CLUSTER', 'SLOTS')), 'two.example'));
pairs();
say('sent on', pair($sent_on, $key));
echo "Announced by another\n";
$two('CONFIG', 'SET', 'cluster-announce-hostname', 'three.example');
await('it is known', fn () => str_contains(json_encode($one('CLUSTER', 'SLOTS')), 'three.example'));
pairs();
echo "One name for all\n";
pairs('&sni=all.example');
echo "Not verified\n";
pairs('&verify=0');
?>
--EXPECT--
node 0: [true,true]
node 1: [true,true]
another authority: true
without tls: true
before: [true,true]
sent on for once: its certificate is not accepted: IP address mismatch
before: [true,true]
sent on: its certificate is not accepted: IP address mismatch
Known by number, with a name in its certificate
node 0: [true,true]
node 1: its certificate is not accepted: IP address mismatch
Announced by that name
node 0: [true,true]
node 1: [true,true]
sent on: [true,true]
Announced by another
node 0: [true,true]
node 1: its certificate is not accepted for three.example: hostname mismatch
One name for all
node 0: [true,true]
node 1: [true,true]
Not verified
node 0: [true,true]
node 1: [true,true]
