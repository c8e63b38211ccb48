--TEST--
rlock doctor: faults of a server's version that matter to locks, and no others
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/doctor.inc';

$servers = [TestServer::start(), TestServer::start(['--appendonly', 'yes'])];
foreach ($servers as $server) {
    $server->client()('ACL', 'SETUSER', 'shop', 'on', '>secret', '~*', '&*', '+@all');
    $server->client()('ACL', 'SETUSER', 'default', 'resetkeys');
}
foreach ([
    'redis' => ['6.2.0', '6.2.6', '6.2.7', '7.0.0', '7.1.9', '7.2.0', '7.2.1', '7.2.2', '7.2.4', '7.2.5', '8.0.1', '8.5.9', '8.6.0'],
    'valkey' => ['7.1.9', '7.2.0', '7.2.5', '7.2.6', '8.0.0', '9.1.1', '9.1.2'],
] as $product => $versions) {
    foreach ($versions as $version) {
        $disguise = new Disguise($servers[0], product: $product, version: $version);
        $told = told_of('version', findings($disguise->url('user=shop&password=secret'))[1]);
        $first = array_shift($told);
        say("$product $version", [preg_match('/^ok: .* is (\w+ \d\.\d)\.0*(\d+)$/', $first, $match) ? "$match[1].$match[2]" : $first, ...$told]);
        $disguise->end();
        /* What a restart drops there, if there is a file to drop it from. */
        if (in_array($version, ['8.5.9', '8.6.0', '9.1.1', '9.1.2'], true)) {
            foreach ($servers as $i => $server) {
                $disguise = new Disguise($server, product: $product, version: $version);
                $told = told_of('default user', findings($disguise->url('user=shop&password=secret'))[1]);
                say(['without a file', 'with one'][$i], $told === [] ? 'nothing' : 'told');
                $disguise->end();
            }
        }
    }
}
?>
--EXPECT--
redis 6.2.0: ["Redis 6.2.0","warn: Scripts ignore min-replicas-to-write: a master that was cut off goes on granting locks | Upgrade to 6.2.7 or later"]
redis 6.2.6: ["Redis 6.2.6","warn: Scripts ignore min-replicas-to-write: a master that was cut off goes on granting locks | Upgrade to 6.2.7 or later"]
redis 6.2.7: ["Redis 6.2.7"]
redis 7.0.0: ["Redis 7.0.0"]
redis 7.1.9: ["Redis 7.1.9"]
redis 7.2.0: ["Redis 7.2.0","warn: WAITAOF may time out where nothing else is written: `durable` locks are refused then | Upgrade to 7.2.2 or later","warn: A BLPOP that was woken in vain begins anew: a wait may be too long | Upgrade to 7.2.5 or later"]
redis 7.2.1: ["Redis 7.2.1","warn: WAITAOF may time out where nothing else is written: `durable` locks are refused then | Upgrade to 7.2.2 or later","warn: A BLPOP that was woken in vain begins anew: a wait may be too long | Upgrade to 7.2.5 or later"]
redis 7.2.2: ["Redis 7.2.2","warn: A BLPOP that was woken in vain begins anew: a wait may be too long | Upgrade to 7.2.5 or later"]
redis 7.2.4: ["Redis 7.2.4","warn: A BLPOP that was woken in vain begins anew: a wait may be too long | Upgrade to 7.2.5 or later"]
redis 7.2.5: ["Redis 7.2.5"]
redis 8.0.1: ["Redis 8.0.1"]
redis 8.5.9: ["Redis 8.5.9"]
without a file: nothing
with one: told
redis 8.6.0: ["Redis 8.6.0"]
without a file: nothing
with one: nothing
valkey 7.1.9: ["Valkey 7.1.9"]
valkey 7.2.0: ["Valkey 7.2.0","warn: A BLPOP that was woken in vain begins anew: a wait may be too long | Upgrade to 7.2.6 or later"]
valkey 7.2.5: ["Valkey 7.2.5","warn: A BLPOP that was woken in vain begins anew: a wait may be too long | Upgrade to 7.2.6 or later"]
valkey 7.2.6: ["Valkey 7.2.6"]
valkey 8.0.0: ["Valkey 8.0.0"]
valkey 9.1.1: ["Valkey 9.1.1"]
without a file: nothing
with one: told
valkey 9.1.2: ["Valkey 9.1.2"]
without a file: nothing
with one: nothing
