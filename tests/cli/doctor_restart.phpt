--TEST--
rlock doctor: what a restart or a power failure loses; what it says of the default user is true
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/doctor.inc';

$server = TestServer::start(['--appendonly', 'yes']);
$client = $server->client();
foreach (['always', 'everysec', 'no'] as $policy) {
    $client('CONFIG', 'SET', 'appendfsync', $policy);
    say($policy, told_of('appendfsync', findings($server->url())[1]));
}
$client('ACL', 'SETUSER', 'shop', 'on', '>secret', '~*', '&*', '+@all', '-config');
$shop = $server->url('user=shop&password=secret');
say('without the right to ask', preg_match('/^skipped: CONFIG GET appendfsync is not answered: .*NOPERM/', told_of('appendfsync', findings($shop)[1])[0]));

/*
 * The server logs no one in as its default user. Whether its locks are there after a restart, and whether who may not ask was
 * told of it.
 */
function restart(string $what, string ...$default): array
{
    $users = temporary_folder() . '/' . md5($what) . '.acl';
    file_put_contents($users, "user shop on >secret ~* &* +@all\nuser watch on >secret ~* &* +@all -acl\nuser default " . implode(' ', $default) . "\n");
    $server = TestServer::start(['--appendonly', 'yes', '--appendfsync', 'always', '--aof-use-rdb-preamble', 'no', '--aclfile', $users]);
    $shop = $server->url('user=shop&password=secret');
    $told = told_of('default user', findings($shop)[1]);
    $locks = new RLock($shop, ttl: 600.0);
    $locks->getLock('kept') || say('not had', true);
    $server->kill();
    $server = $server->restart();
    $is_kept = $locks->isLocking('kept');
    say("$what, told as it is", $is_kept === ($told === []));
    say('with what to do', $told === [] || str_contains($told[0], ' | ACL SETUSER default allkeys +@all '));
    $told = told_of('default user', findings($server->url('user=watch&password=secret'))[1]);
    outcome(fn () => $locks->close());
    return [$is_kept, $told !== [] && str_starts_with($told[0], 'skipped: ACL DRYRUN is denied')];
}

$found = [
    restart('as it was', 'on', 'nopass', 'allkeys', '+@all'),
    restart('off, but with its rights', 'off', 'allkeys', '+@all'),
    restart('off', 'off'),
];
say('kept, as long as it has its rights', array_slice(array_column($found, 0), 0, 2));
[$is_kept] = $found[2]; // by newer servers alone, where there is nothing to tell
say('who may not ask is told that it may be lost', array_column($found, 1) === array_fill(0, 3, !$is_kept));
?>
--EXPECT--
always: ["ok: appendfsync is always: a power failure loses no lock"]
everysec: ["ok: appendfsync is everysec: a power failure may lose the locks of the last second or two, but no `durable` one"]
no: ["warn: appendfsync is no: a power failure may lose the locks of half a minute, and none gets `durable` | Set appendfsync everysec, or always"]
without the right to ask: 1
as it was, told as it is: true
with what to do: true
off, but with its rights, told as it is: true
with what to do: true
off, told as it is: true
with what to do: true
kept, as long as it has its rights: [true,true]
who may not ask is told that it may be lost: true
