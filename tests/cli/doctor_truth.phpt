--TEST--
rlock doctor: nothing is told as right that was not answered, as wrong that is not, or of one node for all
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/doctor.inc';

function hide_names(array $told): array
{
    return preg_replace(['~(/[\w.-]+)+/[\w-]*\.sock~', '/(127\.0\.0\.1|localhost):\d+/'], 'HOST', $told);
}

$server = TestServer::start();
$client = $server->client();

// One that falls silent when it is to write.
$client('CLIENT', 'PAUSE', 60_000, 'WRITE');
$began = microtime(true);
[$status, $found] = findings($server->url('timeout=0.5'));
$client('CLIENT', 'UNPAUSE');
say('silent', [$status, count(preg_grep('/^fail: .*no answer within the timeout/', told_of('server', $found))), told_of('rights', $found), told_of('take', $found)]);
say_took('it', microtime(true) - $began, 0.5, 5.0);
say('left', $client('KEYS', '*'));

// Rights: what is denied, and no more.
foreach (['-pttl', '-getrange'] as $less) {
    $client('ACL', 'SETUSER', 'shop', 'reset', 'on', '>secret', '~*', '&*', '+@all', $less);
    $found = findings($server->url('user=shop&password=secret'))[1];
    say("$less is no second holder", [preg_grep('/Two/', array_column($found, 'says')), told_of('rights', $found)]);
}
$client('ACL', 'SETUSER', 'shop', 'reset', 'on', '>secret', '~lock@*', '&*', '+@all');
say('without the companions', told_of('rights', findings($server->url('user=shop&password=secret'))[1]));
$client('FLUSHALL');

// An INFO that says nothing is no good news.
$client('ACL', 'SETUSER', 'shop', 'reset', 'on', '>secret', '~*', '&*', '+@all', '-info');
$found = findings($server->url('user=shop&password=secret'))[1];
say('without INFO', [told_of('eviction', $found), told_of('persistence', $found), told_of('replicas', $found)]);

// Several servers: each by its name, and a lock on each.
$cluster = new TestCluster();
[$status, $found] = findings($cluster->url());
say('a cluster', [$status, count(preg_grep('/^ok/', told_of('take', $found))), count(array_unique(told_of('rights', $found)))]);
$cluster->masters[2]->client()('ACL', 'SETUSER', 'default', '-eval');
[$status, $found] = findings($cluster->url());
say('one node denies', [$status, hide_names(preg_grep('/^fail/', told_of('rights', $found))), count(preg_grep('/^fail/', told_of('take', $found)))]);
$cluster->masters[2]->client()('ACL', 'SETUSER', 'default', '+eval');
$cluster->masters[0]->client()('ACL', 'SETUSER', 'default', '-blpop');
say('who waits is woken on the others', array_map(fn (string $told) => strtok($told, ':'), told_of('wait', findings($cluster->url())[1])));
foreach ($cluster->masters as $master) {
    say('left', preg_grep('/doctor/', $master->client()('KEYS', '*')));
}

$nodes = [TestServer::start(tcp: true), TestServer::start()];
[$status, $found] = findings($nodes[0]->tcpUrl() . ' ' . $nodes[1]->url());
say('a majority of two', [$status, told_of('majority', $found), told_of('keys', $found)]);
$twice = str_replace('127.0.0.1', 'localhost', $nodes[0]->tcpUrl());
[$status, $found] = findings($nodes[0]->tcpUrl() . " $twice " . $nodes[1]->url());
say('one under two names', [$status, hide_names(told_of('take', $found))]);

// Ended early, it leaves nothing.
foreach (['head -n 2', 'true'] as $reader) {
    exec('sh -c ' . escapeshellarg(escapeshellarg(program_path()) . ' doctor ' . escapeshellarg($server->url()) . " | $reader") . ' 2>&1');
    await('the end of it', fn () => count_processes('doctor ' . $server->url()) === 0);
    say("left for $reader", $client('KEYS', '*'));
}
?>
--EXPECT--
silent: [1,1,[],[]]
it: in time
left: []
-pttl is no second holder: [[],["fail: Without pttl, calls fail | ACL SETUSER ... +pttl"]]
-getrange is no second holder: [[],["fail: Without getrange, calls fail | ACL SETUSER ... +getrange"]]
without the companions: ["fail: This user may not use all keys of locks | ACL SETUSER ... ~PREFIX* ~rlock:*"]
without INFO: [[],[],[]]
a cluster: [0,3,3]
one node denies: [1,{"2":"fail: HOST: Without eval, no lock can be acquired | ACL SETUSER ... +eval"},0]
who waits is woken on the others: ["warn","ok","ok"]
left: []
left: []
left: []
a majority of two: [0,["warn: Both of two servers must agree, so that one that fails stops all | Name three servers"],["ok: Locks under the prefix: 0; of other clients than rlock: 0; without an end: 0"]]
one under two names: [1,["fail: Redis at HOST and at HOST is one server, which would have two votes; a majority is one of different servers"]]
left for head -n 2: []
left for true: []
