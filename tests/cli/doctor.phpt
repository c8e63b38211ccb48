--TEST--
rlock doctor: what works is told, and each way to be wrong, with what to do; no key stays behind
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; require __DIR__ . "/../tls/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/doctor.inc';
require __DIR__ . '/../tls/tls.inc';

$server = TestServer::start();
examine('all is well', $server->url(), [$server]);
[$status, $output] = rlock('doctor', $server->url());
say('for people', [$status, preg_match('/^OK +take +One has it/m', $output), preg_match('/^WARN +persistence +aof_enabled is 0: .*Set appendonly/m', $output)]);
say('by RLOCK_SERVERS', rlock('doctor', '--quiet')[0]);
say('nothing left behind', $server->client()('KEYS', '*'));

// Nobody there, or not for us.
[$status, $output, $errors] = rlock('doctor', nowhere());
say('nobody there', [$status, substr_count($output, "\n"), $errors]);
examine('nobody there', nowhere());
say('no address', rlock('doctor', 'redis//x')[0]);
$client = $server->client();
$client('ACL', 'SETUSER', 'all', 'on', '>secret', '~*', '&*', '+@all');
examine('a wrong password', $server->url('user=all&password=wrong'));

// Rights that are missing.
const RIGHTS = ['eval', 'evalsha', 'set', 'mget', 'setrange', 'exists', 'pexpire', 'pttl', 'getrange', 'del', 'time', 'rpush', 'lindex', 'blpop', 'lpop',
    'client|setname', 'client|list', 'client|id', 'client|unblock', 'info', 'scan', 'wait'];
foreach (RIGHTS as $right) {
    $client('ACL', 'SETUSER', 'all', 'reset', 'on', '>secret', '~*', '&*', '+@all', "-$right");
    $found = json_decode(rlock('doctor', '--json', $server->url('timeout=2&user=all&password=secret'))[1], true);
    $named = array_filter($found, fn (array $line) => $line['check'] === 'rights' && $line['do'] === "ACL SETUSER ... +$right");
    say($right, array_column($named, 'status'));
    $keys = $client('KEYS', '*');
    $keys === [] || say('left behind', $keys);
}
$tried = fn (array $found): array => array_map(fn (string $check) => "$check " . array_column($found, 'status', 'check')[$check],
    ['take', 'wait', 'hand over', 'break', 'share']);
foreach (['rpush', 'blpop', 'del', 'zadd'] as $right) {
    $client('ACL', 'SETUSER', 'all', 'reset', 'on', '>secret', '~*', '&*', '+@all', "-$right");
    say("all is tried without $right", $tried(findings($server->url('user=all&password=secret'))[1]));
}
$client('ACL', 'SETUSER', 'all', 'reset', 'on', '>secret', '~mine@*', '+@all');
examine('no right to the keys', $server->url('user=all&password=secret'), [$server], ['persistence', 'take']); // in other words each time

// The server's state.
$client('CONFIG', 'SET', 'maxmemory', '1');
examine('memory is full', $server->url(), [$server]);
say('and nothing of it is tried', $tried(findings($server->url())[1]));
examine('memory is full, and the time short', $server->url('timeout=1'), [$server]);
$client('CONFIG', 'SET', 'maxmemory', '1gb');
$client('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
examine('it evicts', $server->url(), [$server]);
$client('SET', 'something', 'else');
$client('CONFIG', 'SET', 'maxmemory', '1');
await('something is evicted', function () use ($client) {
    try {
        $client('SET', 'something', 'more');
    } catch (RawError) {
    }
    return preg_match('/evicted_keys:[1-9]/', $client('INFO', 'stats'));
});
$client('CONFIG', 'SET', 'maxmemory', '1gb');
examine('it has evicted', $server->url(), [$server]);
$client('CONFIG', 'SET', 'maxmemory', '0');
$client('SET', 'lock@foreign', 'secret');
examine('others under the prefix', $server->url(), [$server]);
$client('DEL', 'lock@foreign');
$renamed = TestServer::start(['--rename-command', 'BLPOP', '', '--rename-command', 'SETRANGE', '']);
examine('renamed commands', $renamed->url(), [$renamed]);

// Its place.
$group = new SentinelGroup(1);
examine('sentinel://', $group->url(), [$group->master]);
examine('a sentinel', 'redis://127.0.0.1:' . $group->sentinels[0]->port);
examine('a replica', $group->replica->url('timeout=0.5'), [$group->replica]);
$cluster = new TestCluster();
examine('cluster://', $cluster->url(), $cluster->masters);
// Its lock may be there by chance.
say('a node of it', array_column(json_decode(rlock('doctor', '--json', $cluster->masters[0]->url())[1], true), 'do', 'check')['server']);
$cluster->masters[1]->client()('CLUSTER', 'DELSLOTS', $slot = intdiv(16384, 3) + 1);
$cluster->awaitState('fail', [$cluster->masters[1]]);
examine('a slot that nobody has', $cluster->url(), $cluster->masters, ['persistence', 'round trip', 'take']); // its node is down
$nodes = [TestServer::start(), TestServer::start(), TestServer::start()];
$urls = implode(' ', array_map(fn (TestServer $node) => $node->url(), $nodes));
examine('a majority', $urls, $nodes);
[$status, $found] = findings($urls);
say('is tried to the end', [preg_grep('/^hand over/', $tried($found), PREG_GREP_INVERT), told_of('appendfsync', $found)]);
foreach ($nodes as $node) {
    $node->client()('CONFIG', 'SET', 'appendonly', 'yes');
}
say('and needs more than others', array_unique(preg_replace('~(/[\w.-]+)+/[\w-]*\.sock~', 'SERVER', told_of('appendfsync', findings($urls)[1]))));
foreach ($nodes as $node) {
    $node->client()('CONFIG', 'SET', 'appendonly', 'no');
}
$nodes[2]->kill();
examine('one of them is gone', $urls, [$nodes[0], $nodes[1]]);
$nodes[1]->kill();
examine('two of them are gone', $urls, [$nodes[0]]);

// TLS.
$authority = new Authority();
$tls = new TlsServer($authority, $authority->sign('server', 'DNS:localhost'));
examine('TLS', $tls->url("cafile=$authority->file"), [$tls->server]);
examine('not verified', $tls->url('verify=0'), [$tls->server]);
examine('an unknown authority', $tls->url());
examine('no TLS there', 'rediss://127.0.0.1:' . $group->master->port . '?connect_timeout=0.3');
examine('TLS, and the address asks for none', "redis://127.0.0.1:$tls->port?timeout=2");
?>
--EXPECT--
all is well: 0
for people: [0,1,1]
by RLOCK_SERVERS: 0
nothing left behind: []
nobody there: [1,1,""]
nobody there: 1
    fail server: Cannot connect to Redis at SERVER: No such file or directory
no address: 64
a wrong password: 1
    fail server: Redis at SERVER refused the user or the password (WRONGPASS): look at both in the address, where they are percent-encoded
eval: ["fail"]
evalsha: ["fail"]
set: ["fail"]
mget: ["fail"]
setrange: ["fail"]
exists: ["fail"]
pexpire: ["fail"]
pttl: ["fail"]
getrange: ["fail"]
del: ["fail"]
time: ["warn"]
rpush: ["warn"]
lindex: ["warn"]
blpop: ["warn"]
lpop: ["warn"]
client|setname: ["warn"]
client|list: ["warn"]
client|id: ["warn"]
client|unblock: ["warn"]
info: ["warn"]
scan: ["warn"]
wait: ["warn"]
all is tried without rpush: ["take ok","wait warn","hand over ok","break ok","share ok"]
all is tried without blpop: ["take ok","wait warn","hand over ok","break ok","share ok"]
all is tried without del: ["take ok","wait skipped","hand over skipped","break skipped","share skipped"]
all is tried without zadd: ["take ok","wait ok","hand over ok","break ok","share warn"]
no right to the keys: 1
    fail rights: This user may not use all keys of locks | ACL SETUSER ... ~PREFIX* ~rlock:*
memory is full: 1
    warn memory: N of N MiB are used: no lock is granted when it is full | Raise maxmemory, or see what fills it
    fail take: Redis at SERVER refused: OOM command not allowed when used memory > 'maxmemory'.
and nothing of it is tried: ["take fail","wait skipped","hand over skipped","break skipped","share skipped"]
memory is full, and the time short: 1
    warn memory: N of N MiB are used: no lock is granted when it is full | Raise maxmemory, or see what fills it
    fail take: Redis at SERVER refused: OOM command not allowed when used memory > 'maxmemory'.
it evicts: 0
    warn eviction: maxmemory_policy is allkeys-lru: when its memory is full it evicts keys, and a lock may vanish while it is held | Set maxmemory-policy noeviction
it has evicted: 1
    fail eviction: maxmemory_policy is allkeys-lru, and evicted_keys N: locks vanish while they are held | Set maxmemory-policy noeviction
others under the prefix: 0
    warn keys: Locks under the prefix: 1; of other clients than rlock: 1; without an end: 1 | See `rlock ls --foreign`; give locks a prefix of their own
renamed commands: 1
    fail rights: Without setrange, calls fail | ACL SETUSER ... +setrange
    warn rights: Without blpop, waiters ask every 50 to 100 ms, in no order | ACL SETUSER ... +blpop
    warn wait: The waiter was not woken (that takes rpush and blpop), but got it when it asked again
sentinel://: 0
a sentinel: 1
    fail server: It is a sentinel, which has no keys | Write sentinel://HOST/NAME-OF-THE-MASTER
a replica: 1
    fail server: role is slave: locks are on masters | Give the address of the master, or of its sentinels
    fail take: Redis at SERVER refused: READONLY You can't write against a read only replica; it is a replica, and for the whole call its address led to no master: if a failover is under way, that passes; if not, give an address that leads to the master, or sentinels (sentinel://), which know it
cluster://: 0
a node of it: Write cluster://
a slot that nobody has: 1
    fail slots: SERVER: cluster_slots_ok is 16383: locks whose slots have no master cannot be had | See CLUSTER SLOTS, and give each slot a master that lives
a majority: 0
is tried to the end: [{"0":"take ok","1":"wait skipped","3":"break ok","4":"share skipped"},[]]
and needs more than others: ["warn: SERVER: appendfsync is everysec: a power failure may lose the locks of the last second or two, and with that server's vote a second majority may be formed | Set appendfsync always on each of the servers"]
one of them is gone: 0
    warn server: Cannot connect to Redis at SERVER: Connection refused
two of them are gone: 1
    warn server: Cannot connect to Redis at SERVER: Connection refused
    warn server: Cannot connect to Redis at SERVER: Connection refused
    fail take: 2 of 3 servers cannot be asked, so there is no majority; Cannot connect to Redis at SERVER: Connection refused; Cannot connect to Redis at SERVER: Connection refused
TLS: 0
not verified: 0
    warn tls: Any certificate is accepted | Leave verify=0 out, and name the authority by cafile
an unknown authority: 1
    fail server: Cannot connect to Redis at SERVER: its certificate is not accepted: self-signed certificate in certificate chain; cafile= must name a file with the authority that signed it
no TLS there: 1
    fail server: Cannot connect to Redis at SERVER: no TLS handshake within the timeout; does the server speak TLS on this port, or is redis:// (for several: no tls=1) meant? Or is it overloaded or frozen?
TLS, and the address asks for none: 1
    fail server: Redis at SERVER: Connection reset by peer; unanswered: CLIENT SETNAME, INFO server, INFO memory: is it a proxy that does not know one of these, or does the server speak TLS on this port, which is rediss://, or tls=1 for several?