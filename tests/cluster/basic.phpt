--TEST--
cluster://: each lock where its slot is; all methods work; once the map is known, not one request more
--FILE--
<?php
require __DIR__ . '/../server.inc';

$cluster = new TestCluster();
$lock = new RLock($cluster->url('persistent=0', [$cluster->masters[1]]));

/* What a node is asked, but for what the cluster says to itself. */
function calls(TestServer $node): array
{
    preg_match_all('/^cmdstat_([^:]+):calls=(\d+)/m', $node->client()('INFO', 'commandstats'), $found);
    $calls = array_diff_key(array_combine($found[1], $found[2]), array_flip(['info', 'ping']));
    ksort($calls);
    return $calls;
}

$keys = array_map($cluster->keyOn(...), [0, 1, 2]);
foreach ($keys as $i => $key) {
    say("lock $i", outcome(fn () => $lock->getLock($key)));
    $there = array_map(fn ($node) => count($node->client()('KEYS', "*$key")), $cluster->masters);
    say('its keys', $there);
    say('given back', outcome(fn () => $lock->releaseLock($key)));
}
$before = array_map(calls(...), $cluster->masters);
$requests = $lock->stats()['requests'];
for ($round = 0; $round < 10; $round++) {
    foreach ($keys as $key) {
        $lock->getLock($key) && $lock->releaseLock($key);
    }
}
foreach ($cluster->masters as $i => $node) {
    $after = calls($node);
    unset($after['keys'], $before[$i]['keys']);
    say("node $i", json_encode(array_filter(array_map(fn ($name) => $after[$name] - ($before[$i][$name] ?? 0),
        array_combine(array_keys($after), array_keys($after))))));
}
say('requests', $lock->stats()['requests'] - $requests);
say('the map, in all', array_sum(array_map(fn ($node) => calls($node)['cluster|slots'] ?? 0, $cluster->masters)));

/* Several slots: all or none, and all at once. */
$other = new RLock($cluster->url());
say('several', outcome(fn () => $lock->getLocks($keys)));
say('one is busy', outcome(fn () => $other->getLocks([$cluster->keyOn(0), $cluster->keyOn(1), $keys[2]])));
say('none is left', array_sum(array_map(fn ($node) => count($node->client()('KEYS', 'lock@*')), $cluster->masters)) - 3);
say('held', array_map(fn ($key) => outcome(fn () => $lock->isLocking($key)), $keys));
say('all back', outcome(fn () => $lock->releaseAll()));
say('nothing is left', array_sum(array_map(fn ($node) => count($node->client()('KEYS', 'lock@*')), $cluster->masters)));

/* Names with braces have their companions in the same slot, or the scripts would be refused. */
foreach (['a}b', '{}x', '{user}:1', 'x{y', "\0{!}", '}{'] as $name) {
    say(json_encode($name, JSON_PARTIAL_OUTPUT_ON_ERROR), outcome(fn () => $lock->getLock($name, 1.0) && $lock->prolongate($name, 5.0)
        && $lock->isLocking($name) && $lock->ttl($name) > 0.0 && $lock->holder($name) && !$other->getLock($name, 0.01)
        && $other->adopt($name, $lock->handOver($name)) && $other->breakLock($name)));
}
@$other->releaseAll();
?>
--EXPECT--
lock 0: true
its keys: [2,0,0]
given back: true
lock 1: true
its keys: [0,2,0]
given back: true
lock 2: true
its keys: [0,0,2]
given back: true
node 0: {"del":10,"evalsha":20,"mget":10,"set":20,"time":10}
node 1: {"del":10,"evalsha":20,"mget":10,"set":20,"time":10}
node 2: {"del":10,"evalsha":20,"mget":10,"set":20,"time":10}
requests: 60
the map, in all: 1
several: true
one is busy: false
none is left: 0
held: ["true","true","true"]
all back: true
nothing is left: 0
"a}b": true
"{}x": true
"{user}:1": true
"x{y": true
"\u0000{!}": true
"}{": true
