--TEST--
rlock ls shows sessions under any prefix, others' keys only when asked, no id; who, wait and break take the names that it shows
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$server = TestServer::start();
$client = $server->client();
putenv('RLOCK_SERVERS=' . $server->url('timeout=10'));
const ID = '0123456789abcdef0123456789';
/* One that rlock holds, for a request whose path has the id. */
$hold = function (string $key, string $metadata = 'GET /s/' . ID . '/report') use ($client): void {
    $client('SET', $key, 'rlock1:' . str_repeat('a', 32) . ":web1:5:$metadata", 'PX', 600000);
};
function hide(string $text): string
{
    return preg_replace(['/#[0-9a-f]{8}/', '/\d+\.\d s|\d+:\d\d min/'], ['#HASH', 'N s'], $text);
}
function names(string ...$arguments): array
{
    [, $output] = rlock('ls', '--json', ...$arguments);
    str_contains($output, ID) && say('an id in', $output);
    $names = array_map(hide(...), array_column(json_decode($output, true), 'key'));
    sort($names);
    return $names;
}

$hold('lock@plain', 'import');
foreach (['PHPREDIS_SESSION:' . ID . '_LOCK', '{PHPREDIS_CLUSTER_SESSION:' . ID . '}_LOCK', 'shop:' . ID . '_LOCK', 'lock@session:' . ID,
    'lock@ci_session:' . ID . ':lock'] as $key) {
    $hold($key);
}
$client('SET', 'PHPREDIS_SESSION:' . ID, 'data');
$client('SET', 'PHPREDIS_SESSION:' . strrev(ID) . '_LOCK', 'of phpredis', 'PX', 600000);
$client('SET', 'lock@cached:' . ID, 'a string');
$client('RPUSH', 'lock@list', 'x');
say('all of rlock', names());
say('with another prefix', names('--prefix', 'other@'));
say('some', names('PHPREDIS_*'));
say("and others'", names('--foreign'));
say('of a store', names('--prefix', 'lock@cach'));
say('all prefixes', names('--prefix', ''));
$ls = rlock('ls')[1];
say('for people', [str_contains($ls, ID), substr_count($ls, 'GET /s/#'), substr_count($ls, 'foreign')]);

preg_match_all('/^\S+/m', $ls, $shown);
foreach (array_slice($shown[0], 1) as $name) {
    [$status, $output] = rlock('who', $name);
    say('who ' . hide($name), [$status, explode('  ', explode("\n", $output)[1])[0] === $name]);
    say('wait', rlock('wait', $name, '--wait', '0')[0]);
    say('break', [rlock('break', $name)[0], rlock('who', $name)[0], rlock('wait', $name)[0], rlock('break', $name)[0]]);
}
say('none is left', names());
$long = str_repeat('x', 100);
$hold("lock@odd\x1b[31m{$long}1", 'import');
$hold("lock@a#12345678", 'import');
preg_match_all('/^\S+/m', rlock('ls')[1], $shown);
foreach (array_slice($shown[0], 1) as $name) {
    [$status, $output] = rlock('who', $name);
    say($name, [$status, substr_count($output, 'web1:5')]);
}
$hold("lock@odd\x1b[31m{$long}2", 'import');
say('which of two?', rlock('break', $name));
say('both are there', count(names('odd*')));
say('by the whole name', rlock('break', "odd\x1b[31m{$long}2")[0]);

// Asked with the wrong prefix.
$hold('shop:lock@order:17', 'checkout');
say('who, elsewhere', [rlock('who', 'order:17'), rlock('who', 'order:17', '--json'), rlock('who', 'order:17', '--quiet'), rlock('who', 'order:18')[2]]);
say('not a glob', rlock('who', 'order:*')[2]);
?>
--EXPECT--
all of rlock: ["PHPREDIS_CLUSTER_SESSION:#HASH","PHPREDIS_SESSION:#HASH","ci_session:#HASH:lock","plain","session:#HASH","shop:#HASH"]
with another prefix: ["PHPREDIS_CLUSTER_SESSION:#HASH","PHPREDIS_SESSION:#HASH","shop:#HASH"]
some: ["PHPREDIS_CLUSTER_SESSION:#HASH","PHPREDIS_SESSION:#HASH"]
and others': ["PHPREDIS_CLUSTER_SESSION:#HASH","PHPREDIS_SESSION:#HASH","PHPREDIS_SESSION:#HASH","cached:#HASH","ci_session:#HASH:lock","list","plain","session:#HASH","shop:#HASH"]
of a store: ["PHPREDIS_CLUSTER_SESSION:#HASH","PHPREDIS_SESSION:#HASH","shop:#HASH"]
all prefixes: ["PHPREDIS_CLUSTER_SESSION:#HASH","PHPREDIS_SESSION:#HASH","lock@ci_session:#HASH:lock","lock@plain","lock@session:#HASH","shop:#HASH"]
for people: [false,5,0]
who PHPREDIS_CLUSTER_SESSION:#HASH: [0,true]
wait: 75
break: [0,1,0,1]
who PHPREDIS_SESSION:#HASH: [0,true]
wait: 75
break: [0,1,0,1]
who ci_session:#HASH:lock: [0,true]
wait: 75
break: [0,1,0,1]
who plain: [0,true]
wait: 75
break: [0,1,0,1]
who session:#HASH: [0,true]
wait: 75
break: [0,1,0,1]
who shop:#HASH: [0,true]
wait: 75
break: [0,1,0,1]
none is left: []
a#12345678: [0,1]
odd\x1b[31mxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...: [0,1]
which of two?: [64,"","rlock: Several locks are shown by this name; `rlock ls --json` shows more of it\n"]
both are there: 2
by the whole name: 0
who, elsewhere: [[1,"","rlock: Nobody holds \"order:17\" with the prefix \"lock@\"; with \"shop:lock@\" somebody does: --prefix tells that\n"],[1,"null\n",""],[1,"",""],"rlock: Nobody holds \"order:18\"\n"]
not a glob: rlock: Nobody holds "order:*"