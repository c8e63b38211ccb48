--TEST--
rlock doctor: what each sentinel says of the others; a wrong name, and a master that is away
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; require __DIR__ . "/../tls/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/doctor.inc';
require __DIR__ . '/../tls/tls.inc';

function hide_ports(array $told): array
{
    return preg_replace('/127\.0\.0\.1:\d+/', 'HOST', $told);
}

$group = new SentinelGroup(3);
say('all is well', hide_ports(told_of('sentinel', findings($group->url())[1])));
say('a replica', hide_ports(told_of('replica', findings($group->url())[1])));
$group->replica->client()('CONFIG', 'SET', 'requirepass', 'another');
say('one that does not let us in', hide_ports(told_of('replica', findings($group->url())[1])));
[$status, $found] = findings(str_replace('/mymaster', '/yours', $group->url()));
say('a wrong name', [$status, hide_ports(told_of('sentinel', $found))[0], hide_ports(told_of('server', $found))]);

$group->expectDeath();
$group->sentinels[1]->kill();
$group->sentinels[2]->kill();
$first = $group->sentinels[0]->client();
await('one sentinel alone', function () use ($first) {
    try {
        $first('SENTINEL', 'CKQUORUM', SentinelGroup::NAME);
        return false;
    } catch (RawError) {
        return true;
    }
});
[$status, $found] = findings($group->url('timeout=2'));
say('one of three', $status);
foreach (hide_ports(told_of('sentinel', $found)) as $told) {
    echo "    $told\n";
}
say('the lock', told_of('take', $found));

$group->master->kill();
[$status, $found] = findings($group->url('timeout=1'));
say('no master', [$status, hide_ports(told_of('server', $found)), told_of('take', $found)]);

// The replica has a certificate of another name.
$authority = new Authority();
$start = function (string $name, array $more = []) use ($authority): TestServer {
    $certificate = $authority->sign(strtr($name, ':', '-'), $name);
    return TestServer::start(['--tls-port', $port = (string) free_port(), '--tls-auth-clients', 'no', '--tls-replication', 'yes', '--tls-ca-cert-file', $authority->file,
        '--tls-cert-file', "$certificate.pem", '--tls-key-file', "$certificate.key", '--repl-diskless-sync-delay', '0', ...$more], port: 0);
};
$port = fn (TestServer $server) => (int) $server->client()('CONFIG', 'GET', 'tls-port')[1];
$master = $start('IP:127.0.0.1');
$replica = $start('DNS:strange.example', ['--replicaof', '127.0.0.1', (string) $port($master)]);
await_replicas($master->client());
$certificate = $authority->sign('sentinel', 'IP:127.0.0.1');
$sentinel = new TestSentinel(free_port(), temporary_folder() . '/sentinel-tls', "sentinel monitor mymaster 127.0.0.1 {$port($master)} 1
sentinel down-after-milliseconds mymaster 60000\nsentinel known-replica mymaster 127.0.0.1 {$port($replica)}\ntls-replication yes\ntls-ca-cert-file $authority->file
tls-cert-file $certificate.pem\ntls-key-file $certificate.key\n");
[$status, $found] = findings("sentinel://127.0.0.1:$sentinel->port/mymaster?tls=1&sentinel_tls=0&cafile=$authority->file&timeout=5");
say('a name that is not its own', [$status, hide_ports(told_of('replica', $found)), hide_ports(told_of('tls', $found))]);
?>
--EXPECT--
all is well: ["ok: HOST: 3 usable Sentinels. Quorum and failover authorization can be reached","ok: HOST: 3 usable Sentinels. Quorum and failover authorization can be reached","ok: HOST: 3 usable Sentinels. Quorum and failover authorization can be reached"]
a replica: ["ok: HOST lets this user in"]
one that does not let us in: ["warn: Redis at HOST refused: NOAUTH Authentication required. Its password goes into the address, percent-encoded: redis://:password@host, unix:///path?password=..., a sentinel's as sentinel_password=... (in PHP the constructor's $servers or the ini setting rlock.servers; for the command, --servers or RLOCK_SERVERS) | If it takes over, no lock can be had: give it the users and the names that the master has"]
a wrong name: [1,"warn: Redis at HOST refused: ERR No such master with that name | See whether it is one of this master's sentinels",["fail: Sentinel at HOST does not know a master of the name \"yours\"; Sentinel at HOST does not know a master of the name \"yours\"; Sentinel at HOST does not know a master of the name \"yours\""]]
one of three: 0
    warn: Redis at HOST refused: NOQUORUM 1 usable Sentinels. Not enough available Sentinels to reach the specified quorum for this master. Not enough available Sentinels to reach the majority and authorize a failover | Start what is missing: while too few sentinels agree, nothing follows a master that fails
    warn: Cannot connect to Redis at HOST: Connection refused | Start what is missing: while too few sentinels agree, nothing follows a master that fails
    warn: Cannot connect to Redis at HOST: Connection refused | Start what is missing: while too few sentinels agree, nothing follows a master that fails
the lock: ["ok: One has it, and another finds it busy"]
no master: [1,["fail: Cannot connect to Redis at HOST: Connection refused; Cannot connect to Redis at HOST: Connection refused; Cannot connect to Redis at HOST: Connection refused"],[]]
a name that is not its own: [0,["warn: Cannot connect to Redis at HOST: its certificate is not accepted: IP address mismatch; connect by a name that its subjectAltName has, or say which one with sni= | If it takes over, no lock can be had: give it the users and the names that the master has"],["warn: Anybody in between can name another master, and read the sentinels' password | Leave sentinel_tls=0 out","ok: Its certificate was verified, and is for \"127.0.0.1\""]]
