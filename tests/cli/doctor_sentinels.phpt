--TEST--
rlock doctor: what each sentinel says of the others; a wrong name, and a master that is away
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/doctor.inc';

function hide_ports(array $told): array
{
    return preg_replace('/127\.0\.0\.1:\d+/', 'HOST', $told);
}

$group = new SentinelGroup(3);
say('all is well', hide_ports(told_of('sentinel', findings($group->url())[1])));
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
?>
--EXPECT--
all is well: ["ok: HOST: 3 usable Sentinels. Quorum and failover authorization can be reached","ok: HOST: 3 usable Sentinels. Quorum and failover authorization can be reached","ok: HOST: 3 usable Sentinels. Quorum and failover authorization can be reached"]
a wrong name: [1,"warn: Redis at HOST refused: ERR No such master with that name | See whether it is one of this master's sentinels",["fail: Sentinel at HOST does not know a master of the name \"yours\""]]
one of three: 0
    warn: Redis at HOST refused: NOQUORUM 1 usable Sentinels. Not enough available Sentinels to reach the specified quorum for this master. Not enough available Sentinels to reach the majority and authorize a failover | Start what is missing: while too few sentinels agree, nothing follows a master that fails
    warn: Cannot connect to Redis at HOST: Connection refused | Start what is missing: while too few sentinels agree, nothing follows a master that fails
    warn: Cannot connect to Redis at HOST: Connection refused | Start what is missing: while too few sentinels agree, nothing follows a master that fails
the lock: ["ok: One has it, and another finds it busy"]
no master: [1,["fail: Cannot connect to Redis at HOST: Connection refused"],[]]
