--TEST--
rlock graph: what looks like a deadlock and ends by itself; other databases; locks of sessions
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/cli.inc';

/* Each takes something, and waits when it is told to. */
const ACTOR = <<<'PHP'
    $locks = new RLock($args['url'], ttl: 60.0);
    eval($args['has']);
    $parent->say('has');
    $parent->hear();
    eval($args['waits']);
    $parent->say('got');
    $parent->hear();
    PHP;

$host = preg_replace('/[^!-9;-~]/', '_', substr(gethostname(), 0, 64));
$names = [];
/* Who has what and waits for what, as code; the last one only has. */
function play(string $what, array $actors, array $arguments = [], string $prefix = 'lock@'): void
{
    global $names, $host;
    $server = TestServer::start();
    $children = [];
    foreach ($actors as $name => [$has, $waits]) {
        $children[$name] = Child::start(ACTOR, ['url' => $server->url(), 'has' => $has, 'waits' => $waits]);
        $names["$host:{$children[$name]->pid}"] = $name;
        $children[$name]->hear();
    }
    $waiting = array_filter($actors, fn (array $actor) => $actor[1] !== '');
    foreach ($waiting as $name => $_) {
        $children[$name]->say('wait');
    }
    $server->client()->awaitBlocked(count($waiting));
    foreach ($arguments ?: [[]] as $more) {
        [$status, $output, $errors] = rlock('graph', '--servers', $server->url(), '--prefix', $prefix, ...$more);
        $text = preg_replace(['/\d\d:\d\d:\d\d/', '/"since":\d+\.\d+/', '/#[0-9a-f]{8}/'], ['TIME', '"since":N', '#HASH'], strtr($output . $errors, $names));
        $lines = explode("\n", rtrim($text));
        sort($lines); // two waits for one lock are in the order of their begin
        echo "$what: $status\n    ", implode("\n    ", $lines), "\n";
    }
    foreach ($children as $child) {
        $child->kill();
    }
}

play('another database', [
    'ann' => ['$locks->getLock("z"); $other = new RLock(str_replace("?", "?db=3&", $args["url"]), ttl: 60.0);', '$other->getLock("z", wait: 60.0);'],
    'bob' => ['$other = new RLock(str_replace("?", "?db=3&", $args["url"]), ttl: 60.0); $other->getLock("z");', ''],
]);
$semaphore = [
    'ann' => ['$locks->getSharedLock("sem", limit: 2);', '$locks->getLock("y", wait: 60.0);'],
    'bob' => ['$locks->getSharedLock("sem", limit: 2);', ''],
    'cyd' => ['$locks->getLock("y");', '$locks->getSharedLock("sem", wait: 60.0, limit: 2);'],
];
play('one of two lets go', $semaphore);
play('both are in it', array_replace($semaphore, ['bob' => ['$locks->getSharedLock("sem", limit: 2);', '$locks->getLock("y", wait: 60.0);']]));
play('exclusively, it is for all', array_replace($semaphore, ['cyd' => ['$locks->getLock("y");', '$locks->getLock("sem", wait: 60.0);']]), [[], ['--dot']]);
play('a cooldown', [
    'ann' => ['$locks->getLock("job"); $locks->releaseLock("job", delayAfter: 60.0);', '$locks->getLock("m", wait: 60.0);'],
    'bob' => ['$locks->getLock("m");', '$locks->getLock("job", wait: 100.0);'],
]);
play('a detached lock', [
    'ann' => ['$locks->detached("job", "cart")->getLock(ttl: 60.0);', '$locks->getLock("m", wait: 60.0);'],
    'bob' => ['$locks->getLock("m");', '$locks->getLock("job", wait: 60.0);'],
]);
play('a hand-over, and a foreign lock', [
    'ann' => ['$locks->getLock("a"); $locks->handOver("a", 60.0);', '$locks->getLock("a", wait: 60.0);'],
    'bob' => ['(new RawClient(strtok($args["url"], "?")))("SET", "lock@b", "x", "PX", 60000);', '$locks->getLock("b", wait: 60.0);'],
]);
// Two containers of one host name, in each of which it is process 1: both are named as who waits.
play('a process of that name', [
    'ann' => ['(new RawClient(strtok($args["url"], "?")))("SET", "lock@a", "rlock1:" . str_repeat("a", 32) . ":" . gethostname() . ":" . getmypid(), "PX", 60000);',
        '$locks->getLock("a", wait: 60.0);'],
]);
$session = '$sessions = new RLock($args["url"], "PHPREDIS_SESSION:", 60.0);';
$id = '"abcdefghij0123456789klmnop_LOCK"';
play('a session', [
    'ann' => ["$session \$sessions->getLock($id);", '$locks->getLock("job", wait: 60.0);'],
    'bob' => ["$session \$locks->getLock('job');", "\$sessions->getLock($id, wait: 60.0);"],
], [[], ['--json'], ['--dot']], '');
?>
--EXPECT--
another database: 0
    rlock: Nobody waits
one of two lets go: 0
      ann waits for "y" since TIME, held by cyd since TIME
      cyd waits for a share of "sem" since TIME, shared by ann since TIME, shared by bob since TIME
both are in it: 1
    * ann waits for "y" since TIME, held by cyd since TIME
    * bob waits for "y" since TIME, held by cyd since TIME
    * cyd waits for a share of "sem" since TIME, shared by ann since TIME, shared by bob since TIME
    Deadlock: cyd waits for "sem" of ann, ann waits for "y" of cyd
    Deadlock: cyd waits for "sem" of bob, bob waits for "y" of cyd
exclusively, it is for all: 1
    * ann waits for "y" since TIME, held by cyd since TIME
    * cyd waits for "sem" since TIME, shared by ann since TIME, shared by bob since TIME
    Deadlock: cyd waits for "sem" of ann, ann waits for "y" of cyd
exclusively, it is for all: 1
    	"ann" -> "cyd" [label="y", color=red];
    	"cyd" -> "ann" [label="sem", color=red];
    	"cyd" -> "bob" [label="sem"];
    digraph rlock {
    }
a cooldown: 0
      ann waits for "m" since TIME, held by bob since TIME
      bob waits for "job" since TIME, nobody may have it now; ann had it since TIME
a detached lock: 0
      ann waits for "m" since TIME, held by bob since TIME
      bob waits for "job" since TIME, held by ann since TIME
a hand-over, and a foreign lock: 0
      ann waits for "a" since TIME, being handed over since TIME
      bob waits for "b" since TIME, held by a client that is not rlock's
a process of that name: 0
      ann waits for "a" since TIME, held by ann (a process of that name)
a session: 1
    * ann waits for "lock@job" since TIME, held by bob since TIME
    * bob waits for "PHPREDIS_SESSION:#HASH" since TIME, held by ann since TIME
    Deadlock: bob waits for "PHPREDIS_SESSION:#HASH" of ann, ann waits for "lock@job" of bob
a session: 1
    [{"key":"PHPREDIS_SESSION:#HASH","waiter":"bob","holder":"ann"},{"key":"lock@job","waiter":"ann","holder":"bob"}]
    ],"cycles":[
    ]}
    {"key":"PHPREDIS_SESSION:#HASH","waiter":"bob","since":N,"shared":false,"holders":["ann"]},
    {"key":"lock@job","waiter":"ann","since":N,"shared":false,"holders":["bob"]}
    {"waits":[
a session: 1
    	"ann" -> "bob" [label="lock@job", color=red];
    	"bob" -> "ann" [label="PHPREDIS_SESSION:#HASH", color=red];
    digraph rlock {
    }
