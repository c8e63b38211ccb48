--TEST--
rlock ls --waiting, who, graph: who waits for whom; a deadlock of two processes and two keys is shown
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

$server = TestServer::start();
putenv('RLOCK_SERVERS=' . $server->url('timeout=10'));
$host = preg_replace('/[^!-9;-~]/', '_', substr(gethostname(), 0, 64));
/* Each process by its name in this test. */
$names = [];
function show(string $what, string ...$arguments): void
{
    global $names;
    [$status, $output, $errors] = rlock(...$arguments);
    $text = strtr(rtrim("$output$errors"), $names);
    $text = preg_replace(['/\d\d:\d\d:\d\d/', '/"since":\d+\.\d+/', '/^/m'], ['TIME', '"since":N', '    '], $text);
    echo "$what: $status\n", $text, "\n";
}

show('nobody', 'graph');
show('nobody, JSON', 'graph', '--json');
show('nobody waits', 'ls', '--waiting');
show('nobody waits, JSON', 'ls', '--waiting', '--json');

/* Holds one key, then waits for another, each when it is told to. */
const HOLDER = <<<'PHP'
    $locks = new RLock($args['url'], ttl: 60.0);
    $parent->say(['has', $locks->getLock($args['first'])]);
    $parent->hear();
    $has = $args['shared'] ? $locks->getSharedLock($args['second'], wait: 60.0) : $locks->getLock($args['second'], wait: 60.0);
    $parent->say(['got', $has]);
    $parent->hear();
PHP;
$start = function (string $name, string $first, string $second, bool $shared = false) use ($server, $host, &$names): Child {
    $child = Child::start(HOLDER, ['url' => $server->url(), 'first' => $first, 'second' => $second, 'shared' => $shared]);
    $names["$host:$child->pid"] = $name;
    $child->hear();
    return $child;
};
$ann = $start('ann', 'a', 'b');
$bob = $start('bob', 'b "quoted"', 'a');
$ann->say('wait for b, which is free');
$ann->hear();
$bob->say('wait for a');
$server->client()->awaitBlocked(1);
show('one waits', 'graph');
show('ls --waiting', 'ls', '--waiting');
show('ls --waiting of others', 'ls', '--waiting', 'b*');
show('ls --waiting, JSON', 'ls', '--waiting', '--json');
[, $json] = rlock('who', 'a', '--json');
say('who', array_map(fn (array $wait) => [strtr($wait['waiter'], $names), abs($wait['since'] - time()) < 60, $wait['shared']],
    json_decode($json, true)['waiters']));
say('who, for people', preg_match("/^$host:$bob->pid waits for \"a\" since /m", rlock('who', 'a')[1]));

$cyd = $start('cyd', 'c', 'd');
$dan = $start('dan', 'd', 'c', true);
$cyd->say('wait for d');
$dan->say('wait for a share of c');
$server->client()->awaitBlocked(3);
show('a deadlock', 'graph');
show('JSON', 'graph', '--json');
show('dot', 'graph', '--dot');
$graph = json_decode(rlock('graph', '--json')[1], true);
say('since when', array_unique(array_map(fn (array $wait) => abs($wait['since'] - time()) < 60, $graph['waits'])));

// One of them gives up.
$dan->kill();
await('end of a waiter', fn () => rlock('graph', '--quiet')[0] === 0);
show('no deadlock any more', 'graph');

show('no server', 'graph', '--servers', nowhere());
show('no server', 'ls', '--waiting', '--servers', nowhere());
show('a majority', 'graph', '--servers', $server->url() . ' ' . TestServer::start()->url());
show('no address', 'graph', '--servers', 'redis//x');
show('too much', 'graph', 'key');
$server->client()('ACL', 'SETUSER', 'blind', 'on', '>secret', '~*', '+@all', '-client|list');
$blind = $server->url('user=blind&password=secret');
say('without the right', [rlock('graph', '--servers', $blind)[0], rlock('ls', '--waiting', '--servers', $blind)[0]]);
say('who, without the right', [rlock('who', 'a', '--servers', $blind)[0], json_decode(rlock('who', 'a', '--json', '--servers', $blind)[1])->waiters]);
foreach ([$ann, $bob, $cyd] as $child) {
    $child->kill();
}
?>
--EXPECT--
nobody: 0
    rlock: Nobody waits
nobody, JSON: 0
    {"waits":[
    ],"cycles":[
    ]}
nobody waits: 0
    rlock: Nobody waits
nobody waits, JSON: 0
    [
    ]
one waits: 0
      bob waits for "a" since TIME, held by ann since TIME
ls --waiting: 0
    bob waits for "a" since TIME
ls --waiting of others: 0
    rlock: Nobody waits
ls --waiting, JSON: 0
    [
    {"key":"a","waiter":"bob","since":N,"shared":false}
    ]
who: [["bob",true,false]]
who, for people: 1
a deadlock: 1
      bob waits for "a" since TIME, held by ann since TIME
    * dan waits for a share of "c" since TIME, held by cyd since TIME
    * cyd waits for "d" since TIME, held by dan since TIME
    Deadlock: dan waits for "c" of cyd, cyd waits for "d" of dan
JSON: 1
    {"waits":[
    {"key":"a","waiter":"bob","since":N,"shared":false,"holders":["ann"]},
    {"key":"c","waiter":"dan","since":N,"shared":true,"holders":["cyd"]},
    {"key":"d","waiter":"cyd","since":N,"shared":false,"holders":["dan"]}
    ],"cycles":[
    [{"key":"c","waiter":"dan","holder":"cyd"},{"key":"d","waiter":"cyd","holder":"dan"}]
    ]}
dot: 1
    digraph rlock {
    	"bob" -> "ann" [label="a"];
    	"dan" -> "cyd" [label="c", color=red];
    	"cyd" -> "dan" [label="d", color=red];
    }
since when: [true]
no deadlock any more: 0
      bob waits for "a" since TIME, held by ann since TIME
      cyd waits for "d" since TIME, held by dan since TIME
no server: 69
    rlock: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory
no server: 69
    rlock: Cannot connect to Redis at /nonexistent/rlock.sock: No such file or directory
a majority: 69
    rlock: On a majority of servers nobody can tell who waits: each waiter asks now and then
no address: 64
    rlock: The server address cannot be read: a host alone, or with its port, is written redis://host:6379
too much: 64
    rlock: There is one argument too many
    Try `rlock --help`.
without the right: [69,69]
who, without the right: [0,null]