--TEST--
What needs rights beyond the least, and what does not: replicas, a database, holders(), renewal, a majority, Sentinel
--FILE--
<?php
require __DIR__ . '/../majority.inc';

/* As in docs/operations.md and acl_least_rights.phpt, where all calls are made. */
const LEAST = 'ACL SETUSER shop reset on >secret ~lock@* ~rlock:* +evalsha +eval +set +mget +setrange +del +exists +pexpire +pttl +getrange +time +lpop +rpush +lindex +blpop +client|setname +client|id +client|unblock +info';
const LOGIN = 'user=shop&password=secret&persistent=0&timeout=10';

function give(RawClient $client, string $more = ''): void
{
    $client(...explode(' ', LEAST . $more));
    $client('ACL', 'LOG', 'RESET');
}

function pair(mixed $address, mixed ...$options): string
{
    return outcome(function () use ($address, $options) {
        $lock = new RLock($address, ...$options);
        return [$lock->getLock('key', ttl: 60.0), $lock->prolongate('key'), $lock->releaseLock('key')];
    });
}

$group = new SentinelGroup(1);
$master = $group->master;
$client = $master->client();
foreach (['+wait' => [$master->url(LOGIN), 'replicas' => 1], '+select' => [$master->url(LOGIN . '&db=1')]] as $right => $case) {
    give($client);
    say("without $right", [pair(...$case), $client('EXISTS', 'lock@key')]);
    give($client, " $right");
    say("with $right", [pair(...$case), count($client('ACL', 'LOG'))]);
}

foreach (['without' => '', 'with' => ' +scan'] as $what => $right) {
    give($client, $right);
    $lock = new RLock($master->url(LOGIN));
    ignore($lock->getLock('key'));
    say("$what +scan", outcome(fn () => array_keys($lock->holders())));
    $lock->close();
}

foreach (['' => 0, ' +wait' => 1] as $right => $replicas) {
    give($client, $right);
    $lock = new RLock($master->url(LOGIN), ttl: 3.0, autoRenew: true, replicas: $replicas);
    ignore($lock->getLock('renewed'));
    await('two renewals', fn () => $lock->stats()['renewals'] >= 2);
    say("renewal$right", [$lock->releaseLock('renewed'), count($client('ACL', 'LOG'))]);
}

/* On the sentinels, of which this is the one, another line. */
$sentinel = $group->sentinels[0]->client();
$sentinel('ACL', 'SETUSER', 'admin', 'on', '>x', '+@all');
$sentinel('AUTH', 'admin', 'x');
$url = 'sentinel://shop:secret@127.0.0.1:' . $group->sentinels[0]->port . '/' . SentinelGroup::NAME . '?persistent=0&sentinel_password=looks&timeout=10&connect_timeout=10';
foreach (['+client|setname', '+client|setname +sentinel|get-master-addr-by-name'] as $rights) {
    $line = "ACL SETUSER default reset on >looks $rights";
    $sentinel(...explode(' ', $line));
    say("sentinel: $rights", pair($url, replicas: 1));
}
say('denied by the master', count($client('ACL', 'LOG')));

$majority = new Majority(3);
foreach ($majority->servers as $server) {
    give($server->client());
}
say('majority', pair($majority->urls(LOGIN)));
say('denied', array_map(fn ($server) => count($server->client()('ACL', 'LOG')), $majority->servers));
?>
--EXPECT--
without +wait: ["RLock\\ServerException, NOPERM",0]
with +wait: ["[true,true,true]",0]
without +select: ["RLock\\ServerException, NOPERM",0]
with +select: ["[true,true,true]",0]
without +scan: RLock\ServerException, NOPERM
with +scan: ["key"]
renewal: [true,0]
renewal +wait: [true,0]
sentinel: +client|setname: RLock\ServerException, NOPERM
sentinel: +client|setname +sentinel|get-master-addr-by-name: [true,true,true]
denied by the master: 0
majority: [true,true,true]
denied: [0,0,0]
