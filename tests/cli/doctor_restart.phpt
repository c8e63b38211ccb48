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

/* The server logs no one in as its default user. Whether its locks are there after a restart, and what was said before. */
function restart(string $what, string ...$default): void
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
    $told === [] || say('what to do', explode(' | ', $told[0]));
    $told = told_of('default user', findings($server->url('user=watch&password=secret'))[1]);
    say('who may not ask is told', $told === [] ? 'nothing' : preg_match('/^skipped: ACL DRYRUN is denied/', $told[0]));
}

restart('as it was', 'on', 'nopass', 'allkeys', '+@all');
restart('off, but with its rights', 'off', 'allkeys', '+@all');
restart('off', 'off');
?>
--EXPECTF--
always: ["ok: appendfsync is always: a power failure loses no lock"]
everysec: ["ok: appendfsync is everysec: a power failure may lose the locks of the last second or two, but no `durable` one"]
no: ["warn: appendfsync is no: a power failure may lose the locks of half a minute, and none gets `durable` | Set appendfsync everysec, or always"]
without the right to ask: 1
as it was, told as it is: true
who may not ask is told: %s
off, but with its rights, told as it is: true
who may not ask is told: %s
off, told as it is: true
%A